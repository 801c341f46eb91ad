// Where the daemon's state, its configuration and its socket are. Pure functions of the environment that is handed in, so that a
// client and the daemon it starts always agree. They make no folder and look at no file.
import { createHash } from "node:crypto";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import envPaths from "env-paths";

const NAME = "toolpool";
/** Longest path of a Unix socket that every system takes, in bytes without the closing zero (macOS has room for 103). */
const MAX_SOCKET_PATH = 103;

/** Absolute. `$TOOLPOOL_STATE`, else the platform's state folder. */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const named = given(env.TOOLPOOL_STATE);
  if (named !== undefined) return resolve(named);
  if (platformHasOwnFolders()) return envPaths(NAME, { suffix: "" }).data;
  return join(absolute(env.XDG_STATE_HOME) ?? join(home(env), ".local", "state"), NAME);
}

/** Absolute. `$TOOLPOOL_CONFIG`, else `config.json` in the platform's configuration folder. */
export function configFile(env: NodeJS.ProcessEnv): string {
  const named = given(env.TOOLPOOL_CONFIG);
  if (named !== undefined) return resolve(named);
  if (platformHasOwnFolders()) return join(envPaths(NAME, { suffix: "" }).config, "config.json");
  return join(absolute(env.XDG_CONFIG_HOME) ?? join(home(env), ".config"), NAME, "config.json");
}

/**
 * The daemon's Unix socket: inside the state folder, or, where that path is longer than a socket's may be, at a short path that
 * follows from the state folder alone, in a folder of this user's.
 */
export function socketPathFor(stateFolder: string, env: NodeJS.ProcessEnv): string {
  const folder = resolve(stateFolder);
  const name = `${createHash("sha256").update(folder).digest("hex").slice(0, 16)}.sock`;
  const runtime = absolute(env.XDG_RUNTIME_DIR);
  const own = `${NAME}-${String(process.getuid?.() ?? "user")}`;
  const candidates = [
    join(folder, `${NAME}.sock`),
    ...(runtime === undefined ? [] : [join(runtime, NAME, name)]),
    join(absolute(env.TMPDIR) ?? tmpdir(), own, name),
  ];
  return candidates.find((path) => Buffer.byteLength(path) <= MAX_SOCKET_PATH) ?? join("/tmp", own, name);
}

function platformHasOwnFolders(): boolean {
  return process.platform === "darwin" || process.platform === "win32";
}

function home(env: NodeJS.ProcessEnv): string {
  return absolute(env.HOME) ?? homedir();
}

function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** The XDG base directory specification: a relative path is invalid and must be ignored. */
function absolute(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}
