// Why a journal cannot be opened or written. Each message names the file and what to do next; SQLite's own words stay in `cause`.

/**
 * `locked`: another daemon holds the file. `damaged`: it is no journal, a broken one, or a newer program's. `unwritable`: the file
 * cannot be made, read or written, or it is not there any more. `no_database`: SQLite itself is missing, because its package was
 * installed without its scripts, or built for another Node.js.
 */
export type JournalErrorCode = "locked" | "damaged" | "unwritable" | "no_database";

export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly code: JournalErrorCode;
  constructor(code: JournalErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export function locked(file: string, cause?: unknown): JournalError {
  const next = 'use it ("toolpool status"), or stop it with "toolpool down"';
  return new JournalError("locked", `Another daemon holds ${file}: ${next}`, cause);
}

export function damaged(file: string, what: string, cause?: unknown): JournalError {
  return new JournalError("damaged", `${file} ${what}: move it away to begin a new journal`, cause);
}

export function unwritable(file: string, what: string, cause?: unknown): JournalError {
  return new JournalError("unwritable", `${file} ${what}: check the folder, its owner and the free space`, cause);
}

const noDatabase = (cause: unknown): JournalError =>
  new JournalError(
    "no_database",
    `better-sqlite3 is not built for this Node.js (${process.version}): in the folder where toolpool is installed, run npm rebuild better-sqlite3`,
    cause,
  );

/** How `bindings` says that there is no native part; with one for another Node.js it is ERR_DLOPEN_FAILED. */
const lacksNativePart = (error: unknown, code: string): boolean =>
  code === "ERR_DLOPEN_FAILED" || (error instanceof Error && "tries" in error);

/** What SQLite or the file system says, in our words. */
export function journalError(error: unknown, file: string): JournalError {
  if (error instanceof JournalError) return error;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (lacksNativePart(error, code)) return noDatabase(error);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return locked(file, error);
  // SQLITE_ERROR: a table or a column is not there. The others: it holds what we would never have written.
  if (/^SQLITE_(NOTADB|CORRUPT|ERROR|SCHEMA|CONSTRAINT|MISMATCH|FORMAT)/.test(code)) {
    return damaged(file, "is damaged or no journal", error);
  }
  return unwritable(file, `cannot be written${code === "" ? "" : ` (${code})`}`, error);
}
