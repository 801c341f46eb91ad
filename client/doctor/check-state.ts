// The state folder: whose it is, who may read it, whether a daemon can work in it. What a dead daemon left is check-stale.ts.
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Facts, FileFacts, StateFacts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { shellWord } from "./shell-word.ts";

/** What a journal may grow by before anybody looks again. */
const LITTLE_BYTES = 256 * 1024 * 1024;
/** Nothing can be relied on below this. */
const NOTHING_BYTES = 4 * 1024 * 1024;
/** As in daemon/journal/schema.ts. */
const APPLICATION_ID = 0x546f6f6c;
const FORMAT = 1;
/** Without the closing zero (macOS has room for 103). */
const MAX_SOCKET_PATH = 103;

export function checkState(facts: Facts): readonly Finding[] {
  const state = seen(facts.state);
  if (state === undefined) return [];
  const running = seen(facts.daemon)?.kind === "running";
  return [
    ...settings(state),
    ...folder(state),
    ...owners(state),
    ...modes(state),
    ...socketPlace(state),
    ...token(state),
    // A running daemon has the truth of it partly in memory; it has read it through at its start.
    ...(running ? [] : journal(state)),
    ...space(state),
  ];
}

function settings({ settings: given }: StateFacts): readonly Finding[] {
  return Object.entries(given).flatMap(([name, value]): readonly Finding[] => {
    if (value === undefined) return [];
    const finding = (sentence: string, command: string): readonly Finding[] => [
      { id: "state_setting", level: "warning", about: name, sentence, command },
    ];
    if (value === "") return finding(`${name} is set to nothing, which counts as not set`, `unset ${name}`);
    if (/^~|\$/.test(value)) {
      const meant = value.replace(/^~/, "$HOME");
      return finding(
        `${name} holds a "~" or "$" that no shell has expanded: it names a folder of that very name`,
        `export ${name}="${meant}"`,
      );
    }
    if (!isAbsolute(value)) {
      return finding(
        `${name} is a relative path: it names another place in every folder you stand in`,
        `export ${name}=${shellWord(resolve(value))}`,
      );
    }
    return [];
  });
}

function folder({ folder: path, found, writable, uid }: StateFacts): readonly Finding[] {
  const about = path;
  if (found !== undefined && found.kind !== "folder") {
    const command = `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`;
    return [{ id: "state_folder", level: "error", about, sentence: `${path} is in the way: it is no folder`, command }];
  }
  if (found !== undefined && uid !== undefined && found.uid !== uid) {
    const sentence = `The state folder belongs to another user (uid ${String(found.uid)}, you are ${String(uid)})`;
    return [{ id: "state_folder", level: "error", about, sentence, command: own(path) }];
  }
  if (!writable) {
    const [sentence, command] =
      found === undefined
        ? [`The state folder cannot be made at ${path}`, 'export TOOLPOOL_STATE="$HOME/.toolpool"']
        : ["Nothing may be written in the state folder", `chmod u+rwx ${shellWord(path)}`];
    return [{ id: "state_folder", level: "error", about, sentence, command }];
  }
  return [ok("state_folder", about, `The state folder is ${path}${found === undefined ? " (not made yet)" : ""}`)];
}

const own = (path: string): string => `sudo chown -R "$(id -un)" ${shellWord(path)}`;

/** A daemon that was once started with sudo leaves files that ours cannot write. */
function owners({ folder: path, found, files, uid }: StateFacts): readonly Finding[] {
  if (uid === undefined || found?.uid !== uid) return [];
  const foreign = files.filter((file) => file.uid !== uid);
  if (foreign.length === 0) return [];
  const names = foreign.map((file) => basename(file.path)).join(", ");
  const sentence = `Another user owns files in the state folder: ${names}`;
  return [{ id: "state_owner", level: "error", about: path, sentence, command: own(path) }];
}

/** As the daemon makes them: 0700 and 0600. What lies in a folder that nobody else may enter is out of reach. */
function modes({ found, files, socket, folder: path, uid }: StateFacts): readonly Finding[] {
  if (found?.kind !== "folder" || uid === undefined) return [];
  const open = (found.mode & 0o077) !== 0;
  const own = [...files, ...(socket !== undefined && dirname(socket.path) !== path ? [socket] : [])].filter(
    (file) => file.uid === uid && (file.kind === "file" || file.kind === "socket"),
  );
  const wrong = [
    ...(found.uid === uid && (found.mode & 0o777) !== 0o700 ? [tighten(found, 0o700, open ? "error" : "warning")] : []),
    ...own.filter((file) => (file.mode & 0o777) !== 0o600).map((file) => tighten(file, 0o600, reach(file, open))),
  ];
  return wrong.length > 0 ? wrong : [ok("state_mode", path, "Only you may read the state folder and its files")];
}

const reach = ({ mode }: FileFacts, open: boolean): "error" | "warning" => (open && (mode & 0o077) !== 0 ? "error" : "warning");

function tighten({ path, mode }: FileFacts, wanted: number, level: "error" | "warning"): Finding {
  const others = (mode & 0o077) !== 0 ? "others may use it" : "you may not use it fully yourself";
  return {
    id: "state_mode",
    level,
    about: path,
    sentence: `${path} has mode ${octal(mode)} instead of ${octal(wanted)}: ${others}`,
    command: `chmod ${octal(wanted)} ${shellWord(path)}`,
    fix: { kind: "chmod", path, mode: wanted },
  };
}

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");

function socketPlace({ folder: path, socketPath, socket }: StateFacts): readonly Finding[] {
  if (socket !== undefined && socket.kind !== "socket") {
    const sentence = `${socketPath} is in the way: it is no socket`;
    const command = `mv ${shellWord(socketPath)} ${shellWord(`${socketPath}.old`)}`;
    return [{ id: "socket_path", level: "error", about: socketPath, sentence, command }];
  }
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH) {
    const sentence = `The path of the socket has ${String(Buffer.byteLength(socketPath))} bytes, more than the ${String(MAX_SOCKET_PATH)} that every system takes`;
    return [{ id: "socket_path", level: "error", about: socketPath, sentence, command: "export TMPDIR=/tmp" }];
  }
  const why = dirname(socketPath) === path ? "" : " (the state folder's own path is too long for one)";
  return [ok("socket_path", socketPath, `The socket is ${socketPath}${why}`)];
}

function token({ folder: path, token: state }: StateFacts): readonly Finding[] {
  const file = join(path, "token");
  const remove = `rm -r ${shellWord(file)}`;
  if (state === "damaged") {
    const sentence = "The token file holds no token: no daemon starts, and no program can call over TCP";
    return [{ id: "token", level: "error", about: file, sentence, command: remove }];
  }
  if (state === "unread") {
    const sentence = "The token file cannot be read: programs cannot call over TCP";
    return [{ id: "token", level: "error", about: file, sentence, command: `chmod 0600 ${shellWord(file)}` }];
  }
  return [ok("token", file, state === "sound" ? "The token is sound" : "The token is made at the first start")];
}

/** SQLite's header (sqlite.org/fileformat2.html): page size at 16, pages at 28, user version at 60, application id at 68. */
function journal({ folder: path, journalHead: head, files }: StateFacts): readonly Finding[] {
  const file = join(path, "pool.db");
  if (head === undefined || head.length === 0) return [];
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const bytes = files.find((one) => one.path === file)?.bytes ?? 0;
  const late = (files.find((one) => one.path === `${file}-wal`)?.bytes ?? 0) > 0;
  const fault = faultOf(view, bytes, late);
  if (fault === undefined) return [ok("journal", file, "The journal is one")];
  const command = `mv ${shellWord(file)} ${shellWord(`${file}.damaged`)} && toolpool up`;
  return [{ id: "journal", level: "error", about: file, sentence: `The journal ${fault}: no daemon starts with it`, command }];
}

/** `late`: what was written last is in the file beside it still, the header too. */
function faultOf(view: DataView, bytes: number, late: boolean): string | undefined {
  const magic = "SQLite format 3\0";
  if (view.byteLength < 100) return "is damaged: it ends in its first line";
  if (Array.from(magic).some((sign, at) => view.getUint8(at) !== sign.charCodeAt(0))) return "is damaged or no journal";
  if (late) return undefined;
  const pageBytes = view.getUint16(16) === 1 ? 65_536 : view.getUint16(16);
  if (bytes < pageBytes * view.getUint32(28)) return "is damaged: its end is missing";
  if (view.getUint32(68) !== APPLICATION_ID) return "is a database of something else";
  return view.getUint32(60) > FORMAT ? "was written by a newer Toolpool" : undefined;
}

function space({ folder: path, free }: StateFacts): readonly Finding[] {
  if (free === undefined) return [];
  const left = `${String(Math.floor(free / 1024 / 1024))} MiB`;
  if (free >= LITTLE_BYTES) return [ok("disk_space", path, `${left} are free for the journal`)];
  const level = free < NOTHING_BYTES ? "error" : "warning";
  const sentence = `Only ${left} are free on the disk of the state folder`;
  return [{ id: "disk_space", level, about: path, sentence, command: `df -h ${shellWord(path)}` }];
}
