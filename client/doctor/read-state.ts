// The state folder and what is in it, from outside: nothing is made, changed or locked. The journal is not opened as a database;
// its first bytes tell enough. Who holds it is asked of the system, where that tells.
import { access, constants, open, readdir, readFile, statfs } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { placeOf, type Run } from "../commands/surroundings.ts";
import { readDiscovery } from "../probe.ts";
import type { FileFacts, StateFacts } from "./facts.ts";
import { fileFacts } from "./file-facts.ts";

/** Enough for SQLite's header (100 bytes). */
const HEAD_BYTES = 100;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const MAX_FILES = 200;

export async function readState(run: Run): Promise<StateFacts> {
  const { stateFolder: folder, socketPath: usual, uid } = placeOf(run);
  const found = await fileFacts(folder, { follow: true });
  const discovery = readDiscovery(folder);
  const socketPath = discovery?.socketPath ?? usual;
  const names = found?.kind === "folder" ? await readdir(folder).catch(() => []) : [];
  const files = await Promise.all(names.slice(0, MAX_FILES).map((name) => fileFacts(join(folder, name)).catch(() => undefined)));
  const socket = await fileFacts(socketPath).catch(() => undefined);
  const journal = join(folder, "pool.db");
  return {
    folder,
    found,
    writable: await isWritable(await existing(folder)),
    files: files.filter((file) => file !== undefined),
    socketPath,
    socket,
    socketDead: socket?.kind === "socket" && (await isDead(socketPath)),
    free: await freeBytes(await existing(folder)),
    journalHead: await head(journal),
    token: await tokenState(join(folder, "token")),
    discovery,
    lock: await lockHolder(await fileFacts(journal).catch(() => undefined), run.platform),
    uid,
    settings: { TOOLPOOL_STATE: run.env.TOOLPOOL_STATE, TOOLPOOL_CONFIG: run.env.TOOLPOOL_CONFIG },
  };
}

/** The folder itself, or the one in which it would be made. */
async function existing(folder: string): Promise<string> {
  const found = await fileFacts(folder, { follow: true }).catch(() => undefined);
  const parent = dirname(folder);
  return found !== undefined || parent === folder ? folder : existing(parent);
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** Nobody listens; a listener that is too busy to accept is no dead one. */
function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = connect(path);
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(false);
    });
    attempt.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}

async function head(file: string): Promise<Uint8Array | undefined> {
  try {
    if ((await fileFacts(file))?.kind !== "file") return undefined;
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

async function tokenState(file: string): Promise<StateFacts["token"]> {
  try {
    const found = await fileFacts(file);
    if (found === undefined) return "absent";
    if (found.kind !== "file" || found.bytes > 4_096) return "damaged";
    const text = (await readFile(file, "utf8")).trim();
    return text === "" || TOKEN.test(text) ? "sound" : "damaged";
  } catch {
    return "unread";
  }
}

/** proc_locks(5): `1: POSIX ADVISORY WRITE pid major:minor:inode from to`. By inode alone, which errs towards "held". */
async function lockHolder(journal: FileFacts | undefined, platform: NodeJS.Platform): Promise<StateFacts["lock"]> {
  if (journal === undefined) return { kind: "free" };
  if (platform !== "linux") return { kind: "unknown" };
  try {
    for (const line of (await readFile("/proc/locks", "utf8")).split("\n")) {
      const [, kind, , , pid, place] = line.trim().split(/\s+/);
      if (kind === "POSIX" && place?.split(":")[2] === String(journal.inode)) return { kind: "held", pid: Number(pid) };
    }
    return { kind: "free" };
  } catch {
    return { kind: "unknown" };
  }
}
