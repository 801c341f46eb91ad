// Whether a text block says the same JSON as the structured content: by value, numbers compared as the text they were written
// in (1 is not 1.0, and two integers that one double would hold for both are two).
import { isLosslessNumber, LosslessNumber, parse } from "lossless-json";
import { canonicalJson, isJsonObject } from "../contract/index.ts";

/** A number that JavaScript would write otherwise than it stands: fraction zeros, exponents, minus zero, many digits. */
const UNUSUAL_NUMBER = /\d\.\d*0(?!\d)|\d[eE]|-0(?![.\d])|\d{16}/;

/** The structured content's canonical text with its numbers as they were written. */
export function structuredText(structured: unknown, line: string | undefined): string {
  if (line !== undefined && UNUSUAL_NUMBER.test(line)) {
    const message = asObject(parseKeepingNumbers(line));
    const result = asObject(message?.result);
    if (result !== undefined && Object.hasOwn(result, "structuredContent")) return canonicalJson(result.structuredContent);
  }
  return canonicalJson(structured);
}

/** `structured` is the canonical text made by `structuredText`. */
export function saysTheSame(text: string, structured: string): boolean {
  let rounded: string;
  try {
    rounded = canonicalJson(JSON.parse(text));
  } catch {
    return false;
  }
  if (!UNUSUAL_NUMBER.test(text)) return rounded === structured;
  return canonicalJson(parseKeepingNumbers(text)) === structured;
}

const parseKeepingNumbers = (text: string): unknown => parse(text, undefined, (value) => new LosslessNumber(value));

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isJsonObject(value) && !isLosslessNumber(value) ? value : undefined;
}
