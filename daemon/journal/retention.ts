// How long the journal remembers: by age and by size. What is in memory is never dropped, because it is the newest.
import type { Database } from "better-sqlite3";
import type { Statements } from "./statements.ts";

export interface Retention {
  /** Rows older than this go (ms). */
  readonly maxAgeMs: number;
  /** Newest call records that stay. */
  readonly maxCalls: number;
  /** Newest versions that stay. */
  readonly maxVersions: number;
}

export const DEFAULT_RETENTION: Retention = Object.freeze({
  maxAgeMs: 30 * 24 * 3_600_000,
  maxCalls: 1_000_000,
  maxVersions: 20_000,
});

export function prune(database: Database, sql: Statements, { maxAgeMs, maxCalls, maxVersions }: Retention, now: Date): void {
  const before = new Date(now.getTime() - maxAgeMs).toISOString();
  database.transaction(() => {
    sql.dropCalls.run(before);
    sql.dropOldCalls.run(maxCalls);
    sql.dropEvents.run(before);
    const newest = sql.getVersions.get(0, 1);
    const last = newest === undefined ? 0 : (JSON.parse(newest.row) as { version: number }).version;
    // The newest version stays whatever its age: it is where the next life compares itself with.
    const floor = Math.min(last, Math.max((sql.versionAt.get(before)?.version ?? 0) + 1, last - maxVersions + 1));
    if ((sql.oldestVersion.get()?.version ?? 0) >= floor) return;
    sql.dropVersions.run(floor);
    sql.dropAttachments.run(floor);
    sql.dropToolsets.run();
  })();
}
