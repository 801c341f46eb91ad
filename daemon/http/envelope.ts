// One entry of `POST /rpc` as JSON-RPC 2.0 sees it, before any method is looked at: a request, a notification, or no valid
// request. Numbers that a double cannot hold are found here, in ids (they are echoed as written) and in call arguments.
import { isJsonObject, MAX_BATCH, MAX_ISSUES, PoolError } from "../contract/index.ts";
import { lossyNumbers, mayBeLossy, toPointer } from "./lossy-numbers.ts";
import type { LossyNumbers } from "./ports.ts";

export type Envelope =
  | {
      readonly kind: "request";
      readonly id: string;
      readonly method: string;
      readonly params: unknown;
      readonly lossy: LossyNumbers;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown; readonly lossy: LossyNumbers }
  | { readonly kind: "invalid"; readonly id: string; readonly error: PoolError };

export type Message =
  { readonly kind: "single"; readonly entry: Envelope } | { readonly kind: "batch"; readonly entries: readonly Envelope[] };

/** What the raw text holds beyond what JSON.parse returns, for one entry. */
interface Beyond {
  readonly lossy: string[];
  idText?: string;
}

/** `id` in the result is JSON text, `null` where it could not be read (JSON-RPC 2.0, section 5). */
export function readMessage(text: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return single({ kind: "invalid", id: "null", error: new PoolError("parse_error", "The body is not JSON") });
  }
  const isBatch = Array.isArray(value);
  const beyond = mayBeLossy(text) ? readBeyond(text, isBatch) : undefined;
  if (!isBatch) return single(readEntry(value, beyond?.get(0)));
  const entries: readonly unknown[] = value as unknown[];
  if (entries.length === 0) return single(invalid("A batch must have at least one entry"));
  if (entries.length > MAX_BATCH) return single(invalid(`A batch may have at most ${String(MAX_BATCH)} entries`));
  return { kind: "batch", entries: entries.map((entry, index) => readEntry(entry, beyond?.get(index))) };
}

const single = (entry: Envelope): Message => ({ kind: "single", entry });

const invalid = (message: string, id = "null"): Envelope => ({
  kind: "invalid",
  id,
  error: new PoolError("invalid_request", message),
});

const NOTHING: LossyNumbers = Object.freeze([]);

function readEntry(value: unknown, beyond: Beyond | undefined): Envelope {
  if (!isJsonObject(value)) return invalid("A request must be a JSON object");
  const idText = readId(value.id, beyond);
  // Own members only: what a `__proto__` member says counts for nothing.
  if (!Object.hasOwn(value, "jsonrpc") || value.jsonrpc !== "2.0") return invalid('"jsonrpc" must be "2.0"', idText ?? "null");
  if (idText === undefined) return invalid('"id" must be a string, a number or null');
  const { method, params } = value;
  if (typeof method !== "string") return invalid('"method" must be a string', idText);
  if (params !== undefined && (typeof params !== "object" || params === null)) {
    return invalid('"params" must be an object', idText);
  }
  const lossy = beyond?.lossy ?? NOTHING;
  if (!Object.hasOwn(value, "id")) return { kind: "notification", method, params, lossy };
  return { kind: "request", id: idText, method, params, lossy };
}

/** The JSON text of the id; `undefined` for an id of another type. An absent one reads as `null`. */
function readId(id: unknown, beyond: Beyond | undefined): string | undefined {
  if (typeof id === "number") return beyond?.idText ?? String(id);
  if (typeof id === "string") return JSON.stringify(id);
  return id === null || id === undefined ? "null" : undefined;
}

/** By entry: the index in a batch, 0 for a single request. */
function readBeyond(text: string, isBatch: boolean): ReadonlyMap<number, Beyond> {
  const entries = new Map<number, Beyond>();
  const depth = isBatch ? 1 : 0;
  const entryOf = (path: readonly (string | number)[]): Beyond => {
    const index = isBatch ? Number(path[0]) : 0;
    let entry = entries.get(index);
    if (entry === undefined) entries.set(index, (entry = { lossy: [] }));
    return entry;
  };
  const taken = new Map<Beyond, number>();
  const found = lossyNumbers(text, (path) => {
    if (path[depth] === "id") return path.length === depth + 1;
    if (path[depth] !== "params" || path[depth + 1] !== "arguments") return false;
    const entry = entryOf(path);
    const count = (taken.get(entry) ?? 0) + 1;
    taken.set(entry, count);
    return count <= MAX_ISSUES;
  });
  for (const { path, text: number } of found) {
    if (path[depth] === "id") entryOf(path).idText = number;
    else entryOf(path).lossy.push(toPointer(path.slice(depth + 2)));
  }
  return entries;
}
