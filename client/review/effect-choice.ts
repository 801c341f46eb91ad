// What a key does to the list of effects. Pure: a state and a key in, the next state out; the terminal only shows it.
import { exposedName, nameProblem } from "../../config/exposed-name.ts";
import type { Choice, ReviewEffect, ReviewTool, Row } from "./types.ts";

export const EFFECTS = ["read", "write", "external", "hidden"] as const satisfies readonly ReviewEffect[];

export interface ListState {
  readonly choices: ReadonlyMap<string, Choice>;
  readonly filter: string;
  /** Position among the shown rows. */
  readonly cursor: number;
  readonly details: boolean;
  /** The local name being typed for the row at the cursor. */
  readonly naming: string | undefined;
  /** What keeps it from being confirmed. */
  readonly problem: string | undefined;
  readonly end: "open" | "confirmed" | "left";
}

export interface Key {
  readonly name: string;
  readonly ctrl: boolean;
  /** What was typed, for keys that are text. */
  readonly text: string;
}

export function openList(rows: readonly Row[]): ListState {
  const choices = new Map(rows.map(({ tool, initial }) => [tool.name, initial]));
  return { choices, filter: "", cursor: 0, details: false, naming: undefined, problem: undefined, end: "open" };
}

/** Rows whose name, local name or description has the filter's text. */
export function shownRows(rows: readonly Row[], filter: string): readonly Row[] {
  const wanted = filter.toLowerCase();
  if (wanted === "") return rows;
  return rows.filter(({ tool }) => `${tool.name}\n${tool.exposedName}\n${tool.description}`.toLowerCase().includes(wanted));
}

/** A refusal that no name mends: the tool can only be hidden. */
export const isRefused = ({ refusals }: ReviewTool): boolean =>
  refusals.some(({ code }) => code !== "name_rejected" && code !== "name_collision");

/** `page`: how many rows a page key moves. */
export function pressKey(state: ListState, key: Key, rows: readonly Row[], page: number): ListState {
  if (key.ctrl && key.name === "c") return { ...state, end: "left" };
  if (state.naming !== undefined) return nameKey(state, key, rows);
  const shown = shownRows(rows, state.filter);
  const calm = { ...state, problem: undefined };
  switch (key.name) {
    case "up":
      return moved(calm, -1, shown);
    case "down":
      return moved(calm, 1, shown);
    case "pageup":
      return moved(calm, -page, shown);
    case "pagedown":
      return moved(calm, page, shown);
    case "home":
      return moved(calm, -rows.length, shown);
    case "end":
      return moved(calm, rows.length, shown);
    case "right":
    case "space":
      return cycled(calm, shown.slice(state.cursor, state.cursor + 1), 1);
    case "left":
      return cycled(calm, shown.slice(state.cursor, state.cursor + 1), -1);
    case "tab":
      return { ...calm, details: !state.details };
    case "escape":
      return state.filter === "" ? { ...calm, end: "left" } : { ...calm, filter: "", cursor: 0 };
    case "backspace":
      return { ...calm, filter: state.filter.slice(0, -1), cursor: 0 };
    case "return":
    case "enter":
      return confirmed(calm, rows);
  }
  const all = /^f([1-4])$/.exec(key.name);
  if (all !== null) return setAll(calm, shown, EFFECTS[Number(all[1]) - 1] ?? "write");
  if (key.text === "=") return startNaming(calm, shown[state.cursor]);
  if (key.ctrl || key.text === "" || /[\p{Cc}\p{Cf}]/u.test(key.text)) return state;
  return { ...calm, filter: state.filter + key.text, cursor: 0 };
}

/** What keeps the choices from being taken; the first one, in the order of the rows. */
export function choiceProblem(
  rows: readonly Row[],
  choices: ReadonlyMap<string, Choice>,
): { readonly tool: string; readonly message: string } | undefined {
  const taken = new Map<string, string>();
  for (const { tool } of rows) {
    const choice = choices.get(tool.name);
    if (choice === undefined) return { tool: tool.name, message: "is not decided" };
    if (choice.effect === "hidden") continue;
    if (isRefused(tool)) return { tool: tool.name, message: "cannot be exposed: it can only be hidden" };
    const { alias } = tool;
    const named = choice.as === undefined ? {} : { as: choice.as };
    const problem = nameProblem(alias, tool.name, named);
    if (problem !== undefined) return { tool: tool.name, message: problem };
    const name = exposedName(alias, tool.name, named);
    const other = taken.get(name);
    if (other !== undefined) return { tool: tool.name, message: `would have the local name of "${other}": give it another` };
    taken.set(name, tool.name);
  }
  return undefined;
}

function moved(state: ListState, by: number, shown: readonly Row[]): ListState {
  return { ...state, cursor: Math.max(0, Math.min(shown.length - 1, state.cursor + by)) };
}

function cycled(state: ListState, rows: readonly Row[], by: number): ListState {
  const [row] = rows;
  if (row === undefined) return state;
  if (isRefused(row.tool)) return { ...state, problem: `"${row.tool.name}" cannot be exposed: it can only be hidden` };
  const current = state.choices.get(row.tool.name) ?? row.initial;
  const next = EFFECTS[(EFFECTS.indexOf(current.effect) + by + EFFECTS.length) % EFFECTS.length] ?? "write";
  return { ...state, choices: new Map(state.choices).set(row.tool.name, { ...current, effect: next }) };
}

function setAll(state: ListState, shown: readonly Row[], effect: ReviewEffect): ListState {
  const choices = new Map(state.choices);
  for (const { tool, initial } of shown) {
    if (isRefused(tool)) continue;
    choices.set(tool.name, { ...(choices.get(tool.name) ?? initial), effect });
  }
  return { ...state, choices };
}

function startNaming(state: ListState, row: Row | undefined): ListState {
  if (row === undefined) return state;
  return { ...state, naming: state.choices.get(row.tool.name)?.as ?? row.suggestedAs ?? "" };
}

function nameKey(state: ListState, key: Key, rows: readonly Row[]): ListState {
  const row = shownRows(rows, state.filter)[state.cursor];
  const naming = state.naming ?? "";
  if (key.name === "escape" || row === undefined) return { ...state, naming: undefined, problem: undefined };
  if (key.name === "backspace") return { ...state, naming: naming.slice(0, -1) };
  if (key.name !== "return" && key.name !== "enter") {
    return /^[a-z0-9_]$/.test(key.text) ? { ...state, naming: naming + key.text } : state;
  }
  const current = state.choices.get(row.tool.name) ?? row.initial;
  const { as: _, ...unnamed } = current;
  if (naming !== "" && !/^[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/.test(naming))
    return { ...state, problem: "a local name takes a–z, 0–9 and _, with no _ at either end" };
  const choice = naming === "" ? unnamed : { ...current, as: naming };
  return { ...state, naming: undefined, problem: undefined, choices: new Map(state.choices).set(row.tool.name, choice) };
}

/** With something unsolved, the cursor goes there. */
function confirmed(state: ListState, rows: readonly Row[]): ListState {
  const problem = choiceProblem(rows, state.choices);
  if (problem === undefined) return { ...state, end: "confirmed" };
  const cursor = rows.findIndex(({ tool }) => tool.name === problem.tool);
  return { ...state, filter: "", cursor, problem: `"${problem.tool}" ${problem.message}` };
}
