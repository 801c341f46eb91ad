// Old against new, field by field: what was reviewed and what is there now. Texts word by word, schemas and lists line by line; all
// of it made visible and bounded.
import { diffLines, diffWordsWithSpace, type ChangeObject } from "diff";
import { canonicalJson, type JsonObject, type JsonValue, type WrittenLaunch } from "../../daemon/contract/index.ts";
import type { Colours } from "../output/colours.ts";
import { indentJson } from "../output/json-text.ts";
import { visible, visibleLines } from "../output/visible.ts";

/** Longer values are said to differ and shown from their beginning. */
const MAX_SHOWN = 8_000;
const MAX_LINES = 60;
/** What differs in more places is shown as it was and as it is: comparing takes quadratic time in their number. */
const MAX_EDITS = 1_500;

export interface FieldChange {
  readonly field: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Members that differ, in the order of the fields. `before` undefined: everything is new. */
export function fieldChanges(before: JsonObject | undefined, after: JsonObject): readonly FieldChange[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after)]);
  return [...fields].flatMap((field) => {
    const change = { field, before: before?.[field], after: after[field] };
    return canonicalJson(change.before) === canonicalJson(change.after) ? [] : [change];
  });
}

export function launchChanges(before: WrittenLaunch, after: WrittenLaunch): readonly FieldChange[] {
  return fieldChanges({ ...before }, { ...after });
}

/** One string a line. `-` and `+` tell without colours. */
export function changeLines({ field, before, after }: FieldChange, colours: Colours): readonly string[] {
  const head = colours.bold(`${visible(field)}:`);
  if (before === undefined) return [`${head} ${colours.green("new")}`, ...valueLines("+", after, colours)];
  if (after === undefined) return [`${head} ${colours.red("gone")}`, ...valueLines("-", before, colours)];
  if (typeof before === "string" && typeof after === "string") return [head, ...textLines(before, after, colours)];
  const parts = diffLines(laidOut(before), laidOut(after), { maxEditLength: MAX_EDITS });
  if (parts === undefined) return [head, ...valueLines("-", before, colours), ...valueLines("+", after, colours)];
  return [head, ...bounded(parts.flatMap((part) => partLines(part, colours)))];
}

function textLines(before: string, after: string, colours: Colours): readonly string[] {
  const was = before.slice(0, MAX_SHOWN);
  const is = after.slice(0, MAX_SHOWN);
  const parts = diffWordsWithSpace(was, is, { maxEditLength: MAX_EDITS }) ?? apart(was, is);
  const side = (left: boolean): string => {
    const paint = left ? colours.red : colours.green;
    return parts
      .filter(({ added, removed }) => (left ? !added : !removed))
      .map(({ value, added, removed }) => (added || removed ? paint(visible(value)) : visible(value)))
      .join("");
  };
  const cutOff = Math.max(before.length, after.length) > MAX_SHOWN ? [`  … more than ${String(MAX_SHOWN)} characters`] : [];
  return [`${colours.red("-")} ${side(true)}`, `${colours.green("+")} ${side(false)}`, ...cutOff];
}

const apart = (was: string, is: string): ChangeObject<string>[] => [
  { value: was, added: false, removed: true, count: 1 },
  { value: is, added: true, removed: false, count: 1 },
];

function partLines({ value, added, removed }: ChangeObject<string>, colours: Colours): readonly string[] {
  const lines = value.replace(/\n$/, "").split("\n").map(visible);
  if (added) return lines.map((line) => colours.green(`+ ${line}`));
  if (removed) return lines.map((line) => colours.red(`- ${line}`));
  // What is the same is shown as far as it tells the place.
  const near = lines.length <= 4 ? lines : [...lines.slice(0, 2), "…", ...lines.slice(-2)];
  return near.map((line) => colours.dim(`  ${line}`));
}

function valueLines(sign: "+" | "-", value: JsonValue | undefined, colours: Colours): readonly string[] {
  const paint = sign === "+" ? colours.green : colours.red;
  return bounded(
    laidOut(value ?? null)
      .split("\n")
      .map((line) => paint(`${sign} ${visible(line)}`)),
  );
}

function laidOut(value: JsonValue): string {
  if (typeof value === "string") return visibleLines(value.slice(0, MAX_SHOWN));
  return indentJson(canonicalJson(value)).slice(0, MAX_SHOWN * 4);
}

function bounded(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `  … ${String(lines.length - MAX_LINES)} more lines differ`];
}
