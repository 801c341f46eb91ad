// The folder of a daemon's own files: made 0700, with every file in it 0600. What is ours and too open is tightened; what
// belongs to somebody else is refused.
import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "./start-error.ts";

/** Makes or tightens it. Throws StartError. */
export function claimFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError("state_folder", `${folder} cannot be made (${codeOf(error)}): choose another with TOOLPOOL_STATE`);
  }
  const found = lstatSync(folder);
  if (!found.isDirectory())
    throw new StartError("state_folder", `${folder} is not a folder: move it away, or set TOOLPOOL_STATE`);
  if (!ours(found.uid))
    throw new StartError("state_folder", `${folder} belongs to another user: set TOOLPOOL_STATE to a folder of your own`);
  tighten(folder, found.mode, 0o700);
}

/** Our files in it, too open since before. Links and others' files are left alone. */
export function tightenFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const found = lstatSync(file);
    if (found.isFile() && ours(found.uid)) tighten(file, found.mode, 0o600);
  }
}

function tighten(path: string, mode: number, wanted: number): void {
  if (process.platform === "win32" || (mode & 0o777 & ~wanted) === 0) return;
  try {
    chmodSync(path, wanted);
  } catch (error) {
    throw new StartError("state_folder", `${path} can be read by others and cannot be tightened (${codeOf(error)})`);
  }
}

const ours = (uid: number): boolean => process.getuid === undefined || uid === process.getuid();

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
