// What an answer looks like: its headers, the body of an error on either kind of route, and what becomes of a fault of ours.
// A fault's own text is never shown: the caller gets a fixed sentence and a reference, the log gets the reference and the
// places in the code.
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { PoolError } from "../contract/index.ts";
import type { HttpLog } from "./ports.ts";

export const JSON_TYPE = "application/json; charset=utf-8";

/** No answer is cached or guessed at; there is no CORS header anywhere. */
export const COMMON_HEADERS = Object.freeze({ "cache-control": "no-store", "x-content-type-options": "nosniff" });

export type Surface = "rest" | "rpc";

export function surfaceOf(path: string): Surface {
  return path === "/rpc" ? "rpc" : "rest";
}

/** On `/rpc` only refusals of HTTP's own concern have an HTTP status; everything else is JSON-RPC's. */
export function statusOf(error: PoolError, surface: Surface): number {
  return surface === "rest" || HTTP_LEVEL.has(error.http) ? error.http : 200;
}

const HTTP_LEVEL: ReadonlySet<number> = new Set([401, 403, 405, 413, 415]);

/** The text of an error answer. On `/rpc` the HTTP-level refusals carry a JSON-RPC error whose id is not known. */
export function errorText(error: PoolError, surface: Surface): string {
  return surface === "rpc" ? rpcError("null", error) : JSON.stringify(error.toRest());
}

/** `id` is the JSON text of the request's id. */
export function rpcError(id: string, error: PoolError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error.toRpc())}}`;
}

/** `id` and `result` are JSON texts. */
export function rpcResult(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** Answers a request that never reached a route. A body still on its way is received and dropped by Node. */
export function sendError(
  response: ServerResponse,
  error: PoolError,
  surface: Surface,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = errorText(error, surface);
  response.writeHead(error.http, {
    ...COMMON_HEADERS,
    ...headers,
    "content-type": JSON_TYPE,
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

export class Faults {
  readonly #log: HttpLog;

  constructor(log: HttpLog) {
    this.#log = log;
  }

  /** The error to answer with. Whatever is no PoolError is a fault of ours and is logged once, here. */
  toAnswer(thrown: unknown, where: string): PoolError {
    if (thrown instanceof PoolError) return thrown;
    const reference = randomBytes(6).toString("hex");
    this.#log.error({ reference, where, ...traceOf(thrown) }, "a request failed by a fault of the daemon");
    return new PoolError("internal_error", `The daemon failed; its log has the details under ${reference}`, { reference });
  }
}

/** The kind of error and where it arose. Not its message: that may quote arguments, results or a server's words. */
function traceOf(thrown: unknown): Readonly<Record<string, unknown>> {
  if (!(thrown instanceof Error)) return { fault: typeof thrown };
  const code = "code" in thrown && typeof thrown.code === "string" ? { code: thrown.code } : {};
  const frames = (thrown.stack ?? "")
    .replace(thrown.message, "")
    .split("\n")
    .map((line) => line.trim());
  return { fault: thrown.name, ...code, stack: frames.filter((line) => line.startsWith("at ")) };
}
