// One tool in full, as a person reads it before deciding: names, the proposal and why, what it says of itself, what stands against
// it, its arguments.
import { canonicalJson } from "../../daemon/contract/index.ts";
import { indentJson } from "../output/json-text.ts";
import { visible } from "../output/visible.ts";
import { breakLines } from "../output/width.ts";
import type { Row } from "./types.ts";

const MAX_SCHEMA_LINES = 200;

/** Lines of at most `width` columns. */
export function toolDetails({ tool, initial, proposal, cost, flags }: Row, width: number): readonly string[] {
  const hints = Object.entries(tool.annotations ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const schema = indentJson(canonicalJson(tool.inputSchema)).split("\n");
  const lines = [
    `${tool.name} → ${tool.exposedName}  (${String(cost.tokens)} tokens)`,
    `effect: ${initial.effect}; proposed: ${proposal.effect}, ${proposal.why}`,
    ...tool.refusals.map(({ pointer, message }) => `refused: ${pointer} ${message}`),
    ...flags.map(({ pointer, message, excerpt }) => `flag: ${pointer} ${message}${excerpt === undefined ? "" : `: ${excerpt}`}`),
    ...tool.notes.map(({ pointer, message }) => `note: ${pointer} ${message}`),
    ...(hints.length === 0 ? [] : [`it says of itself (hints): ${hints.join(", ")}`]),
    ...(tool.description === "" ? ["no description"] : tool.description.split(/\r\n|\r|\n/)),
    "arguments:",
    ...schema.slice(0, MAX_SCHEMA_LINES).map((line) => `  ${line}`),
    ...(schema.length > MAX_SCHEMA_LINES ? ["  …"] : []),
  ];
  return lines.flatMap((line) => breakLines(visible(line), width));
}
