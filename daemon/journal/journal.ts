// The SQLite file: versions, connection events, calls, child processes. Opened with an exclusive lock that the operating system
// releases with the process, so it is also the instance lock. Writes are batched off the hot path; what must survive a sudden
// death (a version number, a child's identity, a write about to be sent) is written before it is used. Never a silent loss:
// a write that fails resolves `broken`.
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import SQLite, { type Database } from "better-sqlite3";
import type { CallRecord, ToolView, VersionRow } from "../contract/index.ts";
import { Batch } from "./batch.ts";
import { JournalError, journalError } from "./errors.ts";
import type {
  CallEnd,
  CallQuery,
  CallStart,
  ConnectionEvent,
  Journal,
  JournalToolset,
  JournalVersion,
  PastVersion,
  ProcessRecord,
} from "./port.ts";
import { DEFAULT_RETENTION, prune, type Retention } from "./retention.ts";
import { prepareSchema } from "./schema.ts";
import { callRecord, prepareStatements, type CallRow, type Statements } from "./statements.ts";

export interface JournalOptions {
  readonly retention?: Partial<Retention>;
  readonly now?: () => Date;
}

const BATCH = { delayMs: 40, bound: 2_000 } as const;
/** Version numbers are reserved in blocks, so that a sudden death can skip some but never use one twice. */
const RESERVE = 64;
const PRUNE_EVERY_MS = 600_000;

/** Throws JournalError: `locked`, `damaged`, `unwritable`. */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  let database: Database | undefined;
  if (!existsSync(dirname(file))) throw new JournalError("unwritable", `${file} cannot be made: its folder does not exist`);
  try {
    database = new SQLite(file, { timeout: 0 });
    chmodSync(file, 0o600);
    database.pragma("locking_mode = EXCLUSIVE");
    database.pragma("journal_mode = WAL");
    // The lock is taken by the first write and kept until the file is closed.
    database.exec("BEGIN IMMEDIATE; COMMIT");
    database.pragma("synchronous = NORMAL");
    database.pragma("cache_size = -1024");
    prepareSchema(database, file);
    return new SqliteJournal(database, file, options);
  } catch (error) {
    database?.close();
    throw journalError(error, file);
  }
}

class SqliteJournal implements Journal {
  readonly poolId: string;
  readonly highWater: number;
  readonly broken: Promise<Error>;
  readonly #database: Database;
  readonly #file: string;
  readonly #sql: Statements;
  readonly #batch: Batch;
  readonly #now: () => Date;
  readonly #retention: Retention;
  readonly #pruning: NodeJS.Timeout;
  /** Row ids of toolsets written before, so that a version costs nothing for the tools it does not touch. */
  readonly #toolsets = new WeakMap<JournalToolset, number>();
  /** Calls of the batch that waits: one that ends in it is written once. */
  readonly #begun = new Map<number, CallRow>();
  #nextCall: number;
  #lastVersion: number;
  #reserved: number;
  #resolveBroken: (error: Error) => void = () => undefined;
  #closed = false;

  constructor(database: Database, file: string, options: JournalOptions) {
    this.#database = database;
    this.#file = file;
    this.#now = options.now ?? (() => new Date());
    this.#retention = { ...DEFAULT_RETENTION, ...options.retention };
    this.#sql = prepareStatements(database);
    this.broken = new Promise((resolve) => (this.#resolveBroken = resolve));
    this.poolId = this.#pool();
    this.highWater = this.#lastVersion = this.#reserved = Number(this.#sql.getMeta.get("highWater")?.value ?? 0);
    this.#nextCall = Math.max(this.#sql.lastCall.get()?.id ?? 0, Number(this.#sql.getMeta.get("lastCall")?.value ?? 0)) + 1;
    this.#batch = new Batch({
      ...BATCH,
      write: (rows, durable) => this.#write(rows, durable),
      onFailure: (error) => this.#fail(error),
    });
    this.#prune();
    this.#pruning = setInterval(() => this.#guarded(() => this.#prune()), PRUNE_EVERY_MS).unref();
  }

  connectionNumbers(): ReadonlyMap<string, number> {
    this.#batch.flush();
    return new Map(this.#sql.getNumbers.all().map(({ alias, n }) => [alias, n]));
  }

  recordVersion(version: JournalVersion): void {
    const { row, toolsets, management, attached, detached } = version;
    this.#lastVersion = row.version;
    if (row.version > this.#reserved) {
      this.#reserved = row.version + RESERVE;
      this.#guarded(() => this.#sql.setMeta.run("highWater", this.#reserved));
    }
    this.#batch.add(() => {
      const ids = toolsets.map((toolset) => this.#toolsetId(toolset));
      this.#sql.insertVersion.run(row.version, row.at, JSON.stringify(row), JSON.stringify(ids), this.#toolsetId(management));
      for (const [session, alias] of detached) this.#sql.insertAttachment.run(session, alias, row.version, 0);
      for (const [session, alias] of attached) this.#sql.insertAttachment.run(session, alias, row.version, 1);
    });
  }

  recordConnection({ at, alias, connectionId, event, code }: ConnectionEvent): void {
    const n = connectionId === null ? undefined : Number(connectionId.slice(connectionId.lastIndexOf("#") + 1));
    // A number must never be given twice, whatever happens next.
    if (n !== undefined && event === "connecting") this.#guarded(() => this.#sql.setNumber.run(alias, n));
    this.#batch.add(() => this.#sql.insertConnection.run(at, alias, connectionId, event, code));
  }

  beginCall(start: CallStart): number {
    const row = this.#begin(start);
    this.#batch.add(() => this.#insertCall(row));
    return row.id;
  }

  async beginCallDurably(start: CallStart): Promise<number> {
    const row = this.#begin(start);
    try {
      await this.#batch.addDurably(() => this.#insertCall(row));
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    return row.id;
  }

  endCall(id: number, end: CallEnd): void {
    const ended = {
      id,
      status: end.status,
      code: end.code,
      reason: end.reason,
      may_have_run: end.mayHaveRun ? 1 : 0,
      queued_ms: end.queuedMs,
      duration_ms: end.durationMs,
      decision: end.decision,
      result_digest: end.resultDigest,
      result_bytes: end.resultBytes,
    };
    const waiting = this.#begun.get(id);
    if (waiting !== undefined) Object.assign(waiting, ended);
    else this.#batch.add(() => this.#sql.endCall.run(ended));
  }

  recordProcess({ connectionId, alias, pid, group, startedAt, bootId }: ProcessRecord): void {
    this.#guarded(() => this.#sql.insertProcess.run(connectionId, alias, pid, group, startedAt, bootId));
  }

  forgetProcesses(connectionId: string): void {
    this.#guarded(() => this.#sql.deleteProcesses.run(connectionId));
  }

  processes(): readonly ProcessRecord[] {
    return this.#sql.getProcesses.all().map(({ connection, alias, pid, grp, started, boot }) => ({
      connectionId: connection,
      alias,
      pid,
      group: grp,
      startedAt: started,
      bootId: boot,
    }));
  }

  versions(since: number, limit: number): readonly VersionRow[] {
    this.#batch.flush();
    return this.#sql.getVersions.all(since, limit).map(({ row }) => JSON.parse(row) as VersionRow);
  }

  version(version: number): PastVersion | undefined {
    this.#batch.flush();
    const found = this.#sql.getVersion.get(version);
    if (found === undefined) return undefined;
    const ids = JSON.parse(found.toolsets) as readonly number[];
    const management = this.#readToolset(found.management);
    return {
      row: JSON.parse(found.row) as VersionRow,
      toolsets: ids.map((id) => this.#readToolset(id)),
      management: { digest: management.digest, tools: management.tools },
    };
  }

  attachments(sessionId: string, version: number): readonly string[] {
    this.#batch.flush();
    const attached = new Set<string>();
    for (const row of this.#sql.getAttachments.all(sessionId, version)) {
      if (row.attached === 1) attached.add(row.alias);
      else attached.delete(row.alias);
    }
    return [...attached];
  }

  oldestVersion(): number {
    this.#batch.flush();
    return this.#sql.oldestVersion.get()?.version ?? 0;
  }

  calls({ session, tool, status, before, limit }: CallQuery): readonly CallRecord[] {
    this.#batch.flush();
    const wanted = Object.entries({ "session =": session, "tool =": tool, "status =": status, "id <": before }).filter(
      ([, value]) => value !== undefined,
    );
    const where = wanted.length === 0 ? "" : `WHERE ${wanted.map(([column]) => `${column} ?`).join(" AND ")}`;
    const statement = this.#database.prepare<unknown[], CallRow>(`SELECT * FROM calls ${where} ORDER BY id DESC LIMIT ?`);
    return statement.all(...wanted.map(([, value]) => value), limit).map(callRecord);
  }

  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#batch.flush();
      resolve();
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#pruning);
    try {
      await this.flush();
      // The next life goes on right above the last version of this one.
      this.#sql.setMeta.run("highWater", this.#lastVersion);
      this.#database.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      // The last connection removes -wal when it closes.
      this.#database.close();
    }
  }

  #pool(): string {
    const known = this.#sql.getMeta.get("poolId")?.value;
    if (typeof known === "string") return known;
    const poolId = randomUUID();
    this.#sql.setMeta.run("poolId", poolId);
    return poolId;
  }

  #begin(start: CallStart): CallRow {
    const row: CallRow = {
      id: this.#nextCall++,
      at: start.at,
      session: start.sessionId,
      call_id: start.callId,
      version: start.version,
      tool: start.tool,
      alias: start.alias,
      connection: start.connectionId,
      effect: start.effect,
      definition: start.definitionDigest,
      decision: start.decision,
      status: "started",
      code: null,
      reason: null,
      may_have_run: 0,
      queued_ms: null,
      duration_ms: null,
      args_digest: start.argumentsDigest,
      args_bytes: start.argumentsBytes,
      result_digest: null,
      result_bytes: null,
    };
    this.#begun.set(row.id, row);
    return row;
  }

  #insertCall(row: CallRow): void {
    this.#sql.insertCall.run(row);
  }

  #toolsetId(toolset: JournalToolset | JournalVersion["management"]): number {
    const known = this.#toolsets.get(toolset as JournalToolset);
    if (known !== undefined) return known;
    const { connectionId, alias, owner } =
      "connectionId" in toolset ? toolset : { connectionId: "", alias: "", owner: undefined };
    const row = this.#sql.insertToolset.get(
      connectionId,
      alias,
      JSON.stringify(owner ?? null) + (owner === undefined ? "*" : ""),
      toolset.digest,
      `[${toolset.tools.join(",")}]`,
    );
    if (row === undefined) throw new JournalError("damaged", `${this.#file}: a toolset was not stored`);
    this.#toolsets.set(toolset as JournalToolset, row.id);
    return row.id;
  }

  #readToolset(id: number): PastVersion["toolsets"][number] {
    const row = this.#sql.getToolset.get(id);
    if (row === undefined) throw new JournalError("damaged", `${this.#file}: toolset ${String(id)} is missing`);
    const owner = row.owner.endsWith("*") ? undefined : (JSON.parse(row.owner) as string | null);
    return {
      connectionId: row.connection,
      alias: row.alias,
      owner,
      digest: row.digest,
      tools: JSON.parse(row.tools) as readonly ToolView[],
    };
  }

  #write(rows: readonly (() => void)[], durable: boolean): void {
    if (durable) this.#database.pragma("synchronous = FULL");
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      try {
        for (const row of rows) row();
        this.#database.exec("COMMIT");
      } catch (error) {
        if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
        throw error;
      }
      this.#begun.clear();
    } finally {
      if (durable) this.#database.pragma("synchronous = NORMAL");
    }
  }

  #prune(): void {
    this.#batch.flush();
    // Ids go on although the newest records may be among those that go.
    this.#sql.setMeta.run("lastCall", this.#nextCall - 1);
    prune(this.#database, this.#sql, this.#retention, this.#now());
  }

  #guarded(write: () => unknown): void {
    try {
      write();
    } catch (error) {
      this.#fail(error);
      throw journalError(error, this.#file);
    }
  }

  #fail(error: unknown): void {
    const known = journalError(error, this.#file);
    this.#resolveBroken(
      known instanceof Error ? known : new JournalError("unwritable", `${this.#file} cannot be written`, known),
    );
  }
}
