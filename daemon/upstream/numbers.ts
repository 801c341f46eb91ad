// Numbers that JavaScript would change. A double cannot hold every JSON number (12345678901234567890, 1e400, a fraction of 20
// digits): such a number is kept as its text. The usual message pays for one test of its text; digits inside strings can at worst
// cause the careful way, never a wrong value.
import { randomUUID } from "node:crypto";
import { compareNumber, LosslessNumber } from "lossless-json";
import { isNumberText } from "../contract/index.ts";

export interface ExactJson {
  readonly value: unknown;
  /** Some number in `value` is a NumberText. */
  readonly hasNumberText: boolean;
  /** Some number in the text is written otherwise than JavaScript would write it (1.0, 1e3, -0). */
  readonly unusual: boolean;
}

/**
 * A number (by what stands before it) of many digits, with an exponent, with zeros at the end of its fraction, very small, or -0.
 * In a compact text one of `[`, `:`, `,` stands before a number, else white space.
 */
const UNUSUAL = /[[:,\s]-?(?:\d[\d.]{15}|\d[\d.]*[eE][+-]?\d|\d+\.\d*0(?![\d.])|0\.0{6})|[[:,\s]-0(?![\d.])/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Marks a number's text among the strings for the time of one parse; no server can guess it. */
const MARK = `number ${randomUUID()} `;

/** Throws SyntaxError for what is no JSON, RangeError for what is nested too deep to be walked. */
export function parseExactly(text: string): ExactJson {
  const value: unknown = JSON.parse(text);
  if (!UNUSUAL.test(text)) return { value, hasNumberText: false, unusual: false };
  let unusual = false;
  let marked = "";
  let copied = 0;
  for (const [start, end] of outsideStrings(text)) {
    for (const match of text.slice(start, end).matchAll(NUMBER)) {
      const number = match[0];
      if (String(Number(number)) === number) continue;
      unusual = true;
      if (sameValue(number)) continue;
      const at = start + match.index;
      marked += `${text.slice(copied, at)}"${MARK}${number}"`;
      copied = at + number.length;
    }
  }
  if (copied === 0) return { value, hasNumberText: false, unusual };
  const exact: unknown = JSON.parse(marked + text.slice(copied), (_key, member: unknown) =>
    typeof member === "string" && member.startsWith(MARK) ? new LosslessNumber(member.slice(MARK.length)) : member,
  );
  return { value: exact, hasNumberText: true, unusual };
}

/** JSON text of a value in its own order of keys; a NumberText is written as the text it holds. Depth is the caller's to bound. */
export function exactText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('"isLosslessNumber":true') ? withNumberTexts(value) : text;
}

/** Whether the double has exactly the value that is written. */
function sameValue(number: string): boolean {
  const double = Number(number);
  return Number.isFinite(double) && compareNumber(number, String(double)) === 0;
}

/** The stretches of a valid JSON text that belong to no string. */
function* outsideStrings(text: string): Generator<readonly [start: number, end: number]> {
  let start = 0;
  for (;;) {
    const opening = text.indexOf('"', start);
    yield [start, opening === -1 ? text.length : opening];
    if (opening === -1) return;
    let closing = text.indexOf('"', opening + 1);
    while (isEscaped(text, closing)) closing = text.indexOf('"', closing + 1);
    start = closing + 1;
  }
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

function withNumberTexts(value: unknown): string {
  if (isNumberText(value)) return value.value;
  if (typeof value !== "object" || value === null) return value === undefined ? "null" : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(withNumberTexts).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${withNumberTexts(member)}`).join(",")}}`;
}
