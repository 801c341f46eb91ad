// What the pool says of a server: its state, and why it failed.

export type ConnectFailureCode =
  | "config_invalid"
  | "spawn_failed"
  | "startup_timeout"
  | "handshake_failed"
  | "list_failed"
  | "policy_mismatch"
  | "schema_rejected"
  | "name_rejected"
  | "name_collision"
  | "definition_drift"
  | "needs_auth"
  | "connection_lost"
  | "call_timeout"
  | "cancelled"
  | "disabled";

/** Why a connection could not be made or did not last. `message` is ours and fixed per code; never a server's text. */
export interface ConnectFailure {
  readonly code: ConnectFailureCode;
  readonly message: string;
  /** Tool names, pointers, our sentences: what the person at the machine needs to mend it. */
  readonly details?: unknown;
}

export type ServerState =
  | { readonly kind: "idle" }
  | {
      readonly kind: "connecting";
      readonly connectionId: string;
      readonly since: string;
      /** The package runner that starts it: it may be downloading, or waiting for another one of its kind. */
      readonly runner?: string;
    }
  | { readonly kind: "connected"; readonly connectionId: string; readonly since: string }
  | { readonly kind: "pending"; readonly attempt: number; readonly nextAt: string; readonly failure: ConnectFailure }
  | { readonly kind: "needs_auth"; readonly url?: string }
  | { readonly kind: "failed"; readonly failure: ConnectFailure }
  | { readonly kind: "disabled" }
  | { readonly kind: "closing"; readonly connectionId: string };

export interface QueueDepth {
  readonly running: number;
  readonly waiting: number;
}

export interface ServerStatus {
  readonly alias: string;
  readonly type: string;
  readonly description?: string;
  readonly state: ServerState;
  readonly connectionId?: string;
  readonly pid?: number;
  readonly protocolVersion?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly toolCount: number;
  readonly attachedSessions: readonly string[];
  readonly heldByPool: boolean;
  readonly queue: QueueDepth;
  readonly stats: {
    readonly connects: number;
    readonly failures: number;
    readonly calls: number;
    /** Calls that ended in the last 60 seconds. */
    readonly callsPerMinute: number;
    readonly p50Ms: number | null;
    readonly p95Ms: number | null;
  };
  /** Lines on stdout that were no JSON-RPC message: skipped and counted. */
  readonly stdoutNoise: number;
  readonly lastFailure?: ConnectFailure & { readonly at: string };
  /** Only on request: for the person at the machine, never for a model. */
  readonly stderrTail?: string;
  /** The configuration says nothing about its tools: nobody has reviewed it, and it is not started. */
  readonly unreviewed?: true;
  /** Only on request: resident memory of its processes, children and their children too, of all its connections; absent where unknown. */
  readonly memoryBytes?: number;
  /** Only with `"sharing": "session"`. */
  readonly connections?: readonly {
    readonly connectionId: string;
    readonly pid?: number;
    readonly sessionId: string | null;
    readonly queue: QueueDepth;
    /** As above, of this connection. */
    readonly memoryBytes?: number;
  }[];
}

export const CONNECT_FAILURE_MESSAGES: Readonly<Record<ConnectFailureCode, string>> = Object.freeze({
  config_invalid: "The server's configuration is not valid",
  spawn_failed: "The server's command could not be started",
  startup_timeout: "The server did not finish starting in time",
  handshake_failed: "The MCP handshake failed",
  list_failed: "The server's tool list could not be read",
  policy_mismatch: "The published tools are not exactly the tools of the policy",
  schema_rejected: "A published tool schema was rejected",
  name_rejected: "A published tool name gives no valid local name",
  name_collision: "Two published tools would have the same local name",
  definition_drift: "A tool or the server's definition differs from what was reviewed",
  needs_auth: "The server needs a login",
  connection_lost: "The connection to the server was lost",
  call_timeout: "A call exceeded its time limit, which ended the connection",
  cancelled: "The start was cancelled",
  disabled: "The server is disabled in the configuration",
});

export function connectFailure(code: ConnectFailureCode, details?: unknown): ConnectFailure {
  const message = CONNECT_FAILURE_MESSAGES[code];
  return Object.freeze(details === undefined ? { code, message } : { code, message, details });
}

/** A connect that did not succeed. */
export class ConnectRefused extends Error {
  override readonly name = "ConnectRefused";
  readonly failure: ConnectFailure;
  constructor(failure: ConnectFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
