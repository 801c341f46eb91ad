// The journal's SQL, prepared once, and the translation between rows and records.
import type { Database, Statement } from "better-sqlite3";
import type { CallRecord } from "../contract/index.ts";

export interface CallRow {
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
  args_digest: string | null;
  args_bytes: number | null;
  result_digest: string | null;
  result_bytes: number | null;
}

export interface VersionDbRow {
  version: number;
  row: string;
  toolsets: string;
  management: number;
}

export interface ToolsetDbRow {
  id: number;
  connection: string;
  alias: string;
  owner: string;
  digest: string;
  tools: string;
}

export interface ProcessDbRow {
  connection: string;
  alias: string;
  pid: number;
  grp: number;
  started: string;
  boot: string;
}

export function prepareStatements(database: Database) {
  const call = `id, at, session, call_id, version, tool, alias, connection, effect, definition, decision, status, code, reason, may_have_run,
    queued_ms, duration_ms, args_digest, args_bytes, result_digest, result_bytes`;
  const placeholders = call.replaceAll(/(\w+)/g, "@$1");
  const one = <P extends unknown[], R>(sql: string): Statement<P, R> => database.prepare<P, R>(sql);
  return {
    setMeta: one<[string, string | number], unknown>(
      "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
    getMeta: one<[string], { value: string | number }>("SELECT value FROM meta WHERE key = ?"),
    insertVersion: one<[number, string, string, string, number], unknown>("INSERT INTO versions VALUES (?, ?, ?, ?, ?)"),
    insertToolset: one<[string, string, string, string, string], { id: number }>(
      `INSERT INTO toolsets (connection, alias, owner, digest, tools) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (connection, owner, digest) DO UPDATE SET alias = excluded.alias RETURNING id`,
    ),
    getToolset: one<[number], ToolsetDbRow>("SELECT * FROM toolsets WHERE id = ?"),
    insertAttachment: one<[string, string, number, number], unknown>("INSERT INTO attachments VALUES (?, ?, ?, ?)"),
    insertConnection: one<[string, string, string | null, string, string | null], unknown>(
      "INSERT INTO connection_events VALUES (?, ?, ?, ?, ?)",
    ),
    setNumber: one<[string, number], unknown>(
      "INSERT INTO connection_numbers VALUES (?, ?) ON CONFLICT (alias) DO UPDATE SET n = max(n, excluded.n)",
    ),
    getNumbers: one<[], { alias: string; n: number }>("SELECT alias, n FROM connection_numbers"),
    insertCall: one<[CallRow], unknown>(`INSERT OR REPLACE INTO calls (${call}) VALUES (${placeholders})`),
    endCall: one<
      [
        Pick<
          CallRow,
          | "id"
          | "status"
          | "code"
          | "reason"
          | "may_have_run"
          | "queued_ms"
          | "duration_ms"
          | "decision"
          | "result_digest"
          | "result_bytes"
        >,
      ],
      unknown
    >(
      `UPDATE calls SET status = @status, code = @code, reason = @reason, may_have_run = @may_have_run, queued_ms = @queued_ms,
         duration_ms = @duration_ms, decision = @decision, result_digest = @result_digest, result_bytes = @result_bytes WHERE id = @id`,
    ),
    lastCall: one<[], { id: number | null }>("SELECT max(id) AS id FROM calls"),
    insertProcess: one<[string, string, number, number, string, string], unknown>(
      "INSERT OR IGNORE INTO processes VALUES (?, ?, ?, ?, ?, ?)",
    ),
    deleteProcesses: one<[string], unknown>("DELETE FROM processes WHERE connection = ?"),
    getProcesses: one<[], ProcessDbRow>("SELECT * FROM processes"),
    getVersions: one<[number, number], { row: string }>(
      "SELECT row FROM versions WHERE version > ? ORDER BY version DESC LIMIT ?",
    ),
    getVersion: one<[number], VersionDbRow>("SELECT version, row, toolsets, management FROM versions WHERE version = ?"),
    oldestVersion: one<[], { version: number | null }>("SELECT min(version) AS version FROM versions"),
    getAttachments: one<[string, number], { alias: string; attached: number }>(
      "SELECT alias, attached FROM attachments WHERE session = ? AND version <= ? ORDER BY version, rowid",
    ),
    dropCalls: one<[string], unknown>("DELETE FROM calls WHERE at < ?"),
    dropOldCalls: one<[number], unknown>("DELETE FROM calls WHERE id <= (SELECT max(id) FROM calls) - ?"),
    dropEvents: one<[string], unknown>("DELETE FROM connection_events WHERE at < ?"),
    dropVersions: one<[number], unknown>("DELETE FROM versions WHERE version < ?"),
    dropAttachments: one<[number], unknown>(
      `DELETE FROM attachments WHERE version < ? AND session NOT IN
         (SELECT session FROM attachments GROUP BY session, alias HAVING sum(CASE attached WHEN 1 THEN 1 ELSE -1 END) > 0)`,
    ),
    dropToolsets: one<[], unknown>(
      `DELETE FROM toolsets WHERE id NOT IN (SELECT management FROM versions)
         AND id NOT IN (SELECT value FROM versions, json_each(versions.toolsets))`,
    ),
    versionAt: one<[string], { version: number | null }>("SELECT max(version) AS version FROM versions WHERE at < ?"),
    pages: one<[], { bytes: number }>("SELECT (SELECT * FROM pragma_page_count()) * (SELECT * FROM pragma_page_size()) AS bytes"),
  };
}

export type Statements = ReturnType<typeof prepareStatements>;

export function callRecord(row: CallRow): CallRecord {
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
    argumentsDigest: row.args_digest,
    argumentsBytes: row.args_bytes,
    resultDigest: row.result_digest,
    resultBytes: row.result_bytes,
  };
}
