// What the call path needs of the connections and of the journal. Declared here, implemented elsewhere.
import type { CallRecord, JsonObject, Outcome } from "../contract/index.ts";
import type { Session } from "../sessions/session.ts";

/** A server's answer, untouched. */
export interface RemoteResult {
  readonly value: unknown;
  /** Bytes of the whole message. */
  readonly bytes: number;
  /** Some number in `value` is a NumberText. */
  readonly hasNumberText: boolean;
  /** The message's text, where some number in it is not in its shortest form. */
  readonly line?: string;
}

export interface RemoteRequest {
  readonly session: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly concurrent: boolean;
  readonly idleMs?: number | undefined;
  readonly capMs?: number | undefined;
  /** Of this call alone. */
  readonly signal: AbortSignal;
  /** Aborts `signal`: for a time limit. */
  readonly abort: () => void;
  readonly stillBound: () => boolean;
}

export type RemoteOutcome =
  | { readonly kind: "answer"; readonly raw: RemoteResult; readonly maxBytes: number }
  | { readonly kind: "remote_error" }
  | { readonly kind: "too_large"; readonly sizeBytes: number; readonly limitBytes: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "lost"; readonly sent: boolean }
  | { readonly kind: "cancelled"; readonly sent: boolean }
  | { readonly kind: "queue_full" }
  | { readonly kind: "queue_timeout" }
  | { readonly kind: "unbound" };

/** Calls to the server behind one connection. Never rejects but for a fault of ours. */
export interface RemoteCalls {
  call(
    connectionId: string,
    request: RemoteRequest,
  ): Promise<{ readonly outcome: RemoteOutcome; readonly queuedMs: number | null; readonly durationMs: number | null }>;
}

/** The pool's own tools. */
export interface ManagementCalls {
  run(call: { session: Session; tool: string; alias: string; signal: AbortSignal }): Promise<Outcome>;
}

export type CallStart = Omit<
  CallRecord,
  "id" | "status" | "code" | "reason" | "mayHaveRun" | "queuedMs" | "durationMs" | "resultDigest" | "resultBytes"
>;
export type CallEnd = Pick<
  CallRecord,
  "status" | "code" | "reason" | "mayHaveRun" | "queuedMs" | "durationMs" | "decision" | "resultDigest" | "resultBytes"
>;

export interface CallJournal {
  beginCall(start: CallStart): number;
  /** Resolves when the record is on disk. */
  beginCallDurably(start: CallStart): Promise<number>;
  endCall(id: number, end: CallEnd): void;
}

/** For the metrics: an outcome code (or `ok`) and how long it took (ms), where it was dispatched. */
export type CallObserver = (code: string, durationMs: number | null) => void;
