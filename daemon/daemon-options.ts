// What a daemon is made from, and the words of its ends.
import type { PoolConfig, ReloadError } from "./contract/index.ts";
import type { HttpLog } from "./http/ports.ts";
import type { Journal } from "./journal/port.ts";
import type { LinkFactory } from "./upstream/port.ts";

export interface DaemonOptions {
  readonly config: PoolConfig;
  /** Of what `config` was read from. */
  readonly configDigest: string;
  /** Reads the configuration again, for a reload. */
  readonly loadConfig: () => Promise<LoadedConfig>;
  /** The files that are taken anew when they change. Absent: only when asked. */
  readonly watch?: WatchedFiles;
  readonly journal: Journal;
  readonly socketPath: string;
  /** TCP port on 127.0.0.1; 0 = any free one. */
  readonly port: number;
  readonly token: string;
  readonly program: { readonly name: string; readonly version: string };
  readonly log: DaemonLog;
  /** For tests: another way to make links. */
  readonly link?: LinkFactory;
}

export type LoadedConfig = (
  { readonly kind: "ok"; readonly config: PoolConfig } | { readonly kind: "refused"; readonly issues: readonly ReloadError[] }
) & {
  /** Of what was read. */
  readonly digest: string;
};

export interface WatchedFiles {
  /** Absolute; they need not be there. */
  readonly paths: readonly string[];
  /** What `loadConfig` would find the digest of now. Never rejects. */
  readonly digest: () => Promise<string>;
}

/** No argument, result, expanded value or server-written text may be passed to it. */
export interface DaemonLog extends HttpLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Why the daemon ended. The first reason wins. */
export type CloseReason = "request" | "signal" | "journal" | "fault";
