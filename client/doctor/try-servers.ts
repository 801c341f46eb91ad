// `--start`: connects what is reviewed and not connected, through the daemon and on a session of our own, and gives it back. Never
// anything that nobody has reviewed, and nothing that is disabled. A run that is cut off leaves a session that ends by itself.
import type { ServerSpec } from "../../daemon/contract/index.ts";
import { withPool, type Run } from "../commands/surroundings.ts";
import { withDeadline } from "../deadline.ts";
import type { Facts } from "./facts.ts";
import { seen } from "./look.ts";

/** The daemon's own limit of a start ends it; this is for a daemon that hangs (ms). */
const SPARE_MS = 15_000;
/** So many at a time: as many as the daemon starts at once. */
const AT_ONCE = 3;
const IDLE_MS = 60_000;

/** The aliases that were tried. Without a running daemon there are none. */
export async function tryServers(run: Run, facts: Facts): Promise<readonly string[]> {
  const specs = startable(facts);
  if (specs.length === 0) return [];
  await withPool(run, async ({ client }) => {
    const { sessionId } = await client.request("session.open", { label: "doctor", idleMs: IDLE_MS }, { signal: run.signal });
    try {
      const waiting = [...specs];
      const work = async (): Promise<void> => {
        for (let spec = waiting.shift(); spec !== undefined; spec = waiting.shift()) {
          const { alias, startupTimeoutMs, installTimeoutMs } = spec;
          run.screen.moving(`Starting ${alias}…`);
          await withDeadline(startupTimeoutMs + installTimeoutMs + SPARE_MS, run.signal, async ({ signal }) => {
            // How it went is read from the daemon afterwards, with everything that belongs to it.
            await client.request("servers.connect", { alias, sessionId }, { signal }).catch(() => undefined);
          });
          run.signal.throwIfAborted();
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } finally {
      run.screen.settle();
      await client.request("session.close", { sessionId }).catch(() => undefined);
    }
  });
  return specs.map(({ alias }) => alias);
}

function startable(facts: Facts): readonly ServerSpec[] {
  const daemon = seen(facts.daemon);
  const loaded = seen(facts.configuration)?.loaded;
  if (daemon?.kind !== "running" || loaded?.kind !== "ok") return [];
  return daemon.servers.flatMap(({ alias, state }) => {
    const server = loaded.config.servers.get(alias);
    const reviewed = server?.kind === "valid" && !server.spec.disabled && (server.spec.pins?.launch ?? []).length === 0;
    return reviewed && (state.kind === "idle" || state.kind === "failed") ? [server.spec] : [];
  });
}
