// The acts of `--fix`. Each is for exactly what was looked at: a file that is another one by now is left alone. What is taken away is
// first moved aside, so that whatever a daemon makes in the same moment is never what is removed.
import { constants } from "node:fs";
import { chmod, link, lstat, open, rename, rm, rmdir } from "node:fs/promises";
import { connect } from "node:net";
import { assertNever } from "../../daemon/contract/index.ts";
import { fileFacts } from "./file-facts.ts";
import type { Fix, Seen } from "./finding.ts";

/** Done, or why not. */
export type Mended = { readonly kind: "done"; readonly what: string } | { readonly kind: "left"; readonly why: string };

export async function mend(fix: Fix, uid: number | undefined): Promise<Mended> {
  try {
    switch (fix.kind) {
      case "chmod":
        return await setMode(fix.path, fix.mode, uid);
      case "remove_file":
        return await removeFile(fix.seen, fix.what);
      case "remove_lock":
        return await removeLock(fix.seen);
      default:
        return assertNever(fix);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return { kind: "left", why: `the system refused it (${code})` };
  }
}

async function setMode(path: string, mode: number, uid: number | undefined): Promise<Mended> {
  const found = await lstat(path);
  if (uid !== undefined && found.uid !== uid) return { kind: "left", why: "it belongs to another user" };
  const done: Mended = { kind: "done", what: `set the mode of ${path} to ${mode.toString(8).padStart(4, "0")}` };
  if (found.isFile() || found.isDirectory()) {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (handle !== undefined) {
      // The mode goes to what was opened, wherever the path leads by now.
      await handle.chmod(mode).finally(() => handle.close());
      return done;
    }
  }
  // A link would hand the mode to what it leads to; a socket, and a file that we may not read, cannot be opened.
  if (found.isSymbolicLink()) return { kind: "left", why: "it is a link" };
  await chmod(path, mode);
  return done;
}

async function removeFile(seen: Seen, what: "discovery" | "socket" | "draft"): Promise<Mended> {
  const { path } = seen;
  const aside = `${path}.doctor-${String(process.pid)}`;
  if (!(await isSame(path, seen))) return changed;
  await rename(path, aside);
  if (!(await isSame(aside, seen)) || (what === "socket" && (await listens(aside)))) {
    // A daemon has put its own here in this moment: it gets it back, unless it has made another one already.
    await link(aside, path).catch(() => undefined);
    await rm(aside, { force: true });
    return changed;
  }
  await rm(aside);
  return { kind: "done", what: `removed ${path}` };
}

async function removeLock(seen: Seen): Promise<Mended> {
  if (!(await isSame(seen.path, seen))) return changed;
  // Refused by the system unless it is empty, as a lock is.
  await rmdir(seen.path);
  return { kind: "done", what: `removed ${seen.path}` };
}

const changed: Mended = { kind: "left", why: "somebody has changed it in the meantime" };

async function isSame(path: string, { inode, modifiedMs }: Seen): Promise<boolean> {
  const found = await fileFacts(path);
  return found?.inode === inode && found.modifiedMs === modifiedMs;
}

function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = connect(path);
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(true);
    });
    attempt.once("error", () => resolve(false));
  });
}
