// Opens the SQLite file so that it is the instance lock too: in exclusive locking mode the first access takes the lock, the
// operating system holds it for this process and frees it with the process, however that ends. In that mode WAL needs no shared
// memory file. Refuses a file that is held, damaged, not ours to write, or no plain file.
//
// POSIX frees a process's locks on a file when it closes *any* descriptor of it. So nothing here, or anywhere in the daemon, may
// open the file beside SQLite.
import { chmodSync, closeSync, lstatSync, openSync } from "node:fs";
import SQLite, { type Database } from "better-sqlite3";
import { damaged, journalError, type JournalError, locked, unwritable } from "./errors.ts";
import { prepareSchema } from "./schema.ts";
import { readPragma, setPragmas } from "./statement.ts";

/** Two starters may collide on the way to the lock and both be refused: each looks again a few times, at its own pace (ms). */
const LOOK_AGAIN = { times: 6, minMs: 5, maxMs: 40 } as const;
/** A larger file is not read through at the start: that would take longer than starting. */
const CHECK_BYTES = 16 * 1024 * 1024;

/** Throws JournalError. */
export function openDatabase(file: string): Database {
  makeFile(file);
  for (let attempt = 1; ; attempt++) {
    const opened = tryOpen(file);
    if (!("failure" in opened)) return opened;
    if (opened.failure.code !== "locked" || attempt > LOOK_AGAIN.times) throw opened.failure;
    sleep(LOOK_AGAIN.minMs + Math.random() * (LOOK_AGAIN.maxMs - LOOK_AGAIN.minMs));
  }
}

function tryOpen(file: string): Database | { readonly failure: JournalError } {
  let database: Database | undefined;
  try {
    database = new SQLite(file, { timeout: 0 });
    // Takes effect for a new file only, before its first table: freed pages can be given back later.
    setPragmas(database, "auto_vacuum = INCREMENTAL", "locking_mode = EXCLUSIVE", "journal_mode = WAL");
    if (readPragma(database, "journal_mode") !== "wal") throw locked(file);
    // What is read can change after the fact only if others write: from here on nobody else can.
    database.exec("BEGIN IMMEDIATE; COMMIT");
    setPragmas(database, "synchronous = NORMAL", "cache_size = -1024", "mmap_size = 0", "temp_store = MEMORY");
    setPragmas(database, "journal_size_limit = 4194304");
    prepareSchema(database, file);
    checkWhole(database, file);
    return database;
  } catch (error) {
    database?.close();
    return { failure: journalError(error, file) };
  }
}

/** 0600 from its first moment. Never opens a file that exists. */
function makeFile(file: string): void {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) closeSync(openSync(file, "wx", 0o600));
    else if (!found.isFile()) throw unwritable(file, "is no plain file");
    else if (process.platform !== "win32" && (found.mode & 0o777) !== 0o600) chmodSync(file, 0o600);
  } catch (error) {
    // Another starter made it in this moment: SQLite decides whose it is.
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw journalError(error, file);
  }
}

function checkWhole(database: Database, file: string): void {
  const bytes = Number(readPragma(database, "page_count")) * Number(readPragma(database, "page_size"));
  if (bytes > CHECK_BYTES) return;
  if (readPragma(database, "quick_check(1)") !== "ok") throw damaged(file, "is damaged");
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
