// The one port behind which every kind of MCP server stands. It knows bytes, processes and the MCP SDK; it knows nothing of
// tools' admission, versions or sessions. One link is one life: it connects once and is closed once.
import type { JsonObject, ServerSpec } from "../contract/index.ts";

/** Why a link ended. The first cause wins. */
export type CloseCause =
  | { readonly kind: "asked"; readonly reason: string }
  /** The process ended by itself. */
  | { readonly kind: "exited"; readonly exitCode: number | null; readonly signal: string | null }
  /** A pipe broke, or what came over it cannot be followed any further (e.g. a line over the limit that no call owns). */
  | { readonly kind: "broken"; readonly why: string };

export interface LinkInfo {
  readonly protocolVersion: string;
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** Leader of the process group; absent for links without a process. */
  readonly pid?: number;
}

/** A server's answer to `tools/call`, untouched: unknown members survive, numbers no double can hold are `NumberText`. */
export interface RawResult {
  /** The `result` member as parsed; not necessarily an object. */
  readonly value: unknown;
  /** Bytes of the whole message line. */
  readonly bytes: number;
  /** True when some number in `value` is a `NumberText`. */
  readonly hasNumberText: boolean;
  /** Set when numbers in the line are written in a form that is not their shortest (1.0, 1e3): the line, for a comparison by text. */
  readonly line?: string;
}

export interface CallOptions {
  /** Aborting sends `notifications/cancelled`, settles the promise at once with `aborted`, and drops a late answer. */
  readonly signal: AbortSignal;
  readonly onProgress?: () => void;
  /** Called once, when the request's bytes are handed to the transport: from then on it may have run. */
  readonly onSent?: () => void;
}

export type UpstreamErrorCode =
  /** No process: command not found, no permission, cwd missing. `details` says where was looked. */
  | "spawn_failed"
  | "handshake_failed"
  | "list_failed"
  /** The server answered the request with a JSON-RPC error. */
  | "remote_error"
  /** The link ended before the answer. */
  | "closed"
  | "aborted"
  /** The answer's line was over `maxMessageBytes`. */
  | "too_large";

/** Every rejection of a link. No server-written text is in `message` or `details`. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly code: UpstreamErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: UpstreamErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export interface LinkEvents {
  /** The server says its tools changed (declared or not). Not debounced. */
  onToolsChanged(): void;
  /** Noise on stdout was skipped; `count` more lines. */
  onNoise(count: number): void;
  /** A child process exists (also: a helper process was found in its group). For the record that survives a `kill -9` of us. */
  onProcess(process: OwnedProcess): void;
}

/** A process by an identity that a recycled pid cannot have. */
export interface OwnedProcess {
  readonly pid: number;
  /** Process group. */
  readonly group: number;
  /** Start time in clock ticks since boot on Linux (field 22 of proc_pid_stat(5)), else a text the platform gives. */
  readonly startedAt: string;
  /** Identity of the boot the process belongs to. */
  readonly bootId: string;
}

export interface UpstreamLink {
  /** Spawn and `initialize`. Rejects `spawn_failed`, `handshake_failed`, `closed`, `aborted`. A failed connect still needs `close`. */
  connect(signal: AbortSignal): Promise<LinkInfo>;
  /** All pages of `tools/list`, raw. Rejects `list_failed`, `closed`, `aborted`. */
  listToolsRaw(signal: AbortSignal): Promise<readonly unknown[]>;
  /** Rejects `remote_error`, `closed`, `aborted`, `too_large`. */
  callRaw(tool: string, args: JsonObject, options: CallOptions): Promise<RawResult>;
  /** Graceful: the stop ladder to its end. Resolves when the whole process group is verified gone. Idempotent. Never rejects. */
  close(reason: string): Promise<void>;
  /** Now: SIGKILL to the group, then as `close`. */
  destroy(reason: string): Promise<void>;
  /** Resolves the moment the link can no longer answer (at the process's `exit`, or when `close` begins). */
  readonly closed: Promise<CloseCause>;
  readonly pid: number | undefined;
  /** Bounded; for the person at the machine only. */
  stderrTail(): string;
}

/** How connections make links; tests and later transports give their own. */
export type LinkFactory = (spec: ServerSpec, connectionId: string, events: LinkEvents) => UpstreamLink;
