// Which server a tool name belongs to: read from the registry's snapshots and its history. A name is an opaque key; nothing is
// ever cut out of it.
import type { PoolClient } from "../pool-client.ts";
import type { RegistrySnapshot, RegistrySummary, VersionRow } from "../../daemon/contract/index.ts";
import { VERSIONS_LIMIT } from "../../daemon/contract/index.ts";

/** Of the snapshot at `version`, or of the current one. */
export async function aliasAt(
  client: PoolClient,
  tool: string,
  version: number | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const wanted = version ?? (await client.get<RegistrySummary>("/v1/registry", { signal })).version;
  const { tools } = await client.get<RegistrySnapshot>(`/v1/registry/versions/${String(wanted)}`, { signal });
  const source = tools.find(({ name }) => name === tool)?.source;
  return source?.kind === "mcp" ? source.alias : undefined;
}

/** Who published it last, and the version that withdrew it; undefined when the recent history does not know it. */
export async function lastHome(
  client: PoolClient,
  tool: string,
  signal: AbortSignal,
): Promise<{ readonly alias: string; readonly until: number } | undefined> {
  const rows = await client.get<readonly VersionRow[]>(`/v1/registry/versions?limit=${String(VERSIONS_LIMIT.max)}`, { signal });
  const gone = rows.find(({ removed }) => removed.includes(tool));
  if (gone === undefined) return undefined;
  const before = rows.find(({ version }) => version < gone.version)?.version ?? gone.version - 1;
  const alias = await aliasAt(client, tool, before, signal);
  return alias === undefined ? undefined : { alias, until: gone.version };
}
