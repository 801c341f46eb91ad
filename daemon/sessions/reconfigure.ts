// Applies a newly loaded configuration to the running pool. Only servers whose definition changed are touched, each in one
// version; what was held is started again.
import { ConnectRefused, type ConfigIssue, type ConfiguredServer, type PoolConfig } from "../contract/index.ts";
import type { Change } from "../registry/types.ts";
import type { Attachments } from "./attachments.ts";
import { managementSet } from "./management.ts";
import type { ServerConnections } from "./ports.ts";

export interface Reconfiguration {
  /** Added, removed and altered servers, in the order of the files. */
  readonly changed: readonly string[];
}

/** Resolves when every touched server has been stopped and what was held has settled again. Failed starts stay as states. */
export async function reconfigure(
  next: PoolConfig,
  connections: ServerConnections,
  attachments: Attachments,
  signal: AbortSignal,
): Promise<Reconfiguration> {
  const known = new Map(connections.aliases().map((alias) => [alias, connections.configured(alias)]));
  const changed = [...next.servers.values()].filter((server) => differs(known.get(server.alias), server));
  // The pins of the others may be new.
  for (const server of next.servers.values())
    if (known.has(server.alias) && !changed.includes(server)) connections.configure(server);
  const removed = [...known.keys()].filter((alias) => !next.servers.has(alias));
  const work: Promise<void>[] = [];
  for (const alias of removed) {
    known.delete(alias);
    work.push(attachments.remove(alias, offered(known)).then(() => connections.forget(alias)));
  }
  for (const server of changed) {
    const running = known.has(server.alias);
    known.set(server.alias, server);
    connections.configure(server);
    if (running) work.push(again(server, connections, attachments, offered(known), signal));
    else await attachments.stop(server.alias, "configure", offered(known));
  }
  await Promise.all(work);
  return { changed: [...removed, ...changed.map((server) => server.alias)] };
}

async function again(
  server: ConfiguredServer,
  connections: ServerConnections,
  attachments: Attachments,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<void> {
  const { alias } = server;
  await attachments.stop(alias, "configure", changes);
  if (server.kind !== "valid" || server.spec.disabled) return;
  const holders = [...attachments.sessionsOf(alias), ...(attachments.heldByPool(alias) ? [null] : [])];
  const owners = new Set(holders.map((holder) => attachments.owner(alias, holder)));
  const starts = await Promise.allSettled([...owners].map((owner) => connections.connect(alias, owner, signal)));
  for (const start of starts) if (start.status === "rejected" && !(start.reason instanceof ConnectRefused)) throw start.reason;
}

const offered = (servers: ReadonlyMap<string, ConfiguredServer>): readonly Change[] => [
  { kind: "management", management: managementSet(servers.values()) },
];

function differs(before: ConfiguredServer | undefined, after: ConfiguredServer): boolean {
  if (before?.kind === "valid" && after.kind === "valid") {
    return before.spec.digest !== after.spec.digest || before.spec.description !== after.spec.description;
  }
  if (before === undefined || before.kind === "valid" || after.kind === "valid") return true;
  return before.kind !== after.kind || faults(before.issues) !== faults(after.issues) || launchOf(before) !== launchOf(after);
}

/** What is wrong, wherever in the file it now stands. */
const faults = (issues: readonly ConfigIssue[]): string =>
  JSON.stringify(issues.map(({ pointer, message }) => [pointer, message]));

const launchOf = (server: ConfiguredServer): string => (server.kind === "unreviewed" ? server.spec.digest : "");
