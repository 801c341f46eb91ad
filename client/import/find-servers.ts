// Looks into every file that was asked for, and at what a person wants to know of each candidate: whether its command is there.
// Only reads; nothing is started, nothing is asked over a network.
import { access } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import which from "which";
import { usage } from "../commands/failure.ts";
import type { Candidate } from "./candidates.ts";
import { HOSTS, isHostId, type FileProblem, type FoundServer } from "./found.ts";
import { anyHostFile, hostFiles, type HostFile, type World } from "./host-files.ts";
import { readHostFile } from "./read-host-file.ts";

export async function worldOf({ env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string }): Promise<World> {
  return { platform: platform(), env, home: homeOf(env), cwd, gitRoot: await gitRootOf(cwd) };
}

export function homeOf({ HOME }: NodeJS.ProcessEnv): string {
  return HOME !== undefined && isAbsolute(HOME) ? HOME : homedir();
}

/** The nearest folder upwards with a `.git` in it: a folder, or in a work tree a file. */
async function gitRootOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await access(join(at, ".git")).then(
      () => true,
      () => false,
    );
    if (found) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Throws a Failure for a host that is not known. */
export function sourcesOf(world: World, from: readonly string[], files: readonly string[]): readonly HostFile[] {
  const unknown = from.find((host) => !isHostId(host));
  if (unknown !== undefined) throw usage(`--from does not know "${unknown}"`, `It knows: ${Object.keys(HOSTS).join(", ")}`);
  const named = files.map((file) => {
    const path = resolve(world.cwd, file);
    return anyHostFile(path, dirname(path));
  });
  // A file that was named is what is meant, unless hosts were named too.
  const hosts = from.length > 0 ? from : named.length > 0 ? [] : Object.keys(HOSTS);
  return [...named, ...hostFiles(world).filter(({ host }) => hosts.includes(host))];
}

export interface Findings {
  readonly found: readonly FoundServer[];
  readonly problems: readonly FileProblem[];
  /** Files that are there. */
  readonly read: readonly string[];
}

/** In the order of the sources. Rejects with a Failure when a file that was named cannot be read. */
export async function findServers(sources: readonly HostFile[], world: World): Promise<Findings> {
  const found: FoundServer[] = [];
  const problems = new Map<string, FileProblem>();
  const read = new Set<string>();
  // One after the other: a large one is not to be held beside another.
  for (const source of sources) {
    const { servers, issues, empty } = await readHostFile(source, world);
    found.push(...servers);
    if (!empty) read.add(source.file);
    // One file may be read for several scopes; its fault is told once.
    if (issues.length > 0) problems.set(JSON.stringify([source.file, issues]), { file: source.file, issues });
    if (source.host === "file" && issues.length === 0 && servers.length === 0) {
      const message =
        'no servers stand in it: they are looked for under "mcpServers", "servers", "context_servers", "mcp" and "mcp_servers"';
      problems.set(source.file, { file: source.file, issues: [{ pointer: "", message }] });
    }
  }
  return { found, problems: [...problems.values()], read: [...read] };
}

/** The commands of these that lead to no program. What refers to a variable is not judged. */
export async function absentCommands(candidates: readonly Candidate[], env: NodeJS.ProcessEnv): Promise<ReadonlySet<string>> {
  const absent = new Set<string>();
  for (const candidate of candidates) {
    if (candidate.kind !== "stdio" || candidate.launch.command.includes("${")) continue;
    const { command, env: added } = candidate.launch;
    const path = added.PATH ?? env.PATH ?? "";
    if (!path.includes("${") && (await which(command, { nothrow: true, path })) === null) absent.add(command);
  }
  return absent;
}
