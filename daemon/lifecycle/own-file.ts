// Whole files of our own in the state folder: written beside their place and moved into it, so that a sudden death leaves the
// old file or the new one and never a half of it. Only the holder of the instance lock may write there, so one draft is enough.
import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Mode 0600. Throws what the file system says. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.new`;
  try {
    // "wx" follows no link and takes over no mode: whatever stood there before is removed first.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export const isOurs = (uid: number): boolean => process.getuid === undefined || uid === process.getuid();

/** The system's code of an error (`ENOENT`), or `unknown`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
