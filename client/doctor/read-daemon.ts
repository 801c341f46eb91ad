// The daemon of this state folder, as it answers. Each server is asked for with the end of its stderr. Nothing is started.
import { readFile, readlink } from "node:fs/promises";
import type { ServerStatus } from "../../daemon/contract/index.ts";
import { placeOf, type Run } from "../commands/surroundings.ts";
import { DaemonUnavailable } from "../daemon-unavailable.ts";
import type { PoolClient } from "../pool-client.ts";
import { probeDaemon } from "../probe.ts";
import type { DaemonFacts } from "./facts.ts";

export async function readDaemon(run: Run, signal: AbortSignal): Promise<DaemonFacts> {
  try {
    const probe = await probeDaemon(placeOf(run), signal);
    if (probe.kind === "absent" || probe.kind === "silent" || probe.kind === "mismatch") return probe;
    const { client, hello } = probe;
    try {
      const servers = await readServers(client, signal);
      const path = await pathOf(hello.pid);
      const replaced = await isReplaced(hello.pid);
      const discovery = probe.kind === "running" ? probe.discovery : undefined;
      return { kind: "running", hello, discovery, servers, path, replaced };
    } finally {
      await client.close();
    }
  } catch (error) {
    if (error instanceof DaemonUnavailable) return { kind: "foreign", message: error.message };
    throw error;
  }
}

async function readServers(client: PoolClient, signal: AbortSignal): Promise<readonly ServerStatus[]> {
  const servers = await client.get<readonly ServerStatus[]>("/v1/servers", { signal });
  // Only what failed wrote something that anybody wants to read.
  return Promise.all(
    servers.map(async (server) =>
      server.lastFailure === undefined && server.state.kind !== "failed"
        ? server
        : client.get<ServerStatus>(`/v1/servers/${encodeURIComponent(server.alias)}?stderr=1`, { signal }),
    ),
  );
}

/** proc_pid_environ(5): as it was when the daemon started. */
async function pathOf(pid: number): Promise<string | undefined> {
  try {
    const environment = (await readFile(`/proc/${String(pid)}/environ`, "utf8")).split("\0");
    return environment.find((entry) => entry.startsWith("PATH="))?.slice("PATH=".length);
  } catch {
    return undefined;
  }
}

/** proc_pid_exe(5): the kernel marks a program whose file was removed or written over. */
async function isReplaced(pid: number): Promise<boolean> {
  try {
    return (await readlink(`/proc/${String(pid)}/exe`)).endsWith(" (deleted)");
  } catch {
    return false;
  }
}
