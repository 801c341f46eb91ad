// `toolpool connect|disconnect|restart <alias>`: the pool itself takes or gives up its hold on a server. While a start runs it
// says so and for how long; when it fails, why, and what to do next.
import type { RegistrySnapshot, ServerStatus } from "../../daemon/contract/index.ts";
import type { PoolClient } from "../pool-client.ts";
import { visible } from "../output/visible.ts";
import { connectFailed } from "./failure.ts";
import { withPool, type Run } from "./surroundings.ts";

const TICK_MS = 100;

export async function connect(run: Run, alias: string, how: "connect" | "restart"): Promise<void> {
  await withPool(run, async ({ client }) => {
    const stop = showElapsed(run, `${how === "connect" ? "Connecting" : "Restarting"} ${alias}`);
    const change = await client
      .request(`servers.${how}`, { alias }, { signal: run.signal })
      .catch((error: unknown) => {
        throw connectFailed(alias, error);
      })
      .finally(stop);
    const tools = await toolsOf(client, alias, change.version, run.signal);
    const { screen } = run;
    if (screen.json) {
      screen.value({ ...change, tools });
      return;
    }
    const count = `${String(tools.length)} tool${tools.length === 1 ? "" : "s"}`;
    screen.line(`${screen.colours.green(`${alias} is ${change.state}`)}: ${count} at version ${String(change.version)}`);
    for (const name of tools) screen.line(`  ${visible(name)}`);
  });
}

export async function disconnect(run: Run, alias: string): Promise<void> {
  await withPool(run, async ({ client }) => {
    const change = await client.request("servers.disconnect", { alias }, { signal: run.signal });
    const { screen } = run;
    if (screen.json) {
      screen.value(change);
      return;
    }
    if (change.state !== "connected") {
      screen.line(`${alias} is ${change.state} (version ${String(change.version)})`);
      return;
    }
    // The pool let go, but sessions still hold it: one leaving never takes tools from another.
    const { attachedSessions } = await client.request("servers.get", { alias }, { signal: run.signal });
    screen.line(`The pool no longer holds ${alias}; it stays connected for ${holders(attachedSessions)}`);
  });
}

function holders(sessions: ServerStatus["attachedSessions"]): string {
  return sessions.length === 0 ? "a while" : `${String(sessions.length)} session${sessions.length === 1 ? "" : "s"}`;
}

async function toolsOf(client: PoolClient, alias: string, version: number, signal: AbortSignal): Promise<string[]> {
  const { tools } = await client.get<RegistrySnapshot>(`/v1/registry/versions/${String(version)}`, { signal });
  return tools.filter(({ source }) => source.kind === "mcp" && source.alias === alias).map(({ name }) => name);
}

/** One line with the seconds that went by; the returned function takes it away. */
function showElapsed({ screen }: Run, what: string): () => void {
  const begun = performance.now();
  const show = (): void => screen.moving(`${what}… ${String(Math.floor((performance.now() - begun) / 1_000))} s`);
  const timer = setInterval(show, TICK_MS);
  show();
  return () => {
    clearInterval(timer);
    screen.settle();
  };
}
