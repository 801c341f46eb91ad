// An outcome as the model reads it (CONTRACT section 5): an error as `Error [<code>]: <message>` with its details line by line,
// anything else as the daemon's own JSON text. Only a text too large for any conversation is shortened, and says so.
import { isErrorOutcome, isJsonObject, type ErrorOutcome, type JsonValue } from "../../daemon/contract/index.ts";
import type { ToolReply } from "../pool-port.ts";

/** In characters: a single result larger than this would make the conversation unusable. */
export const LONGEST_RESULT = 200_000;
/** Encoded pictures and sounds are left out first; as text they say nothing. */
const LARGE_DATA = 1_000;

export function replyText({ outcome, text }: ToolReply): string {
  if (isErrorOutcome(outcome)) return errorText(outcome.error);
  if (text.length <= LONGEST_RESULT) return text;
  const content = "content" in outcome ? outcome.content : [];
  return shortened(content.reduce(withoutData, text));
}

export function errorText(error: ErrorOutcome["error"]): string {
  const { code, message, issues = [], details, ...rest } = error;
  const lines = Object.entries(rest).map(([name, value]) => `${name}: ${String(value)}`);
  const found = issues.map(({ pointer, message: what }) => `${pointer === "" ? "(whole)" : pointer}: ${what}`);
  return problemText(code, message, [...lines, ...found, ...detailLines(details)]);
}

export function problemText(code: string, message: string, lines: readonly string[] = []): string {
  return [`Error [${code}]: ${message}`, ...lines].join("\n");
}

/** Text of any length, cut with a mark where it is too long. */
export function shortened(text: string): string {
  if (text.length <= LONGEST_RESULT) return text;
  const head = text.slice(0, LONGEST_RESULT).replace(/[\ud800-\udbff]$/, "");
  return `${head}\n… [${String(text.length - head.length)} characters left out]`;
}

/** The data is base64: it stands in the text as it is, without escapes. */
function withoutData(text: string, block: JsonValue): string {
  if (!isJsonObject(block)) return text;
  const { data } = block;
  if (typeof data !== "string" || data.length < LARGE_DATA) return text;
  return text.replace(`"${data}"`, () => `"[${String(data.length)} characters of encoded data left out]"`);
}

function detailLines(details: unknown): readonly string[] {
  if (details === undefined || details === null) return [];
  if (Array.isArray(details)) return details.map((entry) => JSON.stringify(entry));
  if (!isJsonObject(details)) return [JSON.stringify(details)];
  return Object.entries(details).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}
