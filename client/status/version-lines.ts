// The last versions on the page: when, why, and what changed in a few words.
import type { VersionRow } from "../../daemon/contract/index.ts";
import { many } from "../output/amounts.ts";
import { ago } from "../output/times.ts";
import { visible } from "../output/visible.ts";
import { breakItems, cut } from "../output/width.ts";
import { fittingTable, type ColumnOf } from "./columns.ts";
import type { Block, Look, Section } from "./parts.ts";

export function versionSection(versions: readonly VersionRow[], look: Look): Section {
  if (versions.length === 0) return { what: "version", head: ["No versions"], blocks: [] };
  const table = fittingTable(columnSets(look), versions, look);
  const blocks = versions.map((row, rank): Block => {
    const lines = table === undefined ? cardLines(row, look) : [table.rows[rank] ?? ""];
    return { lines, short: lines, line: [lines[0] ?? ""], rank };
  });
  return { what: "version", head: [table === undefined ? look.colours.bold("Last versions") : table.head], blocks };
}

function columnSets({ now }: Look): readonly (readonly ColumnOf<VersionRow>[])[] {
  return [
    [
      { head: "VERSION", right: true, cell: ({ version }) => version },
      { head: "WHEN", cell: ({ at }) => ago(at, now) },
      { head: "CAUSE", cell: ({ cause }) => cause },
      { head: "CHANGE", cell: (row) => withNames(row) },
    ],
  ];
}

function cardLines(row: VersionRow, { width, now }: Look): string[] {
  const version = String(row.version);
  const facts = [changeOf(row), ago(row.at, now)];
  return [
    `${version}  ${cut(visible(row.cause), width - version.length - 2)}`,
    ...breakItems(facts, width - 2).map((line) => `  ${line}`),
  ];
}

function changeOf({ added, removed, changed }: VersionRow): string {
  const parts = [[added, "added"] as const, [removed, "removed"] as const, [changed, "changed"] as const];
  const told = parts.filter(([names]) => names.length > 0);
  if (told.length === 0) return "no tool changed";
  return told.map(([names, what], at) => `${at === 0 ? many(names.length, "tool") : String(names.length)} ${what}`).join(", ");
}

function withNames(row: VersionRow): string {
  const names = [...row.added, ...row.removed, ...row.changed];
  return names.length === 0 ? changeOf(row) : `${changeOf(row)}: ${names.join(", ")}`;
}
