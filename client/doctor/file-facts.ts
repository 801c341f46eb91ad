// Facts about one file or folder, without opening it.
import { lstat, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import type { FileFacts } from "./facts.ts";

/** Undefined when it is not there. `follow`: a link is followed. Rejects with the system's error. */
export async function fileFacts(path: string, { follow = false } = {}): Promise<FileFacts | undefined> {
  try {
    const found = await (follow ? stat : lstat)(path);
    const { mode, uid, size, ino, mtimeMs } = found;
    return { path, kind: kindOf(found), mode: mode & 0o7777, uid, bytes: size, inode: ino, modifiedMs: mtimeMs };
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw error;
  }
}

function kindOf(found: Stats): FileFacts["kind"] {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "folder";
  if (found.isSocket()) return "socket";
  return found.isSymbolicLink() ? "link" : "other";
}
