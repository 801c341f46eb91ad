// Where the program of a stdio server is found: on the PATH that the child will have, from the folder it runs in. The same search
// as the daemon's (daemon/upstream/command.ts, which a client may not import), without starting anything.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, resolve } from "node:path";
import which from "which";
import type { StdioLaunch } from "../../daemon/contract/index.ts";
import type { Resolved } from "./facts.ts";

/** `path`: the PATH of whoever starts it. One of the configuration's own wins; its folders are not shown, they may be secrets. */
export async function resolveCommand({ command, cwd, env }: StdioLaunch, path: string | undefined): Promise<Resolved> {
  const folder = await stat(cwd).catch(() => undefined);
  if (folder === undefined) return { kind: "cwd_missing" };
  if (!folder.isDirectory()) return { kind: "cwd_not_a_folder" };
  if (command.includes("/")) {
    const file = isAbsolute(command) ? command : resolve(cwd, command);
    const found = await which(file, { nothrow: true });
    if (found !== null) return { kind: "found", file: found };
    return { kind: (await exists(file)) ? "not_executable" : "not_found", searched: undefined };
  }
  const own = env.PATH;
  // An empty entry would mean the current folder: ours here, the child's there.
  const folders = (own ?? path ?? "")
    .split(delimiter)
    .filter((one) => one !== "")
    .map((one) => resolve(cwd, one));
  const found = folders.length === 0 ? null : await which(command, { nothrow: true, path: folders.join(delimiter) });
  if (found !== null) return { kind: "found", file: found };
  const searched = own === undefined ? folders : undefined;
  for (const one of folders) if (await isFile(resolve(one, command))) return { kind: "not_executable", searched };
  return { kind: "not_found", searched };
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}
