// What a look in quarantine found, for a person: the tools in a table, then what needs a second look, tool by tool: refusals with
// their remedy, flags, and old against new where something differs from what was reviewed.
import type { Inspection } from "../../daemon/contract/index.ts";
import type { Colours } from "../output/colours.ts";
import { renderTable } from "../output/table.ts";
import { visible, visibleLines } from "../output/visible.ts";
import { breakLines, cut } from "../output/width.ts";
import { changeLines, fieldChanges } from "./differences.ts";
import { definitionOf, type Rows } from "./rows.ts";
import type { Subject } from "./subjects.ts";
import type { Row } from "./types.ts";

export interface Findings extends Rows {
  readonly subject: Subject;
  readonly inspection: Inspection;
}

interface Page {
  readonly colours: Colours;
  readonly width: number;
}

/** One string a line (a table is one string of several). */
export function findingsPage(findings: Findings, page: Page): readonly string[] {
  const { inspection, rows, gone } = findings;
  const { name, version } = inspection.serverInfo;
  const tokens = rows.reduce((sum, { cost }) => sum + cost.tokens, 0);
  const count = `${String(rows.length)} tool${rows.length === 1 ? "" : "s"}`;
  return [
    `It says it is ${visible(name)} ${visible(version)} (MCP ${visible(inspection.protocolVersion)}) and publishes ${count}, ${String(tokens)} tokens in each request that offers them all.`,
    "",
    ...(rows.length === 0 ? [] : [toolTable(rows, page), ""]),
    ...inspection.refusals.map(({ tool, message }) =>
      page.colours.red(`${visible(tool)}: ${message}: its author must repair this, it cannot be hidden`),
    ),
    ...gone.map((tool) => page.colours.yellow(`${visible(tool)} was reviewed and is no longer published`)),
    ...rows.flatMap((row) => remarks(row, findings, page)),
  ];
}

function toolTable(rows: readonly Row[], page: Page): string {
  const columns = [
    ...[{ head: "TOOL" }, { head: "LOCAL NAME" }, { head: "EFFECT" }, { head: "BYTES", right: true }],
    ...[{ head: "TOKENS", right: true }, { head: "FLAGS" }],
  ];
  return renderTable(
    columns,
    rows.map(({ tool, initial, cost, flags, change }) => [
      tool.name,
      tool.exposedName,
      initial.effect,
      cost.bytes,
      cost.tokens,
      [change ?? "", flags.length === 0 ? "" : `! ${String(flags.length)}`].filter((part) => part !== "").join(" "),
    ]),
    page,
  );
}

/** What it says of itself, why it got its effect, and what stands against it. */
function remarks(row: Row, { subject, inspection }: Findings, { colours, width }: Page): readonly string[] {
  const { tool, initial, proposal, flags, change } = row;
  const said = cut(visible(tool.description.replaceAll(/\s+/g, " ").trim()), MAX_DESCRIPTION);
  const why = initial.effect === proposal.effect ? proposal.why : "as the policy in force says";
  return [
    colours.bold(visible(tool.name)),
    ...breakLines(said === "" ? "(no description)" : said, Math.min(width, WIDEST) - 11).map(
      (line, at) => `  ${at === 0 ? "says   " : "       "}  ${line}`,
    ),
    `  ${initial.effect.padEnd(8)} ${visible(why)}`,
    ...tool.refusals.map(({ code, pointer, message }) =>
      colours.red(
        `  refused  ${visible(pointer)} ${visibleLines(message)}: ${REMEDIES[code] ?? "hide it, or have its author repair it"}`,
      ),
    ),
    ...flags.map(({ pointer, message, excerpt }) =>
      colours.yellow(`  flag     ${visible(pointer)} ${message}${excerpt === undefined ? "" : `: ${JSON.stringify(excerpt)}`}`),
    ),
    ...tool.notes.map(({ pointer, message }) => colours.dim(`  note     ${visible(pointer)} ${visibleLines(message)}`)),
    ...(change === "changed" ? changes(tool.name, { subject, inspection }, colours) : []),
    "",
  ];
}

/** Longer descriptions are shown in full among a tool's details. */
const MAX_DESCRIPTION = 400;
const WIDEST = 140;

const REMEDIES: Readonly<Record<string, string>> = {
  name_rejected: 'give it a local name ("as"), or hide it',
  name_collision: 'give one of them a local name ("as"), or hide it',
  schema_rejected: "hide it, or have its author repair it",
};

function changes(
  tool: string,
  { subject, inspection }: Pick<Findings, "subject" | "inspection">,
  colours: Colours,
): readonly string[] {
  const now = inspection.tools.find(({ name }) => name === tool);
  const before = subject.locked?.tools.get(tool)?.definition;
  if (now === undefined) return [];
  return fieldChanges(before, definitionOf(now.definition)).flatMap((change) =>
    changeLines(change, colours).map((line) => `  ${line}`),
  );
}
