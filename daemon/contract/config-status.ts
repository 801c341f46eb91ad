// What `GET /v1/config` says of the configuration in force, and of the file it came from.
import type { ReloadError } from "./methods.ts";

export interface ConfigStatus {
  /** Absolute path. */
  readonly file: string;
  /** The file, and the lock file beside it, are taken anew when they change. */
  readonly watched: boolean;
  /** Why they are not, and what to do about it. */
  readonly watchProblem?: string;
  /** When what is in force was read. */
  readonly loadedAt: string;
  /** SHA-256 (hex) over the files that what is in force was read from. */
  readonly digest: string;
  /** How many are in force, those that are not valid too. */
  readonly servers: number;
  /** What is wrong: in the entries of servers (`alias`), or, when `stale`, with the file that was not taken. */
  readonly errors: readonly ReloadError[];
  /** What was read last was not taken: what was read before it is in force. */
  readonly stale: boolean;
  /** How often the watch has looked at the files. */
  readonly checks: number;
  /** How often they were read anew, the start included. */
  readonly loads: number;
}
