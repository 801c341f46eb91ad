// What a key does to the list of effects. Pure: a state and a key in, the next state out; the terminal only shows it.
import { assertNever } from "../../daemon/contract/index.ts";
import { visible } from "../output/visible.ts";
import { cut } from "../output/width.ts";
import {
  choiceProblems,
  EFFECTS,
  isRefused,
  localNameProblem,
  nameOwner,
  startingChoices,
  type ChoiceProblem,
  type Choices,
} from "./choice-rules.ts";
import type { ReviewEffect, Row } from "./types.ts";

export interface ListState {
  readonly rows: readonly Row[];
  readonly choices: Choices;
  readonly filter: string;
  /** The rows that the filter leaves, worked out when it changes. */
  readonly shown: readonly Row[];
  /** Position among them. */
  readonly cursor: number;
  /** The first line shown of the details; undefined while they are closed. */
  readonly details: number | undefined;
  readonly mode: Mode;
  /** What keeps it from going on. */
  readonly problem: string | undefined;
  readonly end: "open" | "confirmed" | "left";
}

/** What letters mean. */
export type Mode =
  | { readonly kind: "filter" }
  /** The local name of the row at the cursor is being typed. */
  | { readonly kind: "name"; readonly text: string }
  /** The next letter is an effect, for every row that is shown. */
  | { readonly kind: "all" };

export type Key =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "up" | "down" | "pageUp" | "pageDown" | "home" | "end" | "left" | "right" }
  | { readonly kind: "space" | "tab" | "enter" | "escape" | "backspace" | "other" }
  /** For every row that is shown. */
  | { readonly kind: "setAll"; readonly effect: ReviewEffect };

/** What the terminal has room for. */
export interface View {
  /** Rows of a page. */
  readonly page: number;
  /** Lines of the details that are shown at once, and the last line they can begin with. */
  readonly detailPage: number;
  readonly lastDetail: number;
}

/** A filter is typed, not pasted. */
const LONGEST_FILTER = 60;
const LONGEST_NAME = 64;
const FILTER: Mode = Object.freeze({ kind: "filter" });

export function openList(rows: readonly Row[]): ListState {
  return {
    ...{ rows, choices: startingChoices(rows), filter: "", shown: rows, cursor: 0, details: undefined },
    ...{ mode: FILTER, problem: undefined, end: "open" },
  };
}

export function pressKey(state: ListState, key: Key, view: View): ListState {
  const calm: ListState = { ...state, problem: undefined };
  switch (state.mode.kind) {
    case "filter":
      return listKey(calm, key, view);
    case "name":
      return nameKey(calm, key, state.mode.text);
    case "all":
      return { ...allKey(calm, key), mode: FILTER };
    default:
      return assertNever(state.mode);
  }
}

function listKey(state: ListState, key: Key, view: View): ListState {
  switch (key.kind) {
    case "up":
      return moved(state, state.cursor - 1);
    case "down":
      return moved(state, state.cursor + 1);
    case "home":
      return moved(state, 0);
    case "end":
      return moved(state, state.shown.length - 1);
    case "pageUp":
      return state.details === undefined ? moved(state, state.cursor - view.page) : scrolled(state, -1, view);
    case "pageDown":
      return state.details === undefined ? moved(state, state.cursor + view.page) : scrolled(state, 1, view);
    case "space":
    case "right":
      return stepped(state, 1);
    case "left":
      return stepped(state, -1);
    case "tab":
      return { ...state, details: state.details === undefined ? 0 : undefined };
    case "escape":
      return state.filter === "" ? { ...state, end: "left" } : filtered(state, "");
    case "backspace":
      return filtered(state, Array.from(state.filter).slice(0, -1).join(""));
    case "enter":
      return confirmed(state);
    case "text":
      return lettered(state, key.text);
    case "setAll":
      return setAll(state, key.effect);
    case "other":
      return state;
    default:
      return assertNever(key);
  }
}

function lettered(state: ListState, text: string): ListState {
  if (text === "*") return state.shown.length === 0 ? state : { ...state, mode: { kind: "all" } };
  if (text === "=") return startNaming(state);
  return state.filter.length + text.length > LONGEST_FILTER ? state : filtered(state, state.filter + text);
}

/** The row at the cursor stays there when it is still shown. */
function filtered(state: ListState, filter: string): ListState {
  if (filter === state.filter) return state;
  const shown = shownRows(state.rows, filter);
  const current = state.shown[state.cursor];
  const cursor = current === undefined ? -1 : shown.indexOf(current);
  return { ...state, filter, shown, cursor: Math.max(0, cursor), details: state.details === undefined ? undefined : 0 };
}

/** Rows whose name, title or description has the filter's text; what stands before every exposed name would match them all. */
export function shownRows(rows: readonly Row[], filter: string): readonly Row[] {
  const wanted = filter.toLowerCase();
  if (wanted === "") return rows;
  return rows.filter(({ tool }) => `${tool.name}\n${tool.title ?? ""}\n${tool.description}`.toLowerCase().includes(wanted));
}

function moved(state: ListState, to: number): ListState {
  const cursor = Math.max(0, Math.min(state.shown.length - 1, to));
  return cursor === state.cursor ? state : { ...state, cursor, details: state.details === undefined ? undefined : 0 };
}

function scrolled(state: ListState, by: 1 | -1, { detailPage, lastDetail }: View): ListState {
  const first = (state.details ?? 0) + by * Math.max(1, detailPage - 1);
  return { ...state, details: Math.max(0, Math.min(lastDetail, first)) };
}

function stepped(state: ListState, by: 1 | -1): ListState {
  const row = state.shown[state.cursor];
  if (row === undefined) return state;
  if (isRefused(row.tool)) return { ...state, problem: wording({ tool: row.tool.name, kind: "refused" }) };
  const { effect } = state.choices.get(row.tool.name) ?? row.initial;
  const next = EFFECTS[(EFFECTS.indexOf(effect) + by + EFFECTS.length) % EFFECTS.length] ?? "write";
  return chosen(state, [row], next);
}

function chosen(state: ListState, rows: readonly Row[], effect: ReviewEffect): ListState {
  const choices = new Map(state.choices);
  for (const { tool, initial } of rows) choices.set(tool.name, { ...(choices.get(tool.name) ?? initial), effect });
  return { ...state, choices };
}

/** Any other key than the letter of an effect is a no. */
function allKey(state: ListState, key: Key): ListState {
  const letter = key.kind === "text" ? key.text.toLowerCase() : "";
  const effect = EFFECTS.find((each) => each.startsWith(letter));
  return letter === "" || effect === undefined ? state : setAll(state, effect);
}

function setAll(state: ListState, effect: ReviewEffect): ListState {
  const able = effect === "hidden" ? state.shown : state.shown.filter(({ tool }) => !isRefused(tool));
  const left = state.shown.length - able.length;
  const set = chosen(state, able, effect);
  return left === 0 ? set : { ...set, problem: `${String(left)} of them cannot be exposed and stay hidden` };
}

function startNaming(state: ListState): ListState {
  const row = state.shown[state.cursor];
  if (row === undefined) return state;
  if (isRefused(row.tool)) return { ...state, problem: wording({ tool: row.tool.name, kind: "refused" }) };
  return { ...state, mode: { kind: "name", text: state.choices.get(row.tool.name)?.as ?? row.suggestedAs ?? "" } };
}

function nameKey(state: ListState, key: Key, text: string): ListState {
  const typed = (name: string): ListState => ({ ...state, mode: { kind: "name", text: name } });
  switch (key.kind) {
    case "escape":
      return { ...state, mode: FILTER };
    case "backspace":
      return typed(text.slice(0, -1));
    case "text":
      return /^[a-z0-9_]$/i.test(key.text) && text.length < LONGEST_NAME ? typed(text + key.text.toLowerCase()) : state;
    case "enter":
      return nameTaken(state, text);
    default:
      return state;
  }
}

/** An empty name is the tool's own again; whether that does is seen when all is confirmed. */
function nameTaken(state: ListState, as: string): ListState {
  const row = state.shown[state.cursor];
  if (row === undefined) return { ...state, mode: FILTER };
  const { effect } = state.choices.get(row.tool.name) ?? row.initial;
  if (as === "") return { ...state, mode: FILTER, choices: new Map(state.choices).set(row.tool.name, { effect }) };
  const problem = localNameProblem(row.tool, as);
  if (problem !== undefined) return { ...state, problem };
  const owner = nameOwner(state.rows, state.choices, row.tool, as);
  if (owner !== undefined) return { ...state, problem: `${named(owner)} has this name already` };
  return { ...state, mode: FILTER, choices: new Map(state.choices).set(row.tool.name, { effect, as }) };
}

/** With something unsolved, the cursor goes there. */
function confirmed(state: ListState): ListState {
  const [problem] = choiceProblems(state.rows, state.choices);
  if (problem === undefined) return { ...state, end: "confirmed" };
  const isIt = ({ tool }: Row): boolean => tool.name === problem.tool;
  const visibleNow = state.shown.some(isIt) ? state : filtered(state, "");
  return { ...moved(visibleNow, visibleNow.shown.findIndex(isIt)), problem: wording(problem) };
}

const LONGEST_NAMED = 30;
const named = (tool: string): string => `"${cut(visible(tool), LONGEST_NAMED)}"`;

/** In the words of this list: what to press. */
function wording(problem: ChoiceProblem): string {
  const tool = named(problem.tool);
  switch (problem.kind) {
    case "undecided":
      return `${tool} is not decided`;
    case "refused":
      return `${tool} cannot be exposed, only hidden: Tab says why`;
    case "name":
      return `${tool} needs another local name: = gives it one, or hide it`;
    case "taken":
      return `${tool} would have the name of ${named(problem.by)}: = gives it another, or hide one`;
    default:
      return assertNever(problem);
  }
}
