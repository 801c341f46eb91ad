// A pool whose servers were reviewed as a person does it: looked at in quarantine, decided, and written by the client's own code.
import { readFile } from "node:fs/promises";
import { readEntries, type Entry } from "../../config/entry.ts";
import type { Decision } from "../../config/policy-edit.ts";
import { storeReview, type Review } from "../../client/review/store.ts";
import type { TestPool } from "../support/pool.ts";

export async function entryOf(pool: TestPool, alias: string): Promise<Entry> {
  const read = readEntries(await readFile(pool.configFile, "utf8"));
  const entry = read.kind === "read" ? read.entries.get(alias) : undefined;
  if (entry === undefined) throw new Error(`no entry ${alias}`);
  return entry;
}

/** Everything `read` unless `decisions` says otherwise. Not stored yet. */
export async function lookAt(pool: TestPool, alias: string, decisions: Readonly<Record<string, Decision>> = {}): Promise<Review> {
  const entry = await entryOf(pool, alias);
  const inspection = await pool.client.request("servers.inspect", { alias, launchDigest: entry.launchDigest });
  const decided = inspection.tools.map(({ name }) => [name, decisions[name] ?? { effect: "read" as const }] as const);
  return { configFile: pool.configFile, entry, inspection, decisions: new Map(decided) };
}

export async function review(pool: TestPool, alias: string, decisions?: Readonly<Record<string, Decision>>): Promise<void> {
  await storeReview(await lookAt(pool, alias, decisions));
  await pool.client.request("config.reload", {});
}

/** Reads the configuration, changes one server's entry, writes it, and has it read again. */
export async function alter(
  pool: TestPool,
  alias: string,
  change: (entry: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const config = JSON.parse(await readFile(pool.configFile, "utf8")) as { mcpServers: Record<string, Record<string, unknown>> };
  const entry = config.mcpServers[alias] ?? {};
  pool.configure({ ...config.mcpServers, [alias]: change(entry) });
  await pool.client.request("config.reload", {});
}
