// Changes one place of a JSON text with comments and leaves every other character as it is: comments, order, indentation, line
// ends. (`modify` of jsonc-parser lays out the neighbours anew and drops comments beside a removed member, so its tree and scanner
// are used and the edits are made here.) Pure; the text must be one that parses, and so is the result.
import { createScanner, findNodeAtLocation, parseTree, type JSONPath, type Node } from "jsonc-parser";
import type { JsonValue } from "../daemon/contract/index.ts";
import { layOut, type Layout } from "./layout.ts";

const LONG = 100;

/** Sets the member at `path`; objects on the way that are not there are made. Throws when an ancestor is no object. */
export function setAt(text: string, path: readonly [string, ...string[]], value: JsonValue): string {
  const root = rootOf(text);
  for (let depth = path.length; depth > 0; depth--) {
    const node = findNodeAtLocation(root, pathOf(path.slice(0, depth)));
    if (node === undefined) continue;
    if (depth === path.length) return replace(text, node.offset, node.length, layOut(value, layoutAt(text, node.offset)));
    return insert(text, node, path[depth] ?? "", nested(path.slice(depth + 1), value));
  }
  return insert(text, root, path[0], nested(path.slice(1), value));
}

/** Takes the member at `path` away; comments beside it stay. */
export function removeAt(text: string, path: readonly [string, ...string[]]): string {
  const property = findNodeAtLocation(rootOf(text), pathOf(path))?.parent;
  if (property === undefined) return text;
  const tokens = tokensOf(text);
  const end = property.offset + property.length;
  const next = tokens.find((token) => token.offset >= end && token.kind !== "comment");
  if (next?.kind === "comma") {
    const withoutComma = replace(text, next.offset, 1, "");
    return cutLine(withoutComma, property.offset, property.length);
  }
  const before = tokens.filter((token) => token.offset < property.offset && token.kind !== "comment").at(-1);
  // In one line: the comma goes with the blank behind it.
  if (before?.kind === "comma" && /^,[ \t]*$/.test(text.slice(before.offset, property.offset)))
    return replace(text, before.offset, end - before.offset, "");
  const shorter = cutLine(text, property.offset, property.length);
  // It was the last one: the comma before it goes, unless the file keeps commas there anyway.
  return before?.kind === "comma" ? replace(shorter, before.offset, 1, "") : shorter;
}

function rootOf(text: string): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root?.type !== "object") throw new Error("only an object can be edited");
  return root;
}

const pathOf = (keys: readonly string[]): JSONPath => [...keys];

function nested(keys: readonly string[], value: JsonValue): JsonValue {
  return keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
}

/** A new member behind the last one, on a line of its own where the object has lines. */
function insert(text: string, object: Node, key: string, value: JsonValue): string {
  if (object.type !== "object") throw new Error(`"${key}" cannot be set: what should hold it is no object`);
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const base = layoutAt(text, object.offset);
  const inLine = last !== undefined && !/[\r\n]/.test(text.slice(object.offset, close));
  const inner: Layout = inLine
    ? { ...base, inLine: true }
    : { ...base, indent: last === undefined ? base.indent + base.unit : layoutAt(text, last.offset).indent };
  const short = `${JSON.stringify(key)}: ${layOut(value, inner)}`;
  // Long things get lines also in an object that had none.
  const member = inLine && short.length > LONG ? `${JSON.stringify(key)}: ${layOut(value, base)}` : short;
  if (last === undefined) {
    // Behind the comments in it, whose own blanks are theirs.
    const comment = tokensOf(text).findLast((token) => token.offset > object.offset && token.offset < close);
    const from = comment === undefined ? object.offset + 1 : comment.offset + comment.length;
    return replace(text, from, close - from, [base.eol, inner.indent, member, base.eol, base.indent].join(""));
  }
  const end = last.offset + last.length;
  const tokens = tokensOf(text).filter((token) => token.offset >= end && token.offset < close);
  const comma = tokens.find((token) => token.kind === "comma");
  const tail = tokens.at(-1);
  // Behind the comments that belong to the last member, before the bracket.
  const at = Math.max(end, tail === undefined ? end : tail.offset + tail.length);
  const placed = replace(text, at, 0, `${inLine ? " " : base.eol + inner.indent}${member}${comma === undefined ? "" : ","}`);
  return comma === undefined ? replace(placed, end, 0, ",") : placed;
}

interface Token {
  readonly kind: "comma" | "comment" | "other";
  readonly offset: number;
  readonly length: number;
}

/** All but white space, told apart by how it begins. */
function tokensOf(text: string): readonly Token[] {
  const scanner = createScanner(text, false);
  const tokens: Token[] = [];
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const offset = scanner.getTokenOffset();
    const first = text[offset] ?? "";
    const kind = first === "," ? "comma" : first === "/" ? "comment" : "other";
    if (first.trim() !== "") tokens.push({ kind, offset, length: scanner.getTokenLength() });
  }
  return tokens;
}

/** Cuts a member; the line too, when nothing else stands on it. */
function cutLine(text: string, offset: number, length: number): string {
  const before = /[^\r\n]*$/.exec(text.slice(0, offset))?.[0] ?? "";
  const after = /^[^\r\n]*/.exec(text.slice(offset + length))?.[0] ?? "";
  if (before.trim() !== "") return replace(text, offset, length + (after.startsWith(" ") ? 1 : 0), "");
  if (after.trim() !== "") return replace(text, offset, length + after.length - after.trimStart().length, "");
  const lineEnd = /^\r\n|^[\r\n]/.exec(text.slice(offset + length + after.length))?.[0] ?? "";
  return replace(text, offset - before.length, before.length + length + after.length + lineEnd.length, "");
}

/** How the text is laid out around an offset: the indentation of its line, one step of indentation, line ends. */
function layoutAt(text: string, offset: number): Layout {
  const line = /[^\r\n]*$/.exec(text.slice(0, offset))?.[0] ?? "";
  const unit = /(?:^|[\r\n])([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return { indent: /^[ \t]*/.exec(line)?.[0] ?? "", unit, eol: /\r\n|\n|\r/.exec(text)?.[0] ?? "\n", inLine: false };
}

function replace(text: string, offset: number, length: number, content: string): string {
  return text.slice(0, offset) + content + text.slice(offset + length);
}
