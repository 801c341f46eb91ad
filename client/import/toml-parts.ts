// TOML as the same tree that JSON gives. The parser tells no places, so an entry stands where its table's head is written, found
// by its name; a value without a head of its own stands where its table does.
import { parse, TomlError } from "smol-toml";
import { pointerTo, type Member, type Place, type Value } from "../../config/document.ts";
import type { DocumentParts } from "../../config/document-part.ts";

/** The text is never quoted: what stands there may be a secret. */
export function partsOfToml(text: string, paths: readonly (readonly string[])[]): DocumentParts {
  let root: unknown;
  try {
    root = parse(text);
  } catch (error) {
    const place = error instanceof TomlError ? { line: error.line, column: error.column } : {};
    return { kind: "refused", issues: [{ pointer: "", message: "this is not TOML from here on", ...place }] };
  }
  const parts = paths.flatMap((path) => {
    const value = path.reduce<unknown>((at, key) => (isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
    return value === undefined
      ? []
      : [{ path, value: treeOf(value, { pointer: `/${path.join("/")}`, ...headOf(text, path) }, path, text) }];
  });
  return { kind: "ok", parts, issues: [] };
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function treeOf(value: unknown, place: Place, path: readonly string[], text: string): Value {
  if (typeof value === "string") return { kind: "string", place, value };
  if (typeof value === "number" || typeof value === "bigint") return { kind: "number", place, value: Number(value) };
  if (typeof value === "boolean") return { kind: "boolean", place, value };
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) =>
      treeOf(item, { ...place, pointer: `${place.pointer}/${index}` }, path, text),
    );
    return { kind: "array", place, items };
  }
  if (!isTable(value)) return { kind: "null", place };
  const members = Object.entries(value).map(([key, inner]): Member => {
    const head = isTable(inner) ? headOf(text, [...path, key]) : undefined;
    const at = { ...place, ...head, pointer: pointerTo(place.pointer, key) };
    return { key, place: at, value: treeOf(inner, at, [...path, key], text) };
  });
  return { kind: "object", place, members };
}

/** `[a.b]`, `["a".'b']`, `[a.b.c]`, or `b = {` below `[a]`: the first line that names it. */
function headOf(text: string, path: readonly string[]): { readonly line: number; readonly column: number } {
  const key = (name: string): string => `(?:"${escaped(name)}"|'${escaped(name)}'|${escaped(name)})`;
  const table = `\\[\\s*${path.map(key).join("\\s*\\.\\s*")}\\s*[\\].]`;
  const inline = path.length > 1 ? `|(?:${key(path.at(-2) ?? "")}\\s*\\.\\s*)?${key(path.at(-1) ?? "")}\\s*[.=]` : "";
  const lines = text.split(/\r\n|\n|\r/);
  const find = (pattern: string): number => {
    const line = new RegExp(`^\\s*(?:${pattern})`);
    return lines.findIndex((each) => line.test(each));
  };
  const found = find(table);
  const at = found === -1 && inline !== "" ? find(inline.slice(1)) : found;
  return { line: Math.max(0, at) + 1, column: 1 };
}

const escaped = (name: string): string => name.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
