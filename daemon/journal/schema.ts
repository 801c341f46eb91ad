// The tables of the journal and their format number (`user_version`). A toolset, and a session's hold on a server, is kept as
// the span of versions in which it was there, so that a version costs only what it changed. `until` is exclusive.
import type { Database } from "better-sqlite3";
import { damaged, JournalError } from "./errors.ts";
import { prepare, readPragma, setPragmas } from "./statement.ts";

const FORMAT = 1;
/** "Tool" in ASCII: what `file` shows, and how a stranger's database is told from ours. */
const APPLICATION_ID = 0x546f6f6c;
/** The end of a span that has none yet. */
export const OPEN_END = Number.MAX_SAFE_INTEGER;

const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE versions (version INTEGER PRIMARY KEY, at TEXT NOT NULL, row TEXT NOT NULL);
CREATE TABLE contents (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, tools TEXT NOT NULL);
CREATE TABLE toolsets (id INTEGER PRIMARY KEY, connection TEXT NOT NULL, alias TEXT NOT NULL, owner TEXT NOT NULL, digest TEXT NOT NULL,
  content INTEGER NOT NULL, UNIQUE (connection, owner, digest));
CREATE INDEX toolsets_content ON toolsets (content);
CREATE TABLE publications (toolset INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL);
CREATE INDEX publications_toolset ON publications (toolset);
CREATE INDEX publications_until ON publications (until, since);
CREATE TABLE attachments (session TEXT NOT NULL, alias TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL);
CREATE INDEX attachments_session ON attachments (session, until);
CREATE INDEX attachments_until ON attachments (until);
CREATE TABLE connection_events (id INTEGER PRIMARY KEY, at TEXT NOT NULL, alias TEXT NOT NULL, connection TEXT, event TEXT NOT NULL,
  code TEXT);
CREATE TABLE connection_numbers (alias TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE calls (id INTEGER PRIMARY KEY, at TEXT NOT NULL, session TEXT NOT NULL, call_id TEXT, version INTEGER NOT NULL,
  tool TEXT NOT NULL, alias TEXT, connection TEXT, effect TEXT, definition TEXT, decision TEXT, status TEXT NOT NULL, code TEXT,
  reason TEXT, may_have_run INTEGER NOT NULL, queued_ms REAL, duration_ms REAL, arguments_digest TEXT, arguments_bytes INTEGER,
  result_digest TEXT, result_bytes INTEGER);
CREATE INDEX calls_session ON calls (session, id);
CREATE TABLE processes (connection TEXT NOT NULL, alias TEXT NOT NULL, pid INTEGER NOT NULL, grp INTEGER NOT NULL,
  started TEXT NOT NULL, boot TEXT NOT NULL, UNIQUE (connection, pid, started));
`;

/** Makes the tables of a new file. Throws JournalError `damaged` for a file of another kind or a newer format. */
export function prepareSchema(database: Database, file: string): void {
  const found = Number(readPragma(database, "user_version"));
  const application = Number(readPragma(database, "application_id"));
  if (application === APPLICATION_ID && found === FORMAT) return;
  if (application === APPLICATION_ID && found > FORMAT) {
    const message = `${file} was written by a newer Toolpool (format ${found}, this one reads ${FORMAT})`;
    throw new JournalError("damaged", `${message}: update Toolpool, or move the file away to begin a new journal`);
  }
  const tables = prepare<[], { n: number }>(database, "SELECT count(*) AS n FROM sqlite_master").get();
  if (found !== 0 || application !== 0 || tables?.n !== 0) throw damaged(file, "is a database of something else");
  database.transaction(() => {
    database.exec(TABLES);
    setPragmas(database, `application_id = ${APPLICATION_ID}`, `user_version = ${FORMAT}`);
  })();
}
