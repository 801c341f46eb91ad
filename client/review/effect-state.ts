// The list from which effects are chosen, without a terminal: its state and what each key does to it. A refused tool stays hidden;
// one whose name does not do is asked for another first. Every key gives a next state, a confirmation or a leaving.
import { isLocalName } from "../../config/tool-policy.ts";
import { nameFaults } from "./name-plan.ts";
import { isNameRefusal } from "./propose-effect.ts";
import type { Choice, ReviewEffect, Row } from "./types.ts";

export type Mode =
  | { readonly kind: "list" }
  /** `top`: the first line that is shown. */
  | { readonly kind: "details"; readonly top: number }
  /** A local name is being written; with it the tool gets `effect`. */
  | { readonly kind: "name"; readonly text: string; readonly effect: ReviewEffect };

export interface ListState {
  readonly filter: string;
  /** Into the shown rows. */
  readonly cursor: number;
  /** By the server's own name. */
  readonly choices: ReadonlyMap<string, Choice>;
  readonly mode: Mode;
  /** What the last key came to, where it is not plain to see. */
  readonly message: string;
}

export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

export interface ListView {
  readonly alias: string;
  readonly rows: readonly Row[];
  /** How many rows a page shows. */
  readonly page: number;
  /** How many lines the details of the current tool have, and how many of them are shown. */
  readonly details: () => { readonly lines: number; readonly page: number };
}

export type Step =
  { readonly kind: "on"; readonly state: ListState } | { readonly kind: "confirmed" } | { readonly kind: "left" };

export const EFFECTS: readonly ReviewEffect[] = ["read", "write", "external", "hidden"];

export function startOf(rows: readonly Row[]): ListState {
  const choices = new Map(rows.map((row) => [row.tool.name, isRefused(row) ? { effect: "hidden" as const } : row.initial]));
  return { filter: "", cursor: 0, choices, mode: { kind: "list" }, message: "" };
}

/** Whatever its name, it cannot be exposed. */
export function isRefused({ tool }: Row): boolean {
  return tool.refusals.some((refusal) => !isNameRefusal(refusal));
}

export function shownRows(rows: readonly Row[], filter: string): readonly Row[] {
  const wanted = filter.toLowerCase();
  return wanted === "" ? rows : rows.filter(({ tool }) => `${tool.name}\n${tool.title ?? ""}`.toLowerCase().includes(wanted));
}

export function choiceOf({ choices }: ListState, row: Row): Choice {
  return choices.get(row.tool.name) ?? { effect: "hidden" };
}

export function press(before: ListState, key: Key, view: ListView): Step {
  const state = before.message === "" ? before : { ...before, message: "" };
  switch (state.mode.kind) {
    case "list":
      return pressInList(state, key, view);
    case "details":
      return on(pressInDetails(state, state.mode.top, key, view));
    case "name":
      return on(pressInName(state, state.mode, key, view));
  }
}

const on = (state: ListState): Step => ({ kind: "on", state });
const say = (state: ListState, message: string): ListState => ({ ...state, message });

function pressInList(state: ListState, key: Key, view: ListView): Step {
  const shown = shownRows(view.rows, state.filter);
  const row = shown[state.cursor];
  const to = (cursor: number): Step => on({ ...state, cursor: Math.max(0, Math.min(shown.length - 1, cursor)) });
  if (key.ctrl === true) return on(pressWithCtrl(state, key.name, shown, view));
  switch (key.name) {
    case "up":
      return to(state.cursor - 1);
    case "down":
      return to(state.cursor + 1);
    case "pageup":
      return to(state.cursor - view.page);
    case "pagedown":
      return to(state.cursor + view.page);
    case "home":
      return to(0);
    case "end":
      return to(shown.length - 1);
    case "space":
    case "right":
      return on(row === undefined ? state : turn(state, row, 1));
    case "left":
      return on(row === undefined ? state : turn(state, row, -1));
    case "tab":
      return on(row === undefined ? state : { ...state, mode: { kind: "details", top: 0 } });
    case "return":
    case "enter":
      return confirm(state, view);
    case "escape":
      return state.filter === "" ? { kind: "left" } : on(filtered(state, "", view.rows));
    case "backspace":
      return on(filtered(state, Array.from(state.filter).slice(0, -1).join(""), view.rows));
    default: {
      const text = typed(key);
      if (text === "?") return on(row === undefined ? state : { ...state, mode: { kind: "details", top: 0 } });
      return on(text === "" ? state : filtered(state, state.filter + text, view.rows));
    }
  }
}

function pressWithCtrl(state: ListState, name: string | undefined, shown: readonly Row[], view: ListView): ListState {
  const row = shown[state.cursor];
  if (name === "u") return filtered(state, "", view.rows);
  if (name === "n" && row !== undefined)
    return isRefused(row) ? refuse(state, row) : naming(state, row, choiceOf(state, row).effect);
  if (name !== "a" || row === undefined) return state;
  const { effect } = choiceOf(state, row);
  const settable = shown.filter((one) => !isRefused(one) && (effect === "hidden" || !needsName(state, one)));
  const choices = new Map(state.choices);
  for (const one of settable) choices.set(one.tool.name, { ...choiceOf(state, one), effect });
  const rest = shown.length - settable.length;
  const left = rest === 0 ? "" : `; ${rest} cannot be ${effect} and stayed as before`;
  return say({ ...state, choices }, `${settable.length} shown tools are ${effect} now${left}`);
}

/** The cursor stays on its tool where that is still shown. */
function filtered(state: ListState, filter: string, rows: readonly Row[]): ListState {
  const row = shownRows(rows, state.filter)[state.cursor];
  const at = row === undefined ? -1 : shownRows(rows, filter).indexOf(row);
  return { ...state, filter, cursor: Math.max(0, at) };
}

const needsName = (state: ListState, row: Row): boolean => row.suggestedAs !== undefined && choiceOf(state, row).as === undefined;

function turn(state: ListState, row: Row, by: 1 | -1): ListState {
  if (isRefused(row)) return refuse(state, row);
  const choice = choiceOf(state, row);
  const effect = EFFECTS[(EFFECTS.indexOf(choice.effect) + by + EFFECTS.length) % EFFECTS.length] ?? "hidden";
  if (effect !== "hidden" && needsName(state, row)) return naming(state, row, effect);
  return chosen(state, row, { ...choice, effect });
}

const chosen = (state: ListState, row: Row, choice: Choice): ListState => ({
  ...state,
  choices: new Map(state.choices).set(row.tool.name, choice),
});

function refuse(state: ListState, { tool }: Row): ListState {
  const why = tool.refusals.find((refusal) => !isNameRefusal(refusal))?.message ?? "";
  return say(state, `It can only be hidden: ${why}`);
}

function naming(state: ListState, row: Row, effect: ReviewEffect): ListState {
  const text = choiceOf(state, row).as ?? row.suggestedAs ?? "";
  return { ...state, mode: { kind: "name", text, effect } };
}

/** The first tool whose name does not do is gone to, and asked for one. */
function confirm(state: ListState, { alias, rows }: ListView): Step {
  const [fault] = nameFaults(alias, state.choices);
  if (fault === undefined) return { kind: "confirmed" };
  const cursor = rows.findIndex(({ tool }) => tool.name === fault.tool);
  const row = rows[cursor];
  if (row === undefined) return { kind: "confirmed" };
  return on(say(naming({ ...state, filter: "", cursor }, row, choiceOf(state, row).effect), fault.message));
}

function pressInDetails(state: ListState, top: number, key: Key, view: ListView): ListState {
  const { lines, page } = view.details();
  const to = (line: number): ListState => ({
    ...state,
    mode: { kind: "details", top: Math.max(0, Math.min(lines - page, line)) },
  });
  switch (key.name) {
    case "up":
      return to(top - 1);
    case "down":
    case "return":
    case "enter":
      return to(top + 1);
    case "pageup":
      return to(top - page);
    case "pagedown":
    case "space":
      return to(top + page);
    case "home":
      return to(0);
    case "end":
      return to(lines);
    case "escape":
    case "tab":
      return { ...state, mode: { kind: "list" } };
    default:
      return typed(key) === "?" || typed(key) === "q" ? { ...state, mode: { kind: "list" } } : state;
  }
}

function pressInName(state: ListState, mode: Extract<Mode, { kind: "name" }>, key: Key, view: ListView): ListState {
  const row = shownRows(view.rows, state.filter)[state.cursor];
  const edit = (text: string): ListState => ({ ...state, mode: { ...mode, text } });
  if (key.ctrl === true) return key.name === "u" ? edit("") : state;
  switch (key.name) {
    case "escape":
      return { ...state, mode: { kind: "list" } };
    case "backspace":
      return edit(mode.text.slice(0, -1));
    case "return":
    case "enter":
      return row === undefined ? { ...state, mode: { kind: "list" } } : named(state, row, mode, view.alias);
    default:
      // Longer than any name that fits.
      return edit((mode.text + typed(key).toLowerCase()).slice(0, 80));
  }
}

/** An empty name is the tool's own. */
function named(state: ListState, row: Row, { text, effect }: Extract<Mode, { kind: "name" }>, alias: string): ListState {
  if (text !== "" && !isLocalName(text)) return say(state, "A local name takes a–z, 0–9 and _, with no _ at either end");
  const choice: Choice = { effect, ...(text === "" ? {} : { as: text }) };
  const next = chosen({ ...state, mode: { kind: "list" } }, row, choice);
  const fault = nameFaults(alias, next.choices).find(({ tool }) => tool === row.tool.name);
  return fault === undefined ? next : say(state, fault.message);
}

/** What a key writes: nothing for keys that only do something. */
function typed({ sequence = "", ctrl, meta }: Key): string {
  return ctrl === true || meta === true || !/^[^\p{C}\s]$/u.test(sequence) ? "" : sequence;
}
