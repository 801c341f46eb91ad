// Reads one line of a server's stdout as JSON-RPC 2.0, by a cheap look at its shape instead of a schema. What it gives out is ours
// in every member that the SDK will see; the server's own content travels untouched inside an answer. Everything that is no
// message is noise: it is counted and never settles a call.
import { parseExactly, type ExactJson } from "./numbers.ts";
import { ownerOf } from "./overlong.ts";
import type { RawResult } from "./port.ts";

/** How a request of ours was answered. No text of the server's error is kept. */
export type Answer =
  | { readonly kind: "result"; readonly raw: RawResult }
  | { readonly kind: "remote_error"; readonly code: number | undefined }
  | { readonly kind: "too_large"; readonly sizeBytes: number };

export type Reading =
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  /** The server asks us something. */
  | { readonly kind: "request"; readonly id: number | string; readonly method: string }
  | { readonly kind: "progress"; readonly token: number }
  | { readonly kind: "tools_changed" }
  /** A notification of which nothing follows for us. */
  | { readonly kind: "notification" }
  | { readonly kind: "noise" };

const NOISE: Reading = Object.freeze({ kind: "noise" });
/** Colours that a logger left on the line before a message. */
const ANSI = /^(?:\u001B\[[0-9;?]*[A-Za-z])+/;

/** Several for a batch (allowed in the revision 2025-03-26). `bytes` is the size of the line. */
export function readLine(line: string, bytes: number): readonly Reading[] {
  const text = line.startsWith("\u001B") ? line.replace(ANSI, "") : line;
  // Most noise is text: it shall not cost an exception.
  if (!/^\s*[{[]/.test(text)) return [NOISE];
  let parsed: ExactJson;
  try {
    parsed = parseExactly(text);
  } catch (error) {
    return [error instanceof RangeError ? unfollowable(text) : NOISE];
  }
  if (!Array.isArray(parsed.value)) return [read(parsed.value, text, bytes, parsed)];
  const batch: readonly unknown[] = parsed.value;
  return batch.length === 0 ? [NOISE] : batch.map((message) => read(message, text, bytes, parsed));
}

function read(message: unknown, line: string, bytes: number, { hasNumberText, unusual }: ExactJson): Reading {
  if (typeof message !== "object" || message === null || !("jsonrpc" in message) || message.jsonrpc !== "2.0") return NOISE;
  const id = "id" in message ? message.id : undefined;
  if ("method" in message) {
    const { method } = message;
    if (typeof method !== "string") return NOISE;
    if (id === undefined) return readNotification(method, "params" in message ? message.params : undefined);
    return typeof id === "string" || isInteger(id) ? { kind: "request", id, method } : NOISE;
  }
  const own = ownId(id);
  if (own === undefined) return NOISE;
  if ("error" in message && message.error !== null && message.error !== undefined) {
    return { kind: "answer", id: own, answer: { kind: "remote_error", code: codeOf(message.error) } };
  }
  if (!("result" in message)) return NOISE;
  const raw: RawResult = { value: message.result, bytes, hasNumberText, ...(unusual ? { line } : {}) };
  return { kind: "answer", id: own, answer: { kind: "result", raw } };
}

function readNotification(method: string, params: unknown): Reading {
  switch (method) {
    case "notifications/tools/list_changed":
      return { kind: "tools_changed" };
    case "notifications/progress": {
      const token =
        typeof params === "object" && params !== null && "progressToken" in params ? ownId(params.progressToken) : undefined;
      return token === undefined ? NOISE : { kind: "progress", token };
    }
    default:
      return { kind: "notification" };
  }
}

/** Our ids are integers; some servers give them back as text. */
export function ownId(id: unknown): number | undefined {
  if (isInteger(id)) return id;
  return typeof id === "string" && /^(?:0|[1-9][0-9]{0,14})$/.test(id) ? Number(id) : undefined;
}

function codeOf(error: unknown): number | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return isInteger(code) ? code : undefined;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Valid JSON, but nested deeper than can be walked: whoever waits for it is told that it failed. */
function unfollowable(text: string): Reading {
  const owner = ownerOf(text.slice(0, 8192), text.slice(-256));
  const id = owner.kind === "answer" ? ownId(owner.id) : undefined;
  return id === undefined ? NOISE : { kind: "answer", id, answer: { kind: "remote_error", code: undefined } };
}
