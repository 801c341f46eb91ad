// The servers that other programs on this machine start: read from their own settings, as `toolpool import` finds them, here and in
// the home folder. Nothing of a file that cannot be read is an error: it is that program's business.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { expand } from "../../config/expand.ts";
import type { Run } from "../commands/surroundings.ts";
import { placeName, type FoundServer } from "../import/found.ts";
import { hostFiles, type World } from "../import/host-files.ts";
import { readHostFile } from "../import/read-host-file.ts";
import type { HostServer } from "./facts.ts";
import { shellWord } from "./shell-word.ts";

export async function readHosts({ env, cwd, platform }: Run): Promise<readonly HostServer[]> {
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir();
  const world: World = { platform, env, home, cwd, gitRoot: repositoryOf(cwd) };
  const read = await Promise.all(hostFiles(world).map((file) => readHostFile(file, world)));
  return read.flatMap(({ servers }) => servers.flatMap((server) => hostServer(server, env)));
}

function hostServer(server: FoundServer, env: NodeJS.ProcessEnv): readonly HostServer[] {
  if (server.kind !== "stdio" || server.disabled) return [];
  const { file, line, name, launch } = server;
  const value = (text: string): string => {
    const expansion = expand(text, env);
    return expansion.kind === "text" ? expansion.text : text;
  };
  return [
    {
      host: placeName(server),
      file,
      line,
      name,
      command: value(launch.command),
      args: launch.args.map(value),
      removal: removalOf(server),
    },
  ];
}

/** Where the program has a command for it; an entry of a project is removed in that project. */
function removalOf({ host, scope, name }: FoundServer): string | undefined {
  const word = name.startsWith("-") ? `-- ${shellWord(name)}` : shellWord(name);
  if (host === "claude-code") return `claude mcp remove ${word} -s ${scope}`;
  if (host === "codex" && scope === "user") return `codex mcp remove ${word}`;
  if (host === "gemini-cli") return `gemini mcp remove ${word} -s ${scope}`;
  return undefined;
}

function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}
