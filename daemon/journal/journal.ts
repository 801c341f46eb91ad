// The journal: one SQLite file with versions, connection events, calls and child processes, which is the instance lock too.
// Writes are batched off the hot path; what must survive a sudden death (a version number, a connection's number, a child's
// identity, a write about to be sent) is written before it is relied on. Never a silent loss: the first write that fails
// resolves `broken`; from then on recording does nothing and whatever waits or reads is refused.
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import type { CallRecord, VersionRow } from "../contract/index.ts";
import { Batch } from "./batch.ts";
import { CallLog } from "./call-log.ts";
import { ConnectionLog } from "./connection-log.ts";
import { journalError, unwritable, type JournalError } from "./errors.ts";
import { openDatabase } from "./open-database.ts";
import type {
  CallEnd,
  CallQuery,
  CallStart,
  ConnectionEvent,
  Journal,
  JournalVersion,
  PastVersion,
  ProcessRecord,
} from "./port.ts";
import { DEFAULT_RETENTION, Pruner, type Retention } from "./retention.ts";
import { VersionLog } from "./version-log.ts";
import { WalSync } from "./wal-sync.ts";
import { prepare, setPragmas } from "./statement.ts";

export interface JournalOptions {
  readonly retention?: Partial<Retention>;
  readonly now?: () => Date;
}

const BATCH = { delayMs: 40, bound: 2_000 } as const;
/** Between two looks at what is too old (ms), and between two portions while there is more to drop. */
const PRUNE_MS = { every: 600_000, again: 200 } as const;

/** Throws JournalError: `locked`, `damaged`, `unwritable`. */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  const database = openDatabase(file);
  try {
    return new SqliteJournal(database, file, options);
  } catch (error) {
    database.close();
    throw journalError(error, file);
  }
}

class SqliteJournal implements Journal {
  readonly poolId: string;
  readonly highWater: number;
  readonly broken: Promise<Error>;
  readonly #file: string;
  readonly #database: Database;
  readonly #inode: number | undefined;
  readonly #versions: VersionLog;
  readonly #calls: CallLog;
  readonly #connections: ConnectionLog;
  readonly #batch: Batch;
  readonly #sync: WalSync;
  readonly #pruner: Pruner;
  readonly #now: () => Date;
  #pruning: NodeJS.Timeout | undefined;
  #resolveBroken: (error: Error) => void = () => undefined;
  #failure: JournalError | undefined;
  #closing: Promise<void> | undefined;

  constructor(database: Database, file: string, { retention, now = () => new Date() }: JournalOptions) {
    this.#file = file;
    this.#database = database;
    this.#inode = inodeOf(file);
    this.#now = now;
    this.broken = new Promise((resolve) => (this.#resolveBroken = resolve));
    this.poolId = poolIdOf(database);
    this.#versions = new VersionLog(database, file);
    this.highWater = this.#versions.highWater;
    this.#calls = new CallLog(database);
    this.#connections = new ConnectionLog(database);
    this.#sync = new WalSync(file);
    this.#batch = new Batch({
      ...BATCH,
      write: (rows) => this.#transact(rows),
      sync: () => this.#sync.request(),
      onFailure: (error) => this.#fail(error),
    });
    this.#pruner = new Pruner(database, { ...DEFAULT_RETENTION, ...retention });
    this.#prune();
    if (this.#failure !== undefined) throw this.#failure;
  }

  connectionNumbers(): ReadonlyMap<string, number> {
    return this.#connections.numbers();
  }

  recordVersion(version: JournalVersion): void {
    this.#atOnce(this.#versions.take(version.row.version));
    this.#batch.add(() => this.#versions.write(version));
  }

  recordConnection(event: ConnectionEvent): void {
    this.#atOnce(this.#connections.take(event));
    this.#batch.add(() => this.#connections.write(event));
  }

  beginCall(start: CallStart): number {
    const id = this.#calls.begin(start);
    this.#batch.add(() => this.#calls.write(id));
    return id;
  }

  async beginCallDurably(start: CallStart): Promise<number> {
    const id = this.#calls.begin(start);
    try {
      await this.#batch.addDurably(() => this.#calls.write(id));
    } catch (error) {
      throw journalError(error, this.#file);
    }
    return id;
  }

  endCall(id: number, end: CallEnd): void {
    const update = this.#calls.end(id, end);
    if (update !== undefined) this.#batch.add(update);
  }

  recordProcess(process: ProcessRecord): void {
    this.#atOnce(() => this.#connections.add(process));
  }

  forgetProcesses(connectionId: string): void {
    this.#atOnce(() => this.#connections.forget(connectionId));
  }

  processes(): readonly ProcessRecord[] {
    return this.#read(() => this.#connections.processes());
  }

  versions(since: number, limit: number): readonly VersionRow[] {
    return this.#read(() => this.#versions.rows(since, limit));
  }

  version(version: number): PastVersion | undefined {
    return this.#read(() => this.#versions.version(version));
  }

  attachments(sessionId: string, version: number): readonly string[] {
    return this.#read(() => this.#versions.attachments(sessionId, version));
  }

  oldestVersion(): number {
    return this.#read(() => this.#versions.oldest());
  }

  calls(query: CallQuery): readonly CallRecord[] {
    return this.#read(() => this.#calls.find(query));
  }

  async flush(): Promise<void> {
    try {
      this.#batch.flush();
      await this.#sync.request();
    } catch (error) {
      throw this.#failure ?? journalError(error, this.#file);
    }
  }

  /** Rejects if the last rows could not be written and `broken` had not said so before; the lock is released in any case. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    clearTimeout(this.#pruning);
    const known = this.#failure !== undefined;
    try {
      if (!known) {
        this.#batch.flush();
        this.#versions.giveBack();
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#batch.end(unwritable(this.#file, "is closed"));
    await this.#sync.close();
    try {
      if (this.#failure === undefined) setPragmas(this.#database, "wal_checkpoint(TRUNCATE)");
    } catch (error) {
      this.#fail(error);
    }
    // The last connection takes -wal with it, and the lock goes.
    this.#database.close();
    if (!known && this.#failure !== undefined) throw this.#failure;
  }

  /** Survives a sudden death of this process when it returns. */
  #atOnce(write: (() => void) | undefined): void {
    if (write === undefined || this.#failure !== undefined || this.#closing !== undefined) return;
    try {
      this.#checkPresent();
      write();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Sees everything recorded before. Throws JournalError. */
  #read<T>(read: () => T): T {
    try {
      this.#batch.flush();
      return read();
    } catch (error) {
      throw this.#failure ?? journalError(error, this.#file);
    }
  }

  #transact(rows: readonly (() => void)[]): void {
    this.#checkPresent();
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const row of rows) row();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** A file that was moved or deleted takes our records with it, and another daemon may hold a new one in its place. */
  #checkPresent(): void {
    if (this.#inode !== undefined && inodeOf(this.#file) !== this.#inode) throw unwritable(this.#file, "is gone or was replaced");
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = journalError(error, this.#file);
    this.#batch.end(this.#failure);
    this.#calls.drop();
    clearTimeout(this.#pruning);
    this.#resolveBroken(this.#failure);
  }

  #prune(): void {
    let more = false;
    try {
      const pruned = this.#pruner.prune(this.#now());
      if (pruned.toolsets) this.#versions.forgetKnown();
      ({ more } = pruned);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#pruning = setTimeout(() => this.#prune(), more ? PRUNE_MS.again : PRUNE_MS.every).unref();
  }
}

function poolIdOf(database: Database): string {
  const fresh = randomUUID();
  prepare<[string]>(database, "INSERT OR IGNORE INTO meta VALUES ('poolId', ?)").run(fresh);
  return prepare<[], { value: string }>(database, "SELECT value FROM meta WHERE key = 'poolId'").get()?.value ?? fresh;
}

/** Undefined where the system gives no usable number. */
function inodeOf(file: string): number | undefined {
  return process.platform === "win32" ? undefined : statSync(file, { throwIfNoEntry: false })?.ino;
}
