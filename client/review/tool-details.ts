// One tool in full, as a person reads it before deciding: its names, what is proposed and why, what stands against it and how that
// is mended, what it says of itself, its arguments. Everything a server wrote is made visible and broken to the width.
import { canonicalJson, type JsonValue } from "../../daemon/contract/index.ts";
import { indentJson } from "../output/json-text.ts";
import { visible } from "../output/visible.ts";
import { breakLines } from "../output/width.ts";
import type { Row } from "./types.ts";

/** Enough for every honest tool; how much is missing is said. */
const MAX_DESCRIPTION = 20_000;
const MAX_SCHEMA_LINES = 200;
const MAX_HINTS = 20;

const REMEDIES: Readonly<Record<string, string>> = {
  name_rejected: "give it another local name, or hide it",
  name_collision: "give one of them another local name, or hide one",
};
const NO_REMEDY = "it can only be hidden, until its author repairs it";

/** Lines of at most `width` columns. `initial` is what stands there now. */
export function toolDetails(row: Row, width: number): readonly string[] {
  const { tool, initial, proposal, cost, flags, change } = row;
  const lines: readonly Line[] = [
    { text: tool.name },
    { text: `exposed as ${tool.exposedName}`, indent: 2 },
    ...(initial.as === undefined ? [] : [{ text: `local name: ${initial.as}`, indent: 2 }]),
    ...(tool.title === undefined ? [] : [{ text: `title: ${tool.title}`, indent: 2 }]),
    { text: `effect: ${initial.effect}; proposed: ${proposal.effect}, ${proposal.why}`, indent: 2 },
    { text: `cost: ${String(cost.tokens)} tokens, ${String(cost.bytes)} bytes in each request`, indent: 2 },
    ...(change === undefined ? [] : [{ text: `${change} since it was reviewed`, indent: 2 }]),
    ...tool.refusals.map(({ code, pointer, message }) => ({
      text: `refused: ${at(pointer)}${message}: ${REMEDIES[code] ?? NO_REMEDY}`,
      indent: 2,
    })),
    ...flags.map(({ pointer, message, excerpt }) => ({
      text: `flag: ${at(pointer)}${message}${excerpt === undefined ? "" : `: "${excerpt}"`}`,
      indent: 2,
    })),
    ...tool.notes.map(({ pointer, message }) => ({ text: `note: ${at(pointer)}${message}`, indent: 2 })),
    ...hintLines(row),
    { text: "description, in its own words:" },
    ...descriptionLines(tool.description),
    ...schemaLines("arguments:", tool.inputSchema),
    ...(tool.outputSchema === undefined ? [] : schemaLines("result:", tool.outputSchema)),
  ];
  return lines.flatMap((line) => broken(line, width));
}

interface Line {
  readonly text: string;
  readonly indent?: number;
}

const at = (pointer: string): string => (pointer === "" ? "" : `${pointer} `);

/** Annotations are hints, never facts. */
function hintLines({ tool }: Row): readonly Line[] {
  const hints = Object.entries(tool.annotations ?? {});
  if (hints.length === 0) return [];
  const shown = hints.slice(0, MAX_HINTS).map(([name, value]) => `${name}: ${canonicalJson(value)}`);
  const more = hints.length > shown.length ? [`${String(hints.length - shown.length)} more`] : [];
  return [{ text: `it says of itself (hints): ${[...shown, ...more].join(", ")}`, indent: 2 }];
}

function descriptionLines(description: string): readonly Line[] {
  if (description.trim() === "") return [{ text: "(none)", indent: 2 }];
  const lines = description
    .slice(0, MAX_DESCRIPTION)
    .split(/\r\n|\r|\n/)
    .map((text) => ({ text, indent: 2 }));
  const missing = description.length - MAX_DESCRIPTION;
  return missing <= 0 ? lines : [...lines, { text: `… ${String(missing)} more characters are not shown`, indent: 2 }];
}

function schemaLines(head: string, schema: JsonValue): readonly Line[] {
  const lines = indentJson(canonicalJson(schema)).split("\n");
  const missing = lines.length - MAX_SCHEMA_LINES;
  const shown = lines.slice(0, MAX_SCHEMA_LINES).map((text) => ({ text, indent: 2 }));
  return [
    { text: head },
    ...shown,
    ...(missing > 0 ? [{ text: `… ${String(missing)} more lines are not shown`, indent: 2 }] : []),
  ];
}

/** What a line begins with is kept for the lines it is broken into. */
function broken({ text, indent = 0 }: Line, width: number): readonly string[] {
  const safe = visible(text.replaceAll("\t", "  ")).trimEnd();
  const own = safe.trimStart();
  const margin = " ".repeat(Math.min(indent + safe.length - own.length, Math.floor(width / 2)));
  return breakLines(own, Math.max(1, width - margin.length)).map((line) => `${margin}${line}`.trimEnd());
}
