// How changes of a tool are shown: text word by word, schemas and hints line by line as laid-out JSON. Every line says by its first
// sign what it is (`-` was, `+` is), with and without colours; what the server wrote is made visible. The work and the lines are
// bounded: what is too different to compare is shown as it was and as it is.
import { diffWordsWithSpace, structuredPatch } from "diff";
import { canonicalJson, type JsonValue } from "../../daemon/contract/index.ts";
import type { Colours } from "../output/colours.ts";
import { indentJson } from "../output/json-text.ts";
import { visible, visibleLines } from "../output/visible.ts";
import type { FieldChange } from "./tool-changes.ts";

/** Longer text is compared up to here. */
const MOST_COMPARED = 64 * 1_024;
const MOST_EDITS = 2_000;
const MOST_LINES = 200;

const LABELS: Readonly<Record<FieldChange["field"], string>> = {
  name: "name",
  title: "title",
  description: "description",
  annotations: "hints (annotations)",
  inputSchema: "arguments (inputSchema)",
  outputSchema: "result (outputSchema)",
};

/** One string a line. */
export function changeLines(changes: readonly FieldChange[], colours: Colours): readonly string[] {
  return changes.flatMap((change) => [
    colours.bold(headOf(change)),
    ...bounded(bodyOf(change, colours)).map((line) => `  ${line}`),
  ]);
}

function headOf({ field, before, after }: FieldChange): string {
  const what = before === undefined ? "was added" : after === undefined ? "was removed" : "changed";
  return `${LABELS[field]} ${what}`;
}

function bodyOf({ before, after }: FieldChange, colours: Colours): readonly string[] {
  if (before === undefined || after === undefined) return [...was(before, colours), ...is(after, colours)];
  if (typeof before === "string" && typeof after === "string") return wordLines(before, after, colours);
  return jsonLines(layOut(before), layOut(after), colours);
}

const layOut = (value: JsonValue): string => (typeof value === "string" ? value : indentJson(canonicalJson(value)));
const linesOf = (value: JsonValue | undefined): readonly string[] =>
  value === undefined ? [] : compared(layOut(value)).split("\n").map(shown);
const was = (value: JsonValue | undefined, { red }: Colours): readonly string[] => linesOf(value).map((line) => red(`- ${line}`));
const is = (value: JsonValue | undefined, { green }: Colours): readonly string[] =>
  linesOf(value).map((line) => green(`+ ${line}`));
const shown = (line: string): string => visible(line.replaceAll("\t", "  "));

function compared(text: string): string {
  const missing = text.length - MOST_COMPARED;
  return missing > 0 ? `${text.slice(0, MOST_COMPARED)}\n… ${missing} more characters` : text;
}

interface TextLine {
  text: string;
  changed: boolean;
}

/** The old text with what went, the new one with what came; what changed stands in brackets, so that it is seen without colours. */
function wordLines(before: string, after: string, colours: Colours): readonly string[] {
  const parts = diffWordsWithSpace(compared(before), compared(after), { maxEditLength: MOST_EDITS });
  if (parts === undefined) return [...was(before, colours), ...is(after, colours)];
  const side = (other: "added" | "removed", paint: (text: string) => string, sign: string): readonly string[] => {
    const lines: TextLine[] = [{ text: `${paint(sign)} `, changed: false }];
    for (const part of parts) {
      if (part[other]) continue;
      const isChange = part.added || part.removed;
      for (const [at, piece] of visibleLines(part.value).split("\n").entries()) {
        if (at > 0) lines.push({ text: `${paint(sign)} `, changed: false });
        const line = lines.at(-1);
        if (line === undefined) continue;
        if (piece !== "") line.text += isChange ? colours.bold(paint(`[${piece}]`)) : paint(piece);
        line.changed ||= isChange;
      }
    }
    return aroundChanges(lines);
  };
  return [...side("added", colours.red, "-"), ...side("removed", colours.green, "+")];
}

/** Of a long text the lines that changed, and those beside them. */
function aroundChanges(lines: readonly TextLine[]): readonly string[] {
  if (lines.length <= 12) return lines.map(({ text }) => text);
  const kept = lines.map((_, at) => lines.slice(Math.max(0, at - 1), at + 2).some(({ changed }) => changed));
  return lines.flatMap(({ text }, at) => (kept[at] === true ? [text] : kept[at - 1] === true || at === 0 ? ["  …"] : []));
}

function jsonLines(before: string, after: string, colours: Colours): readonly string[] {
  const patch = structuredPatch("", "", compared(before), compared(after), "", "", { context: 2, maxEditLength: MOST_EDITS });
  if (patch === undefined) return [...was(before, colours), ...is(after, colours)];
  return patch.hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : [colours.dim("  …")]),
    ...lines.filter((line) => !line.startsWith("\\")).map((line) => paintLine(line, colours)),
  ]);
}

function paintLine(line: string, colours: Colours): string {
  const text = `${line.slice(0, 1)} ${shown(line.slice(1))}`;
  if (line.startsWith("+")) return colours.green(text);
  return line.startsWith("-") ? colours.red(text) : colours.dim(text);
}

function bounded(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`];
}
