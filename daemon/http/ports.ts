// What the HTTP layer needs of the rest of the daemon. Every rejection is a PoolError, or it is a fault of ours
// (`internal_error`, logged, without its text in the answer).
import type {
  CallRecord,
  ConfigStatus,
  MethodParams,
  MethodResult,
  RegistryDiff,
  RegistrySummary,
  ServerStatus,
  SessionInfo,
  ToolView,
  VersionRow,
} from "../contract/index.ts";

/** JSON that is already text: it goes into the answer as it is, so that cached bytes are never parsed again. */
export interface JsonText {
  readonly json: string;
}

export type WatchEvent =
  | { readonly kind: "version"; readonly row: VersionRow }
  /** The reader was too slow or asked for versions that are gone: read again from `version`. */
  | { readonly kind: "lagging"; readonly version: number }
  | { readonly kind: "closing" };

export interface RegistryReads {
  /** The current version: cheap. */
  version(): number;
  summary(): RegistrySummary;
  versions(since: number, limit: number): readonly VersionRow[];
  /** Throws `unknown_version`. `digest` is the ETag; `json` the text of a RegistrySnapshot. */
  snapshot(version: number): JsonText & { readonly digest: string };
  /** Throws `unknown_version`, `not_found`, `conflict`. */
  tool(version: number, name: string, connectionId?: string): ToolView;
  /** Throws `unknown_version`. */
  diff(from: number, to: number): RegistryDiff;
  /** Versions above `since`, then what comes. Ends after `closing`, or when the signal aborts. */
  watch(since: number, signal: AbortSignal): AsyncIterable<WatchEvent>;
}

export interface SessionPort {
  open(params: MethodParams<"session.open">, signal: AbortSignal): Promise<MethodResult<"session.open">>;
  close(params: MethodParams<"session.close">): Promise<void>;
  heartbeat(params: MethodParams<"session.heartbeat">): MethodResult<"session.heartbeat">;
  /** The text of a SessionSnapshot. */
  snapshot(params: MethodParams<"registry.snapshot">): JsonText;
  /** The same for an observer: it neither keeps the session alive nor changes what it was last given. */
  look(params: MethodParams<"registry.snapshot">): JsonText;
  list(): readonly SessionInfo[];
  get(sessionId: string): SessionInfo;
}

/** Numbers in the arguments of a `tools.call` that a double cannot hold, as JSON Pointers into `arguments`. */
export type LossyNumbers = readonly string[];

export interface CallPort {
  /**
   * The text of an Outcome. Aborting the signal cancels the call. The signal is that of the caller's connection and outlives the
   * call: no listener may stay on it, and it may abort after the answer.
   */
  call(params: MethodParams<"tools.call">, lossy: LossyNumbers, signal: AbortSignal): Promise<JsonText>;
  cancel(params: MethodParams<"tools.cancel">): MethodResult<"tools.cancel">;
  records(query: { session?: string; tool?: string; status?: string; before?: number; limit: number }): readonly CallRecord[];
}

export interface ServerPort {
  list(): readonly ServerStatus[];
  get(alias: string, options?: { readonly stderr: boolean }): ServerStatus;
  /** The same, each with `memoryBytes` where it is known: one look at the process table for all of them. */
  withMemory(servers: readonly ServerStatus[]): Promise<readonly ServerStatus[]>;
  connect(params: MethodParams<"servers.connect">, signal: AbortSignal): Promise<MethodResult<"servers.connect">>;
  disconnect(params: MethodParams<"servers.disconnect">): Promise<MethodResult<"servers.disconnect">>;
  restart(params: MethodParams<"servers.restart">, signal: AbortSignal): Promise<MethodResult<"servers.restart">>;
  /** Rejects `connect_failed`, `conflict`. */
  inspect(params: MethodParams<"servers.inspect">, signal: AbortSignal): Promise<MethodResult<"servers.inspect">>;
}

export interface DaemonPort {
  hello(params: MethodParams<"pool.hello">): MethodResult<"pool.hello">;
  config(): ConfigStatus;
  reload(): Promise<MethodResult<"config.reload">>;
  /** Answers at once; the daemon then closes. */
  shutdown(params: MethodParams<"daemon.shutdown">): void;
  /** False from the moment closing began: `/readyz` says 503 and new work is `shutting_down`. */
  ready(): boolean;
  /** Prometheus text format 0.0.4. */
  metrics(): Promise<string>;
}

export interface HttpPorts {
  readonly registry: RegistryReads;
  readonly sessions: SessionPort;
  readonly calls: CallPort;
  readonly servers: ServerPort;
  readonly daemon: DaemonPort;
}

/** The log of a request's fault; pino's shape. No argument, result or server-written text may be passed. */
export interface HttpLog {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
}
