// Finds numbers in a JSON text whose value a double cannot hold: digits beyond its precision, an exponent beyond its range. Nearly
// no request has one, so a first look at the raw text (one regular expression, no parsing) decides whether anything more is
// done. Numbers are compared by value: 1.0, 1e2 and 0.1 are held, as is any number that JSON writes back to the same value.
// The walk trusts that JSON.parse has accepted the text; it does not recurse, so depth costs nothing.
import { compareNumber } from "lossless-json";

export type Step = string | number;

export interface LossyNumber {
  /** Member names and array indexes from the root. */
  readonly path: readonly Step[];
  /** The number as it is written. */
  readonly text: string;
}

/** Fifteen digits are always held, as are exponents of two digits with them. May be true for a string that looks so. */
export function mayBeLossy(json: string): boolean {
  return /[:,[\s]-?(?:[0-9][0-9.]{15,}|[0-9.]+[eE][+-]?[0-9]{3,})/.test(json);
}

export function isLossy(number: string): boolean {
  const held = Number(number);
  return !Number.isFinite(held) || compareNumber(number, String(held)) !== 0;
}

/** Every lossy number whose place `wanted` accepts; the path it is asked about is its own only while it is called. */
export function lossyNumbers(json: string, wanted: (path: readonly Step[]) => boolean): readonly LossyNumber[] {
  const found: LossyNumber[] = [];
  const path: Step[] = [];
  let at = 0;
  while (at < json.length) {
    const sign = json.charCodeAt(at);
    if (sign === QUOTE) {
      const end = stringEnd(json, at);
      // A string is a member's name exactly if a colon follows it.
      const colon = skipSpace(json, end);
      if (json.charCodeAt(colon) === COLON) {
        path[path.length - 1] = String(JSON.parse(json.slice(at, end)));
        at = colon + 1;
      } else at = end;
    } else if (sign === OPEN_BRACE || sign === OPEN_BRACKET) {
      path.push(sign === OPEN_BRACKET ? 0 : "");
      at++;
    } else if (sign === CLOSE_BRACE || sign === CLOSE_BRACKET) {
      path.pop();
      at++;
    } else if (sign === COMMA) {
      const last = path.at(-1);
      if (typeof last === "number") path[path.length - 1] = last + 1;
      at++;
    } else if (sign === MINUS || (sign >= ZERO && sign <= NINE)) {
      const end = numberEnd(json, at);
      const text = json.slice(at, end);
      if (isLossy(text) && wanted(path)) found.push({ path: [...path], text });
      at = end;
    } else at++;
  }
  return found;
}

/** RFC 6901. */
export function toPointer(path: readonly Step[]): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

const [QUOTE, COLON, COMMA, MINUS, ZERO, NINE] = [0x22, 0x3a, 0x2c, 0x2d, 0x30, 0x39] as const;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const BACKSLASH = 0x5c;

/** The index after the closing quote of the string that begins at `from`. */
function stringEnd(json: string, from: number): number {
  for (let at = from + 1; ; at++) {
    const sign = json.charCodeAt(at);
    if (sign === BACKSLASH) at++;
    else if (sign === QUOTE || Number.isNaN(sign)) return at + 1;
  }
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= 0x20) at++;
  return at;
}

function numberEnd(json: string, from: number): number {
  let at = from + 1;
  while (/[0-9.eE+-]/.test(json.charAt(at))) at++;
  return at;
}
