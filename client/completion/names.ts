// The names that only a running pool knows: aliases and tools; aliases also from the configuration when no daemon runs. It starts
// nothing, gives up after a moment, and what goes wrong is no candidate instead of a message in somebody's prompt.
import { configFile } from "../../config/paths.ts";
import { checkFile } from "../../config/load.ts";
import type { RegistrySnapshot, RegistrySummary, ServerStatus } from "../../daemon/contract/index.ts";
import type { Surroundings } from "../commands/surroundings.ts";
import { placeOf } from "../commands/surroundings.ts";
import type { PoolClient } from "../pool-client.ts";
import { probeDaemon } from "../probe.ts";
import type { Candidate } from "./wanted.ts";

/** For the daemon's answers (ms). A start of Node.js comes on top, and together they stay below a second. */
const ASK_MS = 600;

export async function aliases(world: Surroundings): Promise<readonly Candidate[]> {
  const known = await fromPool(world, async (client, signal) => {
    const servers = await client.get<readonly ServerStatus[]>("/v1/servers", { signal });
    return servers.map(({ alias, state }) => ({ value: alias, about: state.kind }));
  });
  return known ?? fromConfiguration(world);
}

export async function tools(world: Surroundings): Promise<readonly Candidate[]> {
  const known = await fromPool(world, async (client, signal) => {
    const { version } = await client.get<RegistrySummary>("/v1/registry", { signal });
    const snapshot = await client.get<RegistrySnapshot>(`/v1/registry/versions/${String(version)}`, { signal });
    // The description is the server's text; the effect is the policy's word.
    return snapshot.tools.map(({ name, effect }) => ({ value: name, about: effect }));
  });
  return known ?? [];
}

/** Undefined without a daemon that answers in time. */
async function fromPool(
  world: Surroundings,
  ask: (client: PoolClient, signal: AbortSignal) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[] | undefined> {
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(ASK_MS)]);
  try {
    const probe = await probeDaemon(placeOf(world), signal);
    if (probe.kind !== "running") {
      if (probe.kind === "unpublished") await probe.client.close();
      return undefined;
    }
    try {
      return await ask(probe.client, signal);
    } finally {
      await probe.client.close();
    }
  } catch {
    return undefined;
  }
}

async function fromConfiguration({ env }: Surroundings): Promise<readonly Candidate[]> {
  const checked = await checkFile(configFile(env), env);
  if (checked.kind === "refused") return [];
  return checked.servers.map(({ alias, status }) => ({ value: alias, about: status === "valid" ? "" : status }));
}
