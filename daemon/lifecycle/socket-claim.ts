// Makes way for the daemon's Unix socket. Only whoever holds the instance lock may call it: a socket file that is found then
// belongs to a daemon that is gone. Refuses to remove anything else.
import { lstatSync, rmSync } from "node:fs";
import { codeOf, isOurs } from "./own-file.ts";
import { StartError } from "./start-error.ts";

/** Throws StartError. */
export function claimSocketPath(path: string): void {
  if (process.platform === "win32") return;
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!found.isSocket()) throw new StartError("socket", `${path} is in the way and is no socket: move it away`);
    if (!isOurs(found.uid)) throw new StartError("socket", `${path} is another user's socket: have its owner remove it`);
    rmSync(path);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError("socket", `${path} is in the way and cannot be removed (${codeOf(error)})`);
  }
}
