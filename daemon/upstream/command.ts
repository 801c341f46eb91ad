// Finds the program of a stdio server before it is spawned: the folder it runs in, the executable on the PATH that the child
// itself will have, and the exact argument list. There is never a shell in between, except for a batch file on Windows, which
// only cmd.exe can run. A command, its arguments and a PATH of the configuration may hold expanded secrets: no failure names them.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, resolve } from "node:path";
import which from "which";
import type { StdioLaunch } from "../contract/index.ts";
import { batchInvocation, isBatchFile } from "./batch.ts";
import { variable, type Environment } from "./environment.ts";
import { UpstreamError } from "./port.ts";

export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** The arguments are quoted already (Windows batch files). */
  readonly verbatim: boolean;
}

export type SpawnFailure =
  | "cwd_missing"
  | "cwd_not_a_folder"
  | "cwd_not_accessible"
  | "not_found"
  | "not_executable"
  | "interpreter_missing"
  | "arguments_invalid"
  | "arguments_too_long"
  | "no_resources"
  | "failed";

const SENTENCES: Readonly<Record<SpawnFailure, string>> = {
  cwd_missing: "The working directory does not exist",
  cwd_not_a_folder: "The working directory is not a folder",
  cwd_not_accessible: "The working directory cannot be entered",
  not_found: "The command was not found",
  not_executable: "The command is not an executable program",
  interpreter_missing: "The command exists, but the interpreter it names does not",
  arguments_invalid: "The command, an argument or a variable holds a character that cannot be passed on",
  arguments_too_long: "The arguments and variables are longer than the system allows",
  no_resources: "The system has no room for another process",
  failed: "The process could not be started",
};

export function spawnFailed(reason: SpawnFailure, more: Readonly<Record<string, unknown>> = {}): UpstreamError {
  return new UpstreamError("spawn_failed", SENTENCES[reason], { reason, ...more });
}

/** Rejects `spawn_failed`; `details.searched` names the folders looked in, unless the configuration itself set the PATH. */
export async function resolveCommand(launch: StdioLaunch, env: Environment): Promise<Invocation> {
  await checkFolder(launch.cwd);
  const file = await findProgram(launch, env);
  const base = { cwd: launch.cwd, env };
  if (!isBatchFile(file)) return { ...base, file, args: launch.args, verbatim: false };
  // The interpreter is the system's, whatever the server's configuration says.
  return { ...base, ...batchInvocation(file, launch.args, process.env.ComSpec ?? "cmd.exe"), verbatim: true };
}

/** What a failed `spawn` of a resolved command means. */
export function spawnFailure(error: unknown): UpstreamError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
      // The file was there a moment ago: it is its `#!` line that leads nowhere.
      return spawnFailed("interpreter_missing");
    case "EACCES":
    case "ENOEXEC":
    case "EFTYPE":
      return spawnFailed("not_executable");
    case "E2BIG":
    case "ENAMETOOLONG":
      return spawnFailed("arguments_too_long");
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return spawnFailed("no_resources", { errno: code });
    case "ERR_INVALID_ARG_VALUE":
      return spawnFailed("arguments_invalid");
    default:
      return spawnFailed("failed", typeof code === "string" ? { errno: code } : {});
  }
}

async function checkFolder(cwd: string): Promise<void> {
  let folder;
  try {
    folder = await stat(cwd);
  } catch (error) {
    const inaccessible = error instanceof Error && "code" in error && error.code === "EACCES";
    throw spawnFailed(inaccessible ? "cwd_not_accessible" : "cwd_missing");
  }
  if (!folder.isDirectory()) throw spawnFailed("cwd_not_a_folder");
  if (!(await allowed(cwd, constants.X_OK))) throw spawnFailed("cwd_not_accessible");
}

async function findProgram({ command, cwd, env: added }: StdioLaunch, env: Environment): Promise<string> {
  if (command.includes("\0")) throw spawnFailed("arguments_invalid");
  if (/[/\\]/.test(process.platform === "win32" ? command : command.replaceAll("\\", ""))) {
    const file = isAbsolute(command) ? command : resolve(cwd, command);
    const found = await which(file, { nothrow: true, ...extensions(env) });
    if (found !== null) return found;
    throw spawnFailed((await allowed(file, constants.F_OK)) ? "not_executable" : "not_found");
  }
  // An empty entry means the current folder, ours; the child's is not ours, and neither is asked for by a PATH left empty.
  const folders = (variable(env, "PATH") ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => resolve(cwd, folder));
  if (command !== "" && folders.length > 0) {
    const found = await which(command, { nothrow: true, path: folders.join(delimiter), ...extensions(env) });
    if (found !== null) return found;
  }
  const ours = variable(added, "PATH") === undefined;
  const searched = ours ? { searched: folders } : { searchedFrom: "env.PATH" };
  for (const folder of folders) {
    if (command !== "" && (await isFile(resolve(folder, command)))) throw spawnFailed("not_executable", searched);
  }
  throw spawnFailed("not_found", searched);
}

function extensions(env: Environment): { pathExt?: string } {
  const pathExt = variable(env, "PATHEXT");
  return pathExt === undefined ? {} : { pathExt };
}

async function allowed(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
