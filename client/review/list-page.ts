// What the list looks like in a terminal of a given size: title, the line that is typed into, one page of rows, the details of one
// tool, what is wrong, and the keys. Pure; only what is on the page is made into text, so a long list is as quick as a short one.
import { assertNever } from "../../daemon/contract/index.ts";
import type { Colours } from "../output/colours.ts";
import { visible } from "../output/visible.ts";
import { breakLines, cut, displayWidth, holdTogether } from "../output/width.ts";
import { EFFECTS } from "./choice-rules.ts";
import type { ListState, View } from "./effect-choice.ts";
import { rowLine, type Columns } from "./list-row.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What was worked out of the state beforehand, as it changes more seldom than the page. */
export interface Worked {
  readonly columns: Columns;
  /** Tools whose name does not do. */
  readonly nameless: ReadonlySet<string>;
  /** Of the tool at the cursor; empty while they are closed. */
  readonly details: readonly string[];
  readonly title: string;
  readonly colours: Colours;
}

export interface Page {
  /** Its last line is the one with the cursor, at its end. */
  readonly top: string;
  readonly bottom: string;
  readonly view: View;
}

const NARROWEST = 20;

/** The last column stays free: a terminal moves the cursor on when it is written. */
export const widthOf = ({ columns }: Size): number => Math.max(NARROWEST, columns) - 1;

export function listPage(state: ListState, worked: Worked, size: Size): Page {
  const { colours, title } = worked;
  const width = widthOf(size);
  // What is wrong and the keys may take a quarter each, where the terminal is narrow.
  const most = Math.max(1, Math.floor(size.rows / 4));
  const problem = state.problem === undefined ? [] : breakLines(state.problem, width).slice(0, most);
  const help = helpLines(state, width).slice(0, most);
  const room = Math.max(1, size.rows - 3 - problem.length - help.length);
  const page = state.details === undefined ? room : Math.max(1, Math.min(state.shown.length, Math.floor(room / 3)));
  const { lines: details, ...view } = detailPage(state, worked, room - page - 1, width);
  const lines = [
    ...rowLines(state, worked, page, width),
    ...details,
    ...problem.map((line) => colours.red(line)),
    ...help.map((line) => colours.dim(line)),
  ];
  const top = `${colours.bold(cut(`${title}  ${countsOf(state)}`, width))}\n${entryLine(state, width)}`;
  return { top, bottom: lines.join("\n"), view: { page, ...view } };
}

function countsOf({ rows, choices }: ListState): string {
  const count = new Map<string, number>();
  for (const { tool } of rows) {
    const effect = choices.get(tool.name)?.effect ?? "";
    count.set(effect, (count.get(effect) ?? 0) + 1);
  }
  return EFFECTS.flatMap((effect) => (count.has(effect) ? [`${String(count.get(effect))} ${effect}`] : [])).join(" · ");
}

function entryLine({ mode, filter, shown, rows }: ListState, width: number): string {
  switch (mode.kind) {
    case "filter":
      return typedLine(filter === "" ? "filter:" : `filter (${String(shown.length)} of ${String(rows.length)}):`, filter, width);
    case "name":
      return typedLine("local name:", mode.text, width);
    case "all": {
      const which = shown.length === rows.length ? `all ${String(rows.length)}` : `the ${String(shown.length)} shown`;
      return cut(`set ${which} to r(ead) w(rite) e(xternal) h(idden)?`, width);
    }
    default:
      return assertNever(mode);
  }
}

/** The end of what is typed, where the cursor is; short in columns and in UTF-16 units, by which the line editor counts. */
function typedLine(label: string, typed: string, width: number): string {
  const points = Array.from(visible(typed));
  const room = width - label.length - 1;
  while (points.length > 0 && Math.max(displayWidth(points.join("")), points.join("").length) > room) points.shift();
  return `${label} ${points.join("")}`;
}

/** The cursor in the middle, but for the beginning and the end of the list. */
function rowLines({ shown, choices, cursor }: ListState, worked: Worked, page: number, width: number): readonly string[] {
  const { columns, nameless, colours } = worked;
  if (shown.length === 0) return [colours.dim(cut("  nothing matches: Escape clears the filter", width))];
  const first = Math.max(0, Math.min(shown.length - page, cursor - Math.floor(page / 2)));
  return shown.slice(first, first + page).map((row, at) => {
    const { name } = row.tool;
    const facts = { row, choice: choices.get(name) ?? row.initial, active: first + at === cursor, nameless: nameless.has(name) };
    return rowLine(facts, columns, colours);
  });
}

function detailPage(
  { details: first }: ListState,
  { details, colours }: Worked,
  room: number,
  width: number,
): { readonly lines: readonly string[]; readonly detailPage: number; readonly lastDetail: number } {
  if (first === undefined || room < 1) return { lines: [], detailPage: 0, lastDetail: 0 };
  const lastDetail = Math.max(0, details.length - room);
  const from = Math.min(first, lastDetail);
  const until = Math.min(details.length, from + room);
  const place = `── lines ${String(from + 1)}–${String(until)} of ${String(details.length)}${lastDetail === 0 ? "" : ", PageUp PageDown"} ──`;
  return {
    lines: [colours.dim(cut(place, width)), ...details.slice(from, until)],
    detailPage: room,
    lastDetail,
  };
}

function helpLines({ mode, filter, details }: ListState, width: number): readonly string[] {
  return breakLines(keysOf().map(holdTogether).join(" · "), width).map((line) => line.replace(/ ·$/, ""));

  function keysOf(): readonly string[] {
    switch (mode.kind) {
      case "filter":
        return [
          ...["Enter done", filter === "" ? "Esc leave" : "Esc clear", "↑↓ move", "Space → ← effect", "* set all shown"],
          ...[details === undefined ? "Tab details" : "Tab close", "= name", "type to filter"],
        ];
      case "name":
        return ["Enter takes it", "empty: its own name", "Esc back"];
      case "all":
        return ["any other key: back"];
      default:
        return assertNever(mode);
    }
  }
}
