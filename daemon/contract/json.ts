// JSON as this project handles it: plain value types, and one text form with object keys in code-unit order, so that equal
// content gives equal bytes. A number whose text must survive (lossless-json's LosslessNumber) is written as that text.

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A number kept as the text it arrived in, because a double cannot hold it. The shape of lossless-json's class. */
export interface NumberText {
  readonly isLosslessNumber: true;
  readonly value: string;
}

/** True only where `value` is the text of one JSON number: a server's own object may look like this, and its text is not trusted. */
export function isNumberText(value: unknown): value is NumberText {
  if (typeof value !== "object" || value === null) return false;
  const { isLosslessNumber, value: text } = value as { isLosslessNumber?: unknown; value?: unknown };
  return isLosslessNumber === true && typeof text === "string" && JSON_NUMBER.test(text);
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isNumberText(value);
}

/**
 * The canonical text of a JSON value: no white space, object keys in UTF-16 code-unit order, `undefined` members left out.
 * The depth of what is passed must be bounded by the caller (admission and the call path do so): the walk is recursive.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === undefined ? "null" : JSON.stringify(value);
  if (isNumberText(value)) return value.value;
  if (Array.isArray(value)) {
    let text = "[";
    for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + canonicalJson(value[i]);
    return text + "]";
  }
  const record = value as Readonly<Record<string, unknown>>;
  let text = "{";
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member === undefined) continue;
    text += (text === "{" ? "" : ",") + JSON.stringify(key) + ":" + canonicalJson(member);
  }
  return text + "}";
}

/** Freezes a JSON tree in place, without recursion, and returns it. */
export function deepFreeze<T>(root: T): T {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const member of Object.values(value)) open.push(member);
  }
  return root;
}

/** Order by UTF-16 code units: the one order of names in this project (no locale). */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** For the end of a switch over a closed union: a new variant without its case is a type error. */
export function assertNever(value: never): never {
  throw new TypeError(`unreachable variant: ${JSON.stringify(value)}`);
}
