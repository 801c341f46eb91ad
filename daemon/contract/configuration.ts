// A configuration after loading: validated, variables expanded, paths absolute, defaults filled in, frozen. Expanded values
// (command, args, env, cwd) may be secrets: they go to the child process and nowhere else.
import type { JsonObject } from "./json.ts";
import type { Approval, Effect } from "./tools.ts";

export interface ToolPolicy {
  readonly effect: Effect | "hidden";
  /** The local name that takes the tool's place in `mcp__{alias}__{…}`. */
  readonly as?: string;
  /** Replaces the server's `toolTimeoutMs` for this tool. */
  readonly timeoutMs?: number;
  /** May overlap with other concurrent calls; default: exactly the `read` tools. */
  readonly concurrent?: boolean;
  readonly approval?: Approval;
}

export interface StdioLaunch {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the minimal base environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

/**
 * What starts a server as it stands in the file: variables not expanded, what looks like a secret replaced by a digest. It is what
 * a person reviews and what the lock file keeps.
 */
export interface WrittenLaunch {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Names only, in code-unit order. */
  readonly env: readonly string[];
  /** `.` where the file names none. */
  readonly cwd: string;
}

/** One reviewed tool in the lock file. */
export interface ToolPin {
  /** SHA-256 (hex) over the canonical text of `definition`. */
  readonly digest: string;
  /** Every model-visible member as published, `default` values left out: for telling what changed. */
  readonly definition: JsonObject;
}

/** What the lock file says of a server. */
export interface ServerPins {
  /** Members of the launch that are not as they were reviewed. While there is one, the server is not started. */
  readonly launch: readonly (keyof WrittenLaunch)[];
  /** By the server's own tool name. */
  readonly tools: ReadonlyMap<string, ToolPin>;
}

export interface ServerSpec {
  readonly alias: string;
  readonly type: "stdio";
  readonly launch: StdioLaunch;
  readonly written: WrittenLaunch;
  /** SHA-256 (hex) of `written`: whoever asks to start an unreviewed server shows with it that this launch was read. */
  readonly launchDigest: string;
  /** The package runner that starts it (`npx`, `uvx`, …): it may have to download first, and shares a cache with its like. */
  readonly runner?: string;
  /** Absent: the server is not pinned. */
  readonly pins?: ServerPins;
  /** The server's own tool name → policy. Exactly the set that must be published. */
  readonly tools: ReadonlyMap<string, ToolPolicy>;
  readonly sharing: "shared" | "session";
  readonly reconnect: "manual" | "backoff";
  readonly keepAlive: boolean;
  readonly disabled: boolean;
  readonly description?: string;
  /** Calls that may overlap (those with `concurrent`, by default the reads). */
  readonly concurrency: number;
  /** Waiting calls; one more is `queue_full`. */
  readonly queueLimit: number;
  readonly queueTimeoutMs: number;
  readonly lingerMs: number;
  /** For each rung of the stop ladder. */
  readonly graceMs: number;
  readonly startupTimeoutMs: number;
  /** Added to `startupTimeoutMs`, for what has to be installed before it can start. */
  readonly installTimeoutMs: number;
  /** Longest silence of a call: no answer, no progress. */
  readonly toolTimeoutMs: number;
  /** Longest total time of a call, progress or not. */
  readonly toolTotalMs: number;
  readonly maxResultBytes: number;
  readonly maxMessageBytes: number;
  /** SHA-256 (hex) over everything above, but for the pins' tools, that matters to a running connection: a difference means a restart on reload. */
  readonly digest: string;
}

export interface ConfigIssue {
  /** Absolute path, where it is not the configuration file itself. */
  readonly file?: string;
  /** JSON Pointer into the file (RFC 6901). */
  readonly pointer: string;
  readonly message: string;
  /** 1-based, where known. */
  readonly line?: number;
  readonly column?: number;
}

export type ConfiguredServer =
  | { readonly kind: "valid"; readonly alias: string; readonly spec: ServerSpec }
  /** Sound, but what was reviewed is not known: it has no policy, or its pins cannot be read. Never connected. */
  | {
      readonly kind: "unreviewed";
      readonly alias: string;
      readonly type: string;
      readonly spec: ServerSpec;
      readonly issues: readonly ConfigIssue[];
    }
  | { readonly kind: "invalid"; readonly alias: string; readonly type: string; readonly issues: readonly ConfigIssue[] };

export interface PoolLimits {
  readonly sessions: number;
  readonly drainMs: number;
  readonly versionsInMemory: number;
}

export interface PoolConfig {
  /** Absolute path of the file it came from. */
  readonly file: string;
  /** In the order of the file. */
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  readonly limits: PoolLimits;
}

export const SERVER_DEFAULTS = Object.freeze({
  concurrency: 8,
  queueLimit: 100,
  queueTimeoutMs: 30_000,
  lingerMs: 0,
  graceMs: 2_000,
  startupTimeoutMs: 30_000,
  installTimeoutMs: 0,
  toolTimeoutMs: 60_000,
  toolTotalMs: 600_000,
  maxResultBytes: 4 * 1024 * 1024,
  maxMessageBytes: 64 * 1024 * 1024,
});

/** `installTimeoutMs` of what a package runner starts: a first download over a slow line. */
export const RUNNER_INSTALL_MS = 300_000;

export const LIMIT_DEFAULTS: PoolLimits = Object.freeze({ sessions: 1_000, drainMs: 5_000, versionsInMemory: 1_024 });
