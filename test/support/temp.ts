// Temporary folders of a test file: made on demand, removed and checked by test/support/setup.ts after the file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made = new Set<string>();

/** A new empty folder with a short path (Unix sockets must fit in 107 bytes). */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tp-"));
  made.add(folder);
  return folder;
}

export function removeTempFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
  made.clear();
}
