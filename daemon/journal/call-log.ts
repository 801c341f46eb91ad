// Records of calls. One that begins and ends before it is written is written once, complete. Ids grow for ever.
import type { Database, Statement } from "better-sqlite3";
import type { CallRecord } from "../contract/index.ts";
import type { CallEnd, CallQuery, CallStart } from "./port.ts";
import { prepare } from "./statement.ts";

interface CallRow {
  id: number;
  at: string;
  session: string;
  call_id: string | null;
  version: number;
  tool: string;
  alias: string | null;
  connection: string | null;
  effect: string | null;
  definition: string | null;
  decision: string | null;
  status: string;
  code: string | null;
  reason: string | null;
  may_have_run: number;
  queued_ms: number | null;
  duration_ms: number | null;
  arguments_digest: string | null;
  arguments_bytes: number | null;
  result_digest: string | null;
  result_bytes: number | null;
}

type EndRow = Pick<
  CallRow,
  "status" | "code" | "reason" | "may_have_run" | "queued_ms" | "duration_ms" | "decision" | "result_digest" | "result_bytes"
>;

type SqlValue = string | number | null;

const COLUMNS = `id, at, session, call_id, version, tool, alias, connection, effect, definition, decision, status, code, reason,
  may_have_run, queued_ms, duration_ms, arguments_digest, arguments_bytes, result_digest, result_bytes`;

export class CallLog {
  readonly #database: Database;
  readonly #insert: Statement<SqlValue[]>;
  readonly #update: Statement<SqlValue[]>;
  readonly #queries = new Map<string, Statement<unknown[], CallRow>>();
  /** Begun and not yet written. */
  readonly #waiting = new Map<number, CallRow>();
  #nextId: number;

  constructor(database: Database) {
    this.#database = database;
    // By position: binding twenty names costs as much as the row.
    this.#insert = prepare(database, `INSERT INTO calls (${COLUMNS}) VALUES (${COLUMNS.replaceAll(/\w+/g, "?")})`);
    this.#update = prepare(
      database,
      `UPDATE calls SET status = ?, code = ?, reason = ?, may_have_run = ?, queued_ms = ?, duration_ms = ?, decision = ?,
         result_digest = ?, result_bytes = ? WHERE id = ?`,
    );
    // What an earlier life began and never ended: its bytes may have left.
    prepare(database, "UPDATE calls SET may_have_run = 1 WHERE status = 'started' AND effect <> 'read'").run();
    const last = prepare<[], { id: number | null }>(database, "SELECT max(id) AS id FROM calls").get();
    this.#nextId = (last?.id ?? 0) + 1;
  }

  /** The record's id; it is to be written with `write`. */
  begin(start: CallStart): number {
    const id = this.#nextId++;
    this.#waiting.set(id, {
      id,
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
      arguments_digest: start.argumentsDigest,
      arguments_bytes: start.argumentsBytes,
      result_digest: null,
      result_bytes: null,
    });
    return id;
  }

  /** Inside a transaction. */
  write(id: number): void {
    const row = this.#waiting.get(id);
    if (row === undefined) return;
    this.#waiting.delete(id);
    this.#insert.run(...valuesOf(row));
  }

  /** Undefined when the end goes into the row that still waits, else what has to be written. */
  end(id: number, end: CallEnd): (() => void) | undefined {
    const row: EndRow = {
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
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return () => this.#update.run(...endValues(row), id);
    Object.assign(waiting, row);
    return undefined;
  }

  /** Nothing of what waits will be written. */
  drop(): void {
    this.#waiting.clear();
  }

  /** Newest first. */
  find({ session, tool, status, before, limit }: CallQuery): readonly CallRecord[] {
    const all: readonly (readonly [string, string | number | undefined])[] = [
      ["session = ?", session],
      ["tool = ?", tool],
      ["status = ?", status],
      ["id < ?", before],
    ];
    const wanted = all.filter(([, value]) => value !== undefined);
    const where = wanted.length === 0 ? "" : `WHERE ${wanted.map(([condition]) => condition).join(" AND ")}`;
    let query = this.#queries.get(where);
    if (query === undefined) {
      query = prepare<unknown[], CallRow>(this.#database, `SELECT ${COLUMNS} FROM calls ${where} ORDER BY id DESC LIMIT ?`);
      this.#queries.set(where, query);
    }
    return query.all(...wanted.map(([, value]) => value), limit).map(recordOf);
  }
}

/** In the order of the update. */
function endValues(row: EndRow): SqlValue[] {
  const { status, code, reason, may_have_run, queued_ms, duration_ms, decision, result_digest, result_bytes } = row;
  return [status, code, reason, may_have_run, queued_ms, duration_ms, decision, result_digest, result_bytes];
}

/** In the order of COLUMNS. */
function valuesOf(row: CallRow): SqlValue[] {
  return [
    row.id,
    row.at,
    row.session,
    row.call_id,
    row.version,
    row.tool,
    row.alias,
    row.connection,
    row.effect,
    row.definition,
    row.decision,
    row.status,
    row.code,
    row.reason,
    row.may_have_run,
    row.queued_ms,
    row.duration_ms,
    row.arguments_digest,
    row.arguments_bytes,
    row.result_digest,
    row.result_bytes,
  ];
}

function recordOf(row: CallRow): CallRecord {
  return {
    id: row.id,
    at: row.at,
    sessionId: row.session,
    callId: row.call_id,
    version: row.version,
    tool: row.tool,
    alias: row.alias,
    connectionId: row.connection,
    // Written by this program from the same closed sets.
    effect: row.effect as CallRecord["effect"],
    definitionDigest: row.definition,
    decision: row.decision,
    status: row.status as CallRecord["status"],
    code: row.code,
    reason: row.reason,
    mayHaveRun: row.may_have_run === 1,
    queuedMs: row.queued_ms,
    durationMs: row.duration_ms,
    argumentsDigest: row.arguments_digest,
    argumentsBytes: row.arguments_bytes,
    resultDigest: row.result_digest,
    resultBytes: row.result_bytes,
  };
}
