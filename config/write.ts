// Writes a file that a person keeps: whole or not at all, with the mode it had, through a symbolic link to the file behind it.
import { stat } from "node:fs/promises";
import writeFileAtomic from "write-file-atomic";

export interface WriteOptions {
  /** Write a byte order mark first, because the file had one. */
  readonly mark?: boolean;
  /** Of a file that is not there yet; default 0600. */
  readonly mode?: number;
}

/** Rejects with the system's error; the old content is then untouched. */
export async function writeText(path: string, text: string, { mark = false, mode = 0o600 }: WriteOptions = {}): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  const content = mark ? `\uFEFF${text}` : text;
  await writeFileAtomic(path, content, existing === undefined ? { mode } : { mode: existing.mode & 0o7777 });
}
