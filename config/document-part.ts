// Parts of a JSON text that is large and mostly none of our business (a program's state with years of history in it): only what
// stands at the asked paths is built as a tree, with its place in the whole text; the rest is checked and passed over.
import { visit, type JSONPath, type ParseErrorCode } from "jsonc-parser";
import type { ConfigIssue } from "../daemon/contract/index.ts";
import { parseDocument, scan, syntaxMessage, type Place, type Value } from "./document.ts";

export interface DocumentPart {
  readonly path: readonly string[];
  readonly value: Value;
}

export type DocumentParts =
  /** `issues`: parts that are too deep to be read. */
  | { readonly kind: "ok"; readonly parts: readonly DocumentPart[]; readonly issues: readonly ConfigIssue[] }
  | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

/** What only is passed over may be deeper than a configuration, and must not be so deep that passing over it ends the stack. */
const MAX_DEPTH = 500;

/** A path that is not there has no part. The first syntax error anywhere refuses the text, as it does for its owner. */
export function partsOfDocument(text: string, paths: readonly (readonly string[])[]): DocumentParts {
  const shape = scan(text, MAX_DEPTH);
  if (shape.kind === "empty" && !/[^\s]/.test(text)) return refuse({ message: "the file is empty" });
  if (shape.kind === "deep") return refuse({ message: `more than ${MAX_DEPTH} objects and arrays stand inside each other` });
  const failure = firstError(text);
  if (failure !== undefined) {
    const { line, column } = failure;
    return refuse({ message: syntaxMessage(failure, text), line: line + 1, column: column + 1 });
  }
  const read = spansAt(text, paths).map((span) => ({ span, part: parseDocument(text.slice(span.offset, span.end)) }));
  return {
    kind: "ok",
    parts: read.flatMap(({ span, part }) => (part.kind === "ok" ? [{ path: span.path, value: moved(part.root, span) }] : [])),
    issues: read.flatMap(({ span, part }) =>
      part.kind === "refused" ? part.issues.map((issue) => movedIssue(issue, span)) : [],
    ),
  };
}

function refuse(issue: Omit<ConfigIssue, "pointer">): DocumentParts {
  return { kind: "refused", issues: [{ pointer: "", ...issue }] };
}

/** With its places in the whole text. */
function moved(value: Value, span: Span): Value {
  const place = movedPlace(value.place, span);
  switch (value.kind) {
    case "object":
      return {
        ...value,
        place,
        members: value.members.map((member) => ({
          ...member,
          place: movedPlace(member.place, span),
          value: moved(member.value, span),
        })),
      };
    case "array":
      return { ...value, place, items: value.items.map((item) => moved(item, span)) };
    default:
      return { ...value, place };
  }
}

function movedPlace(place: Place, { line, column }: Span): Place {
  return { ...place, line: place.line + line, column: place.line === 1 ? place.column + column : place.column };
}

function movedIssue(issue: ConfigIssue, span: Span): ConfigIssue {
  const { pointer, line = 1, column = 1 } = issue;
  return { ...issue, ...movedPlace({ pointer, line, column }, span) };
}

interface Failure {
  readonly error: ParseErrorCode;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** On its own: beside callbacks that pass things over, errors in what is passed over would be passed over too. */
function firstError(text: string): Failure | undefined {
  const failures: Failure[] = [];
  const onError = (error: ParseErrorCode, offset: number, _: number, line: number, column: number): void => {
    if (failures.length === 0) failures.push({ error, offset, line, column });
  };
  visit(text, { onError }, { allowTrailingComma: true });
  return failures[0];
}

interface Span {
  readonly path: readonly string[];
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  end: number;
}

function spansAt(text: string, paths: readonly (readonly string[])[]): readonly Span[] {
  const spans: Span[] = [];
  let open: Span | undefined;
  const begin = (offset: number, length: number, line: number, column: number, path: JSONPath): Span | undefined => {
    const wanted = paths.find((keys) => keys.length === path.length && keys.every((key, depth) => path[depth] === key));
    if (wanted === undefined) return undefined;
    const span = { path: wanted, offset, line, column, end: offset + length };
    spans.push(span);
    return span;
  };
  const enter = (offset: number, length: number, line: number, column: number, supply: () => JSONPath): boolean => {
    const path = supply();
    open = begin(offset, length, line, column, path);
    return open === undefined && paths.some((keys) => path.every((key, depth) => keys[depth] === key));
  };
  // Nothing inside a span is entered, so the first end behind its begin is its own.
  const leave = (offset: number, length: number): void => {
    if (open !== undefined) open.end = offset + length;
    open = undefined;
  };
  visit(
    text,
    {
      onObjectBegin: enter,
      onObjectEnd: leave,
      onArrayBegin: enter,
      onArrayEnd: leave,
      onLiteralValue: (_, offset, length, line, column, path) => void begin(offset, length, line, column, path()),
    },
    { allowTrailingComma: true },
  );
  return spans;
}
