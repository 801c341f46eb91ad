// Tables for people: no borders, columns as wide as they need, the last column cut to what is left of the line.
import Table from "cli-table3";
import type { Colours } from "./colours.ts";
import { visible } from "./visible.ts";
import { cut, displayWidth } from "./width.ts";

export interface Column {
  readonly head: string;
  readonly right?: boolean;
}

export type Paint = (text: string) => string;

/** A cell; `paint` colours it after it was made visible and measured. */
export type Cell = string | number | { readonly text: string; readonly paint: Paint };

const NO_BORDERS = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"],
    ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid"],
  ].map((name) => [name, ""]),
);
const GAP = "  ";
const NARROWEST = 16;

const textOf = (cell: Cell): string => visible(typeof cell === "object" ? cell.text : String(cell));

export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { colours, width }: { readonly colours: Colours; readonly width: number },
): string {
  const last = columns.length - 1;
  const widest = columns.map(({ head }, at) =>
    Math.max(displayWidth(head), ...rows.map((row) => displayWidth(textOf(row[at] ?? "")))),
  );
  const before = widest.slice(0, last).reduce((sum, column) => sum + column + GAP.length, 0);
  const left = Math.max(NARROWEST, width - before);
  const table = new Table({
    chars: { ...NO_BORDERS, middle: GAP },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    head: columns.map(({ head }) => colours.bold(head)),
    colAligns: columns.map(({ right }) => (right === true ? "right" : "left")),
  });
  for (const row of rows) {
    table.push(
      columns.map((_, at) => {
        const cell = row[at] ?? "";
        const text = at === last ? cut(textOf(cell), left) : textOf(cell);
        return typeof cell === "object" ? cell.paint(text) : text;
      }),
    );
  }
  const lines = table.toString().split("\n");
  return lines.map((line) => line.trimEnd()).join("\n");
}
