// Sessions and call records as the outside sees them.
import type { Effect } from "./tools.ts";

export type Role = "lead" | "subagent" | "teammate";

export interface SessionInfo {
  readonly sessionId: string;
  readonly role: Role;
  readonly label: string | null;
  readonly cwd: string | null;
  readonly parent: string | null;
  readonly attached: readonly string[];
  readonly openedAt: string;
  readonly lastSeenAt: string;
  readonly idleMs: number;
  /** The version the session was last given. */
  readonly version: number | null;
  readonly callsInFlight: number;
}

export interface CallRecord {
  /** Grows with time; the cursor `before` of `GET /v1/calls`. */
  readonly id: number;
  readonly at: string;
  readonly sessionId: string;
  readonly callId: string | null;
  /** The registry version the call was tagged with. */
  readonly version: number;
  /** The exposed name as asked. */
  readonly tool: string;
  readonly alias: string | null;
  readonly connectionId: string | null;
  readonly effect: Effect | null;
  readonly definitionDigest: string | null;
  /** What the local policy and the caller decided: `allow`, `approved:<by>`, `deny`, `ask`, or null when it was refused before. */
  readonly decision: string | null;
  /** `started` until it ends (a record left so belongs to a daemon that died), then `ok` or `error`. */
  readonly status: "started" | "ok" | "error";
  /** `ok`, or the outcome's error code; null while started. */
  readonly code: string | null;
  /** Of an `unknown_tool` or `connect_failed`. */
  readonly reason: string | null;
  readonly mayHaveRun: boolean;
  readonly queuedMs: number | null;
  readonly durationMs: number | null;
  readonly argumentsDigest: string | null;
  readonly argumentsBytes: number | null;
  readonly resultDigest: string | null;
  readonly resultBytes: number | null;
}
