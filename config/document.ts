// A JSON text as a tree in which every value and every key knows where it stands: JSON Pointer, line and column. Comments and
// trailing commas are taken, and no other departure from JSON. It never quotes the text: what stands there may be a secret.
// Keys are data in lists, never properties of an object, so `__proto__` is a key like any other.
import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import type { ConfigIssue } from "../daemon/contract/index.ts";

/** A place in the file, of a value or of a key. */
export interface Place {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
}

export interface Member {
  readonly key: string;
  /** Of the key. */
  readonly place: Place;
  readonly value: Value;
}

export interface ObjectValue {
  readonly kind: "object";
  readonly place: Place;
  readonly members: readonly Member[];
}

export type Value =
  | ObjectValue
  | { readonly kind: "array"; readonly place: Place; readonly items: readonly Value[] }
  | { readonly kind: "string"; readonly place: Place; readonly value: string }
  | { readonly kind: "number"; readonly place: Place; readonly value: number }
  | { readonly kind: "boolean"; readonly place: Place; readonly value: boolean }
  | { readonly kind: "null"; readonly place: Place };

export type ParsedDocument =
  { readonly kind: "ok"; readonly root: Value } | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

/** No configuration is deeper; a parser that recurses must not be led further. */
const MAX_DEPTH = 32;

/** Only the first syntax error is told: what a parser finds behind it is mostly its echo. */
export function parseDocument(text: string): ParsedDocument {
  const lines = new Lines(text);
  const refuse = (offset: number, message: string): ParsedDocument => ({
    kind: "refused",
    issues: [{ ...lines.place("", offset), message }],
  });
  const shape = scan(text, MAX_DEPTH);
  if (shape.kind === "deep")
    return refuse(shape.offset, `more than ${MAX_DEPTH} objects and arrays stand inside each other here`);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (shape.kind === "empty" && first?.offset === text.length)
    return refuse(0, 'the file is empty: write {"mcpServers": {}} into it, or copy the example');
  if (first !== undefined) return refuse(first.offset, syntaxMessage(first, text));
  if (root === undefined) return refuse(0, "this is not JSON");
  return { kind: "ok", root: valueOf(root, "", lines) };
}

/** The member at a path of keys; undefined where there is none. Of several with one key the first. */
export function memberAt(root: Value, path: readonly string[]): Member | undefined {
  let value: Value | undefined = root;
  let found: Member | undefined;
  for (const key of path) {
    found = value?.kind === "object" ? value.members.find((member) => member.key === key) : undefined;
    value = found?.value;
  }
  return found;
}

export function pointerTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Walks the tokens without recursion. A string starts with its quote, so the first character tells a bracket. */
export function scan(
  text: string,
  maxDepth: number,
): { readonly kind: "fit" | "empty" } | { readonly kind: "deep"; readonly offset: number } {
  const scanner = createScanner(text, true);
  let depth = 0;
  let tokens = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (scanner.getTokenLength() === 0) return { kind: tokens === 0 ? "empty" : "fit" };
    tokens += 1;
    const first = text[offset];
    if (first === "{" || first === "[") depth += 1;
    else if (first === "}" || first === "]") depth -= 1;
    if (depth > maxDepth) return { kind: "deep", offset };
  }
}

function valueOf(node: Node, pointer: string, lines: Lines): Value {
  const place = lines.place(pointer, node.offset);
  const children = node.children ?? [];
  switch (node.type) {
    case "object":
      return { kind: "object", place, members: children.flatMap((property) => memberOf(property, pointer, lines)) };
    case "array":
      return { kind: "array", place, items: children.map((item, index) => valueOf(item, `${pointer}/${index}`, lines)) };
    case "null":
      return { kind: "null", place };
    case "string":
    case "number":
    case "boolean":
    case "property":
      break;
  }
  const value: unknown = node.value;
  if (typeof value === "string") return { kind: "string", place, value };
  if (typeof value === "number") return { kind: "number", place, value };
  return { kind: "boolean", place, value: value === true };
}

function memberOf({ children: [name, value] = [] }: Node, parent: string, lines: Lines): Member[] {
  if (name === undefined || value === undefined) return [];
  const key = String(name.value);
  const pointer = pointerTo(parent, key);
  return [{ key, place: lines.place(pointer, name.offset), value: valueOf(value, pointer, lines) }];
}

export function syntaxMessage({ error, offset }: Pick<ParseError, "error" | "offset">, text: string): string {
  if (offset >= text.length) return "the file ends too early: something is not closed";
  switch (printParseErrorCode(error)) {
    case "InvalidSymbol":
      if (text[offset] === "'") return "a string takes double quotes";
      return "this is no JSON value: a string and a key take double quotes";
    case "PropertyNameExpected":
      return "a key in double quotes is expected here";
    case "ValueExpected":
      return "a value is expected here";
    case "ColonExpected":
      return "a colon is expected between a key and its value";
    case "CommaExpected":
      return "a comma is missing before this";
    case "CloseBraceExpected":
      return "a comma or } is expected here";
    case "CloseBracketExpected":
      return "a comma or ] is expected here";
    case "EndOfFileExpected":
      return "the file goes on behind its end: only one JSON value may stand in it";
    case "InvalidNumberFormat":
      return "this is no JSON number";
    case "UnexpectedEndOfComment":
      return "this comment is not closed";
    case "UnexpectedEndOfString":
      return "this string is not closed on its line";
    case "InvalidUnicode":
    case "InvalidEscapeCharacter":
      return "this string holds an escape that JSON does not know: a backslash is written \\\\";
    case "InvalidCharacter":
      return "this string holds a control character: write it as an escape, a tab as \\t";
    default:
      return "this is not JSON";
  }
}

/** Offsets to lines. */
class Lines {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (const match of text.matchAll(/\r\n|\r|\n/g)) this.#starts.push(match.index + match[0].length);
  }

  place(pointer: string, offset: number): Place {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { pointer, line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}
