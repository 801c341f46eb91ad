// What the journal keeps and gives back. Implemented on SQLite in this folder; the rest of the daemon knows only this.
import type { CallRecord, ToolView, VersionRow } from "../contract/index.ts";

export interface JournalToolset {
  readonly connectionId: string;
  readonly alias: string;
  readonly owner: string | null | undefined;
  readonly digest: string;
  /** Canonical JSON text of each ToolView, in name order. */
  readonly tools: readonly string[];
}

export interface JournalVersion {
  readonly row: VersionRow;
  /** Every toolset of the version (stored once by connection and digest). */
  readonly toolsets: readonly JournalToolset[];
  /** The management tools of lead views at this version; `owner`, `alias`, `connectionId` do not matter. */
  readonly management: { readonly digest: string; readonly tools: readonly string[] };
  /** What changed in attachments with this version. */
  readonly attached: readonly (readonly [sessionId: string, alias: string])[];
  readonly detached: readonly (readonly [sessionId: string, alias: string])[];
}

/** A past version read back. `management` and `attachments` are for rebuilding one session's view. */
export interface PastVersion {
  readonly row: VersionRow;
  readonly toolsets: readonly (Omit<JournalToolset, "tools"> & { readonly tools: readonly ToolView[] })[];
  readonly management: { readonly digest: string; readonly tools: readonly ToolView[] };
}

/** A call as it begins. The id is given by the journal. */
export type CallStart = Omit<
  CallRecord,
  "id" | "status" | "code" | "reason" | "mayHaveRun" | "queuedMs" | "durationMs" | "resultDigest" | "resultBytes"
>;
export type CallEnd = Pick<
  CallRecord,
  "status" | "code" | "reason" | "mayHaveRun" | "queuedMs" | "durationMs" | "decision" | "resultDigest" | "resultBytes"
>;

export interface CallQuery {
  readonly session?: string;
  readonly tool?: string;
  readonly status?: string;
  /** Records with a smaller id. */
  readonly before?: number;
  readonly limit: number;
}

export interface ConnectionEvent {
  readonly at: string;
  readonly alias: string;
  readonly connectionId: string | null;
  /** e.g. `connecting`, `connected`, `failed`, `lost`, `closed`. */
  readonly event: string;
  readonly code: string | null;
}

/** A child process group that a later start must end if we cannot. */
export interface ProcessRecord {
  readonly pid: number;
  readonly group: number;
  readonly startedAt: string;
  readonly bootId: string;
  readonly alias: string;
  readonly connectionId: string;
}

/** Recording never throws: when it cannot be done, `broken` says so, once. What waits or reads is refused with JournalError. */
export interface Journal {
  /** Made once with the file; survives restarts. */
  readonly poolId: string;
  /** The highest version ever committed by any daemon on this file; 0 for a new file. */
  readonly highWater: number;
  /** The highest n of `alias#n` ever used, by alias. */
  connectionNumbers(): ReadonlyMap<string, number>;

  /** Queued; written within 50 ms in one transaction with whatever else waits. The high-water mark is written at once. */
  recordVersion(version: JournalVersion): void;
  recordConnection(event: ConnectionEvent): void;

  /** Queued as above. Returns the record's id. */
  beginCall(start: CallStart): number;
  /** As `beginCall`, resolved when the record is on the disk; those of one turn of the event loop share one flush. */
  beginCallDurably(start: CallStart): Promise<number>;
  endCall(id: number, end: CallEnd): void;

  /** Durable at once: written before this returns. */
  recordProcess(process: ProcessRecord): void;
  forgetProcesses(connectionId: string): void;
  /** Left by an earlier daemon (or this one). */
  processes(): readonly ProcessRecord[];

  /** Reads see everything recorded before them. Rows newest first, `since` exclusive. */
  versions(since: number, limit: number): readonly VersionRow[];
  version(version: number): PastVersion | undefined;
  /** Aliases one session was attached to at a version. */
  attachments(sessionId: string, version: number): readonly string[];
  /** The oldest version still kept; 0 when there is none. */
  oldestVersion(): number;
  calls(query: CallQuery): readonly CallRecord[];

  /** Writes all that waits. Rejects with `JournalError` when it cannot. */
  flush(): Promise<void>;
  /** Flush, checkpoint, close the file, release the lock. Idempotent. Rejects if the last rows were lost and `broken` had not said so. */
  close(): Promise<void>;
  /** Resolves if the journal can no longer be written (disk full, file gone): the daemon must say so and stop. */
  readonly broken: Promise<Error>;
}
