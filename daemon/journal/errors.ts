// Why a journal cannot be opened or written. Each message names the file and what to do next.

export type JournalErrorCode = "locked" | "damaged" | "unwritable";

export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly code: JournalErrorCode;
  constructor(code: JournalErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** What SQLite says, in our words. Anything else is passed on. */
export function journalError(error: unknown, file: string): unknown {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new JournalError(
      "locked",
      `Another daemon holds ${file}: use it ("toolpool status"), or stop it with "toolpool down"`,
      error,
    );
  }
  if (code.startsWith("SQLITE_NOTADB") || code.startsWith("SQLITE_CORRUPT")) {
    return new JournalError("damaged", `${file} is damaged or no journal: move it away to begin a new one`, error);
  }
  if (/^SQLITE_(CANTOPEN|READONLY|IOERR|FULL|PERM|AUTH)/.test(code)) {
    return new JournalError(
      "unwritable",
      `${file} cannot be written (${code}): check the folder, its owner and the free space`,
      error,
    );
  }
  return error;
}
