// One tool in full, for a person: what it is called, what is proposed and why, everything to think about, what the server says of
// it, and its schemas. Long text is shown to a bound and how much is missing is said; everything the server wrote is made visible.
import { canonicalJson, type JsonValue } from "../../daemon/contract/index.ts";
import type { Colours } from "../output/colours.ts";
import { indentJson } from "../output/json-text.ts";
import { visible, visibleLines } from "../output/visible.ts";
import type { Choice, Flag, Row } from "./types.ts";
import { wrapText } from "./wrap.ts";

interface Line {
  readonly text: string;
  readonly look?: "head" | "dim" | "warn";
}

const MOST_DESCRIPTION = 20_000;
const MOST_SCHEMA = 60_000;

export interface ShowToolOptions {
  readonly colours: Colours;
  /** In columns; absent: lines are left as long as they are. */
  readonly width?: number;
  /** What stands for it now, where it is not what stood there at first. */
  readonly choice?: Choice;
}

export function toolLines(row: Row, { colours, width, choice = row.initial }: ShowToolOptions): readonly string[] {
  const paint = { head: colours.bold, dim: colours.dim, warn: colours.yellow };
  return linesOf(row, choice).flatMap(({ text, look }) => {
    const wrapped = width === undefined ? [text] : wrapText(text, width);
    return look === undefined ? wrapped : wrapped.map(paint[look]);
  });
}

function linesOf({ tool, proposal, cost, flags, change }: Row, choice: Choice): readonly Line[] {
  const { name, exposedName, title, description, annotations, inputSchema, outputSchema, refusals, notes } = tool;
  const local = choice.as === undefined ? exposedName : `${exposedName} → ${choice.as}`;
  return [
    { text: `${visible(name)}${change === undefined ? "" : `  (${change})`}`, look: "head" },
    { text: `local name  ${visible(local)}`, look: "dim" },
    ...(title === undefined ? [] : [{ text: `title       ${visible(title)}` }]),
    { text: `effect      ${choice.effect}` },
    { text: `proposal    ${proposal.effect}: ${proposal.why}` },
    { text: `cost        ${cost.tokens} tokens, ${cost.bytes} bytes in every request`, look: "dim" },
    ...section(
      "Refused",
      refusals.map(({ pointer, message }) => ({ text: `  ${at(pointer)}${visible(message)}`, look: "warn" })),
    ),
    ...section("To think about", flags.flatMap(flagLines)),
    ...section(
      "Notes",
      notes.map(({ pointer, message }) => ({ text: `  ${at(pointer)}${visible(message)}`, look: "dim" })),
    ),
    ...section("Description, the server's own words", textLines(description, MOST_DESCRIPTION)),
    ...section("Hints, the server's own words", annotations === undefined ? [] : jsonLines(annotations)),
    ...section("Arguments", jsonLines(inputSchema)),
    ...section("Result", outputSchema === undefined ? [] : jsonLines(outputSchema)),
  ];
}

const section = (head: string, lines: readonly Line[]): readonly Line[] =>
  lines.length === 0 ? [] : [{ text: "" }, { text: head, look: "head" }, ...lines];

export function flagText({ pointer, message }: Flag): string {
  return `${at(pointer)}${visible(message)}`;
}

function flagLines(flag: Flag): readonly Line[] {
  const { excerpt } = flag;
  return [
    { text: `  ${flagText(flag)}`, look: "warn" },
    ...(excerpt === undefined ? [] : [{ text: `      ${visible(excerpt)}`, look: "dim" } as const]),
  ];
}

const MOST_POINTER = 120;
const at = (pointer: string): string =>
  pointer === "" ? "" : `${visible(pointer.length > MOST_POINTER ? `…${pointer.slice(-MOST_POINTER)}` : pointer)}: `;

function textLines(text: string, most: number): readonly Line[] {
  const shown = visibleLines(text.slice(0, most)).replaceAll("\t", "  ");
  const lines: Line[] = shown.split("\n").map((line) => ({ text: `  ${line}` }));
  if (text.length > most) lines.push({ text: `  … ${text.length - most} more characters are not shown`, look: "dim" });
  return text === "" ? [] : lines;
}

const jsonLines = (value: JsonValue): readonly Line[] => textLines(indentJson(canonicalJson(value)), MOST_SCHEMA);
