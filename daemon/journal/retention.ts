// How long the journal remembers: by age, and by the size of the file. It works in small portions, so that dropping much never
// stops the event loop for long. The newest versions stay whatever their age and size: they are in memory too, and the newest
// of all is where the next life compares itself with.
import type { Database } from "better-sqlite3";
import { prepare, setPragmas } from "./statement.ts";

export interface Retention {
  /** Older rows go (ms). */
  readonly maxAgeMs: number;
  /** Above this the oldest rows go (bytes in use). */
  readonly maxBytes: number;
  /** The newest versions that always stay: at least as many as are in memory. */
  readonly keepVersions: number;
  /** The newest calls that always stay. */
  readonly keepCalls: number;
}

export const DEFAULT_RETENTION: Retention = Object.freeze({
  maxAgeMs: 30 * 24 * 3_600_000,
  maxBytes: 256 * 1024 * 1024,
  keepVersions: 1_024,
  keepCalls: 1_000,
});

/** Most rows of one kind that one portion drops. */
const PORTION = 5_000;
/** Fewest rows that a portion may drop while the file is too large. */
const SMALL_PORTION = 100;
/** Above every time stamp. */
const ANY_TIME = "a";
/** Most pages that one portion gives back to the file system. */
const PAGES = 512;

export interface Pruned {
  /** There is more to drop: come again. */
  readonly more: boolean;
  /** Toolsets went: what was known of their rows is void. */
  readonly toolsets: boolean;
}

export class Pruner {
  readonly #database: Database;
  readonly #retention: Retention;
  readonly #sql: ReturnType<typeof statements>;

  constructor(database: Database, retention: Retention) {
    this.#database = database;
    this.#retention = retention;
    this.#sql = statements(database);
  }

  /** One portion. Not inside a transaction. */
  prune(now: Date): Pruned {
    const pruned = this.#database.transaction(() => this.#portion(now))();
    setPragmas(this.#database, `incremental_vacuum(${PAGES})`);
    return pruned;
  }

  #portion(now: Date): Pruned {
    const sql = this.#sql;
    // Above the size as much goes as is too much, whatever its age.
    const excess = Math.max(0, 1 - this.#retention.maxBytes / this.#bytes());
    const before = excess > 0 ? ANY_TIME : new Date(now.getTime() - this.#retention.maxAgeMs).toISOString();
    const portion = (rows: number): number => (excess > 0 ? clamp(Math.ceil(rows * excess)) : PORTION);
    const callPortion = portion(sql.callSpan.get()?.rows ?? 0);
    const calls = sql.dropCalls.run(Math.max(1, this.#retention.keepCalls), callPortion, before).changes;
    const events = sql.dropEvents.run(PORTION, before).changes;
    const { oldest, newest } = sql.versionSpan.get() ?? { oldest: null, newest: null };
    if (oldest === null || newest === null) return { more: calls === callPortion || events === PORTION, toolsets: false };
    const versionPortion = portion(newest - oldest + 1);
    const young = sql.firstFrom.get(before)?.version ?? newest;
    const floor = Math.min(young, oldest + versionPortion, newest - Math.max(1, this.#retention.keepVersions) + 1);
    const toolsets = floor > oldest && this.#dropBelow(floor);
    return { more: calls === callPortion || events === PORTION || floor === oldest + versionPortion, toolsets };
  }

  #dropBelow(floor: number): boolean {
    this.#sql.dropVersions.run(floor);
    this.#sql.dropAttachments.run(floor);
    this.#sql.dropPublications.run(floor);
    const toolsets = this.#sql.dropToolsets.run().changes > 0;
    if (toolsets) this.#sql.dropContents.run();
    return toolsets;
  }

  #bytes(): number {
    return this.#sql.size.get()?.bytes ?? 0;
  }
}

const clamp = (rows: number): number => Math.min(PORTION, Math.max(SMALL_PORTION, rows));

function statements(database: Database) {
  return {
    dropCalls: prepare<[number, number, string]>(
      database,
      `DELETE FROM calls WHERE id IN (SELECT id FROM calls WHERE id <= (SELECT max(id) FROM calls) - ? ORDER BY id LIMIT ?)
         AND at < ?`,
    ),
    dropEvents: prepare<[number, string]>(
      database,
      "DELETE FROM connection_events WHERE id IN (SELECT id FROM connection_events ORDER BY id LIMIT ?) AND at < ?",
    ),
    callSpan: prepare<[], { rows: number | null }>(database, "SELECT max(id) - min(id) + 1 AS rows FROM calls"),
    versionSpan: prepare<[], { newest: number | null; oldest: number | null }>(
      database,
      "SELECT max(version) AS newest, min(version) AS oldest FROM versions",
    ),
    firstFrom: prepare<[string], { version: number }>(
      database,
      "SELECT version FROM versions WHERE at >= ? ORDER BY version LIMIT 1",
    ),
    dropVersions: prepare<[number]>(database, "DELETE FROM versions WHERE version < ?"),
    dropAttachments: prepare<[number]>(database, "DELETE FROM attachments WHERE until <= ?"),
    dropPublications: prepare<[number]>(database, "DELETE FROM publications WHERE until <= ?"),
    dropToolsets: prepare<[]>(database, "DELETE FROM toolsets WHERE id NOT IN (SELECT toolset FROM publications)"),
    dropContents: prepare<[]>(database, "DELETE FROM contents WHERE id NOT IN (SELECT content FROM toolsets)"),
    size: prepare<[], { bytes: number }>(
      database,
      `SELECT ((SELECT page_count FROM pragma_page_count()) - (SELECT freelist_count FROM pragma_freelist_count()))
         * (SELECT page_size FROM pragma_page_size()) AS bytes`,
    ),
  };
}
