// Reads a JSON-RPC answer: its `result`, together with the very text of it, or the daemon's error rebuilt as PoolError. The
// text is cut out and never written anew, so no number in it is rounded.
import { ERROR_TABLE, isJsonObject, PoolError, type ErrorReason } from "../daemon/contract/index.ts";
import type { PoolUnreachable } from "./pool-unreachable.ts";
import { notAPool } from "./pool-unreachable.ts";

export interface RpcResult {
  readonly value: unknown;
  readonly text: string;
}

/** Throws PoolError (the daemon refused) or PoolUnreachable (no JSON-RPC answer to this id). */
export function readRpcAnswer(text: string, id: number, status: number): RpcResult {
  const prefix = `{"jsonrpc":"2.0","id":${String(id)},"result":`;
  if (text.startsWith(prefix)) {
    // What follows is the result alone only if it parses alone: with a further member after it, it would not.
    const result = parsed(text.slice(prefix.length, -1));
    if (result !== undefined && text.endsWith("}")) return result;
  }
  const answer = parsed(text)?.value;
  if (!isJsonObject(answer)) throw notAPool(`it sent no JSON-RPC answer (HTTP ${String(status)})`);
  if ("error" in answer) throw errorOf(answer.error);
  if (!("result" in answer) || answer.id !== id) throw notAPool(`it answered another request than ${String(id)}`);
  return { value: answer.result, text: memberText(text, "result") ?? "" };
}

/** The body of a REST route; the errors of CONTRACT section 1 become PoolError. */
export function readRestAnswer(text: string, status: number): string {
  if (status >= 200 && status < 300) return text;
  const body = parsed(text)?.value;
  if (isJsonObject(body) && "error" in body) throw errorOf(body.error);
  throw notAPool(`HTTP ${String(status)}`);
}

function parsed(text: string): RpcResult | undefined {
  try {
    return { value: JSON.parse(text), text };
  } catch {
    return undefined;
  }
}

const isReason = (name: unknown): name is ErrorReason => typeof name === "string" && Object.hasOwn(ERROR_TABLE, name);

/** `data.reason` counts (REST: `reason`); a reason this client does not know yet is taken by its code. */
function errorOf(error: unknown): PoolError | PoolUnreachable {
  if (!isJsonObject(error) || typeof error.message !== "string") return notAPool("its error has no message");
  const { reason: inData, retryable: _, ...data } = isJsonObject(error.data) ? error.data : {};
  const named = inData ?? error.reason;
  if (isReason(named)) return new PoolError(named, error.message, data);
  const byCode = Object.entries(ERROR_TABLE).find(([, row]) => row.code === error.code)?.[0];
  const known = isReason(byCode) ? byCode : "internal_error";
  return new PoolError(known, error.message, named === undefined ? data : { ...data, reportedReason: named });
}

/** The text of a top-level member of a JSON object that is known to parse; the last one counts, as with JSON.parse. */
export function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let key: string | undefined;
  let valueFrom = -1;
  const take = (end: number): void => {
    if (key === name && valueFrom >= 0) found = json.slice(valueFrom, end).trim();
    key = undefined;
    valueFrom = -1;
  };
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === '"') {
      const end = stringEnd(json, at);
      if (depth === 1 && valueFrom < 0) key = String(JSON.parse(json.slice(at, end)));
      at = end - 1;
    } else if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") {
      if (--depth === 0) take(at);
    } else if (depth === 1 && sign === ":") valueFrom = at + 1;
    else if (depth === 1 && sign === ",") take(at);
  }
  return found;
}

/** The index after the closing quote of the string that begins at `from`. */
function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}
