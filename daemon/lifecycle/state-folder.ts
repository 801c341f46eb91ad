// The folder of a daemon's own files: made 0700, with every file in it 0600. What is ours and too open is tightened; what
// belongs to somebody else is refused. A link of our own to a folder of our own is followed: people move it to another disk.
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { codeOf, isOurs } from "./own-file.ts";
import { StartError } from "./start-error.ts";

/** Makes or tightens it. Throws StartError. */
export function claimFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = ownFolder(folder);
    if (process.platform !== "win32" && (found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const what = codeOf(error) === "EEXIST" ? "is not a folder" : `cannot be made or tightened (${codeOf(error)})`;
    throw new StartError("state_folder", `${folder} ${what}: move it away, or set TOOLPOOL_STATE`);
  }
}

/** Our files in it, too open since before. Links and others' files are left alone. Throws StartError. */
export function tightenFiles(folder: string): void {
  if (process.platform === "win32") return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    try {
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (found?.isFile() === true && isOurs(found.uid) && (found.mode & 0o177) !== 0) chmodSync(file, 0o600);
    } catch (error) {
      throw new StartError("state_folder", `${file} can be read by others and cannot be tightened (${codeOf(error)})`);
    }
  }
}

function ownFolder(folder: string): Stats {
  const link = lstatSync(folder);
  const found = link.isSymbolicLink() ? statSync(folder) : link;
  if (!found.isDirectory())
    throw new StartError("state_folder", `${folder} is not a folder: move it away, or set TOOLPOOL_STATE`);
  // A stranger's link could be made to lead elsewhere at any time, although the folder is ours.
  if (!isOurs(link.uid) || !isOurs(found.uid))
    throw new StartError("state_folder", `${folder} belongs to another user: set TOOLPOOL_STATE to a folder of your own`);
  return found;
}
