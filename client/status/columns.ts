// A table as rich as the line is wide: of several sets of columns the first that fits is taken. Its lines come one by one, so that
// something can stand between them.
import type { Colours } from "../output/colours.ts";
import { renderTable, type Cell } from "../output/table.ts";
import { displayWidth } from "../output/width.ts";

export interface ColumnOf<Row> {
  readonly head: string;
  readonly right?: boolean;
  readonly cell: (row: Row) => Cell;
}

export interface TableLines {
  readonly head: string;
  /** One for each row. */
  readonly rows: readonly string[];
}

/** `sets`: from the richest on. Undefined when none fits. */
export function fittingTable<Row>(
  sets: readonly (readonly ColumnOf<Row>[])[],
  rows: readonly Row[],
  { width, colours }: { readonly width: number; readonly colours: Colours },
): TableLines | undefined {
  for (const columns of sets) {
    const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
    const [head = "", ...lines] = renderTable(columns, cells, { width, colours }).split("\n");
    if ([head, ...lines].every((line) => displayWidth(line) <= width)) return { head, rows: lines };
  }
  return undefined;
}
