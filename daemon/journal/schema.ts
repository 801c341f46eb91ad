// The tables of the journal and their version (`user_version`).
import type { Database } from "better-sqlite3";
import { JournalError } from "./errors.ts";

const SCHEMA_VERSION = 1;

const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE versions (version INTEGER PRIMARY KEY, at TEXT NOT NULL, row TEXT NOT NULL, toolsets TEXT NOT NULL, management INTEGER NOT NULL);
CREATE TABLE toolsets (id INTEGER PRIMARY KEY, connection TEXT NOT NULL, alias TEXT NOT NULL, owner TEXT NOT NULL, digest TEXT NOT NULL,
  tools TEXT NOT NULL, UNIQUE (connection, owner, digest));
CREATE TABLE attachments (session TEXT NOT NULL, alias TEXT NOT NULL, version INTEGER NOT NULL, attached INTEGER NOT NULL);
CREATE INDEX attachments_session ON attachments (session, version);
CREATE TABLE connection_events (at TEXT NOT NULL, alias TEXT NOT NULL, connection TEXT, event TEXT NOT NULL, code TEXT);
CREATE TABLE connection_numbers (alias TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE calls (id INTEGER PRIMARY KEY, at TEXT NOT NULL, session TEXT NOT NULL, call_id TEXT, version INTEGER NOT NULL, tool TEXT NOT NULL,
  alias TEXT, connection TEXT, effect TEXT, definition TEXT, decision TEXT, status TEXT NOT NULL, code TEXT, reason TEXT, may_have_run INTEGER NOT NULL,
  queued_ms REAL, duration_ms REAL, args_digest TEXT, args_bytes INTEGER, result_digest TEXT, result_bytes INTEGER);
CREATE INDEX calls_session ON calls (session, id);
CREATE TABLE processes (connection TEXT NOT NULL, alias TEXT NOT NULL, pid INTEGER NOT NULL, grp INTEGER NOT NULL, started TEXT NOT NULL, boot TEXT NOT NULL,
  UNIQUE (connection, pid, started));
`;

export function prepareSchema(database: Database, file: string): void {
  const found = Number(database.pragma("user_version", { simple: true }));
  if (found === SCHEMA_VERSION) return;
  if (found > SCHEMA_VERSION) {
    throw new JournalError(
      "damaged",
      `${file} was written by a newer Toolpool (format ${String(found)}): update Toolpool, or move the file away`,
    );
  }
  const tables = database.prepare("SELECT count(*) AS n FROM sqlite_master").get() as { n: number };
  if (tables.n > 0)
    throw new JournalError("damaged", `${file} is a database of something else: move it away to begin a new journal`);
  database.exec(TABLES);
  database.pragma(`user_version = ${String(SCHEMA_VERSION)}`);
}
