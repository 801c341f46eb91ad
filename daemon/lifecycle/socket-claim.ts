// Makes way for the daemon's Unix socket. Only whoever holds the instance lock may call it: a socket file that is found then
// belongs to a daemon that is gone.
import { lstatSync, rmSync } from "node:fs";
import { StartError } from "./start-error.ts";

export function claimSocketPath(path: string): void {
  if (process.platform === "win32") return;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new StartError("socket", `${path} is in the way and is no socket: move it away`);
  rmSync(path);
}
