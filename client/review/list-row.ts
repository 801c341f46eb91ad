// One tool as one line of the list: effect, name, what it costs, what is to be looked at, and as much of its description as there
// is room for. On a narrow terminal the less important columns go; a line is never longer than the terminal is wide.
import type { Colours } from "../output/colours.ts";
import { visible } from "../output/visible.ts";
import { cut, displayWidth } from "../output/width.ts";
import { isRefused, type Choices } from "./choice-rules.ts";
import type { Choice, ReviewEffect, Row } from "./types.ts";

/** Widths of the columns; 0 where there is none. */
export interface Columns {
  readonly name: number;
  readonly tokens: number;
  readonly flags: number;
  readonly mark: number;
  readonly description: number;
}

export interface RowFacts {
  readonly row: Row;
  readonly choice: Choice;
  readonly active: boolean;
  /** Its name does not do. */
  readonly nameless: boolean;
}

const GAP = "  ";
const EFFECT_WIDTH = "external".length;
/** Cursor, effect and the gap behind it. */
const BEFORE = 2 + EFFECT_WIDTH + GAP.length;
const MARK_WIDTH = "refused".length;
const NARROWEST_NAME = 14;
const NARROWEST_DESCRIPTION = 16;
/** Names and descriptions have no bound of their own; more than this is not looked at for one line. */
const LOOKED_AT = 400;

/** For all rows at once, so that columns stand below each other while the list moves. */
export function columnsFor(rows: readonly Row[], choices: Choices, width: number): Columns {
  const widest = Math.max(1, ...rows.map((row) => displayWidth(nameText(row, choices.get(row.tool.name) ?? row.initial))));
  const others = {
    tokens: Math.max(0, ...rows.map((row) => tokenText(row).length)),
    flags: Math.max(0, ...rows.map((row) => flagText(row).length)),
    mark: MARK_WIDTH,
  };
  const room = (): number =>
    Object.values(others).reduce((left, column) => left - (column === 0 ? 0 : column + GAP.length), width - BEFORE);
  // In this order they can be done without: the details have all of it.
  for (const column of ["tokens", "flags", "mark"] as const) if (room() < Math.min(widest, NARROWEST_NAME)) others[column] = 0;
  const name = Math.max(1, Math.min(widest, room()));
  const left = room() - name - GAP.length;
  return { ...others, name, description: left >= NARROWEST_DESCRIPTION ? left : 0 };
}

export function rowLine({ row, choice, active, nameless }: RowFacts, columns: Columns, colours: Colours): string {
  const mark = markOf(row, nameless);
  const paintMark = mark === "refused" || mark === "name?" ? colours.red : colours.cyan;
  const cells = [
    paintEffect(choice.effect, colours)(choice.effect.padEnd(EFFECT_WIDTH)),
    nameCell(row, choice, columns.name, active ? colours.bold : (text) => text),
    ...(columns.tokens === 0 ? [] : [colours.dim(tokenText(row).padStart(columns.tokens))]),
    ...(columns.flags === 0 ? [] : [colours.yellow(flagText(row).padEnd(columns.flags))]),
    ...(columns.mark === 0 ? [] : [paintMark(mark.padEnd(columns.mark))]),
    ...(columns.description === 0 ? [] : [colours.dim(cut(firstLine(row), columns.description))]),
  ];
  return `${active ? colours.bold(">") : " "} ${cells.join(GAP)}`.trimEnd();
}

export function paintEffect(effect: ReviewEffect, colours: Colours): (text: string) => string {
  if (effect === "read") return colours.green;
  if (effect === "write") return colours.yellow;
  return effect === "external" ? colours.magenta : colours.dim;
}

/** Most urgent first: there is room for one. */
function markOf({ tool, change }: Row, nameless: boolean): string {
  if (isRefused(tool)) return "refused";
  return nameless ? "name?" : (change ?? "");
}

const shortened = (text: string): string => visible(text.slice(0, LOOKED_AT));
const tokenText = ({ cost }: Row): string => `${String(cost.tokens)} tok`;
const flagText = ({ flags }: Row): string => (flags.length === 0 ? "" : `⚑ ${String(flags.length)}`);
const firstLine = ({ tool }: Row): string => shortened(tool.description.trimStart().split(/\r\n|\r|\n/, 1)[0] ?? "");
const asText = ({ as }: Choice): string => (as === undefined ? "" : ` → ${as}`);
const nameText = ({ tool }: Row, choice: Choice): string => shortened(tool.name) + asText(choice);

/** The new name is the one that matters, so the old one is cut first. */
function nameCell(row: Row, choice: Choice, width: number, paint: (text: string) => string): string {
  const as = asText(choice);
  const room = width - displayWidth(as);
  const text = as === "" || room >= 4 ? cut(shortened(row.tool.name), room) + as : cut(as.trimStart(), width);
  return paint(text) + " ".repeat(Math.max(0, width - displayWidth(text)));
}
