// Ends a connected server's process from outside while nobody calls it, and waits for the registry to say so.
import type { ServerStatus } from "../../daemon/contract/index.ts";
import type { VersionRow } from "../../daemon/contract/index.ts";
import type { PoolClient } from "../pool-client.ts";
import type { IdleDeath } from "./evidence.ts";
import type { DemoAlias } from "./names.ts";
import type { Observer } from "./observer.ts";

const LONGEST_MS = 5_000;

/** A session of its own holds the server, as a second terminal would. */
export async function endIdleServer(
  client: PoolClient,
  observer: Observer,
  alias: DemoAlias,
  caller: AbortSignal,
): Promise<IdleDeath | undefined> {
  const opened = await client.request("session.open", { label: "second terminal", attach: [alias] }, { signal: caller });
  try {
    await observer.look();
    const { pid } = await client.get<ServerStatus>(`/v1/servers/${alias}`);
    if (pid === undefined) return undefined;
    const signal = AbortSignal.any([caller, AbortSignal.timeout(LONGEST_MS)]);
    // Following begins before the end, so that the very moment is seen.
    const removal = firstRemoval(client, opened.version, signal);
    const begun = performance.now();
    process.kill(pid, "SIGKILL");
    const row = await removal;
    caller.throwIfAborted();
    return { alias, pid, row, afterMs: performance.now() - begun };
  } finally {
    await client.request("session.close", { sessionId: opened.sessionId });
  }
}

async function firstRemoval(client: PoolClient, since: number, signal: AbortSignal): Promise<VersionRow | undefined> {
  try {
    for await (const { event, data } of client.watch(since, { signal })) {
      if (event !== "version") continue;
      const row = JSON.parse(data) as VersionRow;
      if (row.removed.length > 0) return row;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return undefined;
}
