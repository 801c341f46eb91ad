// How a value is written into a file that people read: an object a member a line, what is short and flat in one line.
import { isJsonObject, type JsonValue } from "../daemon/contract/index.ts";

export interface Layout {
  /** Of the line that the value begins on. */
  readonly indent: string;
  /** One step. */
  readonly unit: string;
  readonly eol: string;
  /** Everything in one line, because the text around it is. */
  readonly inLine: boolean;
}

interface Part {
  readonly head: string;
  readonly item: JsonValue;
}

const SHORT = 88;

export function layOut(value: JsonValue, layout: Layout): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const list = isJsonObject(value) ? undefined : value;
  const parts: readonly Part[] = isJsonObject(value)
    ? Object.entries(value).map(([key, item]) => ({ head: `${JSON.stringify(key)}: `, item }))
    : value.map((item) => ({ head: "", item }));
  const [open, close] = list !== undefined ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const flat = parts.every(({ item }) => typeof item !== "object" || item === null);
  const pad = list === undefined ? " " : "";
  const line = (): string =>
    `${open}${pad}${parts.map(({ head, item }) => head + layOut(item, { ...layout, inLine: true })).join(", ")}${pad}${close}`;
  // A member a line also for a short object of several members: they are what a person changes.
  if (layout.inLine || (flat && (list !== undefined || parts.length === 1) && line().length <= SHORT)) return line();
  const indent = layout.indent + layout.unit;
  const lines = parts.map(({ head, item }) => indent + head + layOut(item, { ...layout, indent, inLine: policyLike(item) }));
  return [open, lines.join(`,${layout.eol}`), layout.indent + close].join(layout.eol);
}

/** What stands for one tool stays in its line. */
function policyLike(item: JsonValue): boolean {
  return isJsonObject(item) && "effect" in item;
}
