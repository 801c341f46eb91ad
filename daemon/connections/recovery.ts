// What follows the loss of a connection: a pure decision. A local server is started again only where its configuration asks
// for it, only while somebody holds it, and only a bounded number of times without a stable life in between.
import type { ConnectFailureCode, ServerSpec } from "../contract/index.ts";

export const RECOVERY = Object.freeze({ firstMs: 1_000, capMs: 30_000, attempts: 5, stableMs: 60_000 });

export interface LossFacts {
  readonly mode: ServerSpec["reconnect"];
  readonly code: ConnectFailureCode;
  readonly held: boolean;
  /** Attempts made since the last stable life. */
  readonly attempts: number;
  /** How long the lost connection had been published (ms); 0 for a start that failed. */
  readonly livedMs: number;
}

export type Recovery = { readonly kind: "stop" } | { readonly kind: "retry"; readonly attempt: number; readonly delayMs: number };

/** Failures that another try can mend. What the policy or the configuration refuses stays refused. */
const PASSING: ReadonlySet<ConnectFailureCode> = new Set([
  "connection_lost",
  "call_timeout",
  "spawn_failed",
  "startup_timeout",
  "handshake_failed",
  "list_failed",
]);

/** 1, 2, 4, 8, 16 s (cap 30 s), at most five; a life of a minute forgives what came before. */
export function decideRecovery({ mode, code, held, attempts, livedMs }: LossFacts): Recovery {
  if (mode !== "backoff" || !held || !PASSING.has(code)) return { kind: "stop" };
  const before = livedMs >= RECOVERY.stableMs ? 0 : attempts;
  if (before >= RECOVERY.attempts) return { kind: "stop" };
  return { kind: "retry", attempt: before + 1, delayMs: Math.min(RECOVERY.capMs, RECOVERY.firstMs * 2 ** before) };
}
