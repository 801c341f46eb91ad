// Applies a newly loaded configuration to the running pool. Only servers whose definition changed are touched, each in one
// version; what was held is started again. Other words about a server are told to those who may connect it, and touch nothing.
import { ConnectRefused, PoolError, type ConfigIssue, type ConfiguredServer, type PoolConfig } from "../contract/index.ts";
import type { Change } from "../registry/types.ts";
import type { Attachments } from "./attachments.ts";
import { managementSet } from "./management.ts";
import type { ServerConnections } from "./ports.ts";

export interface Reconfiguration {
  /** Added, removed and altered servers, in the order of the files. */
  readonly changed: readonly string[];
  /** Resolves when what was held has settled again. Failed starts stay as states. */
  readonly settled: Promise<void>;
}

/** Resolves when every touched server has been stopped: only then may the next configuration be applied. */
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
  const stops: Promise<void>[] = [];
  const starts: Promise<void>[] = [];
  for (const alias of removed) {
    known.delete(alias);
    // While it is being closed a caller of an older version may ask for it: what began now would be nobody's.
    connections.refuse(alias);
    stops.push(attachments.remove(alias, offered(known)).then(() => connections.forget(alias)));
  }
  for (const server of changed) {
    const before = known.get(server.alias);
    known.set(server.alias, server);
    connections.configure(server);
    if (before === undefined || goesOn(before, server)) {
      attachments.announce(server.alias, "configure", offered(known));
      continue;
    }
    const stopped = attachments.stop(server.alias, "configure", offered(known));
    stops.push(stopped);
    starts.push(stopped.then(() => again(server, connections, attachments, signal)));
  }
  const settled = Promise.all(starts).then(() => undefined);
  // Whoever waits for it hears of a fault; without anybody it is no unhandled rejection.
  settled.catch(() => undefined);
  await Promise.all(stops);
  return { changed: [...removed, ...changed.map((server) => server.alias)], settled };
}

async function again(
  server: ConfiguredServer,
  connections: ServerConnections,
  attachments: Attachments,
  signal: AbortSignal,
): Promise<void> {
  const { alias } = server;
  if (server.kind !== "valid" || server.spec.disabled) return;
  const holders = [...attachments.sessionsOf(alias), ...(attachments.heldByPool(alias) ? [null] : [])];
  const owners = new Set(holders.map((holder) => attachments.owner(alias, holder)));
  const starts = await Promise.allSettled([...owners].map((owner) => connections.connect(alias, owner, signal)));
  for (const start of starts) if (start.status === "rejected" && !isAnswer(start.reason)) throw start.reason;
}

const offered = (servers: ReadonlyMap<string, ConfiguredServer>): readonly Change[] => [
  { kind: "management", management: managementSet(servers.values()) },
];

/** A start that came to nothing is a state; a server that the next configuration has removed meanwhile is none at all. */
const isAnswer = (error: unknown): boolean =>
  error instanceof ConnectRefused || (error instanceof PoolError && error.reason === "unknown_alias");

/** The definition is the same: what runs may go on. */
const goesOn = (before: ConfiguredServer, after: ConfiguredServer): boolean =>
  before.kind === "valid" && after.kind === "valid" && before.spec.digest === after.spec.digest;

function differs(before: ConfiguredServer | undefined, after: ConfiguredServer): boolean {
  if (before?.kind === "valid" && after.kind === "valid") {
    return !goesOn(before, after) || before.spec.description !== after.spec.description;
  }
  if (before === undefined || before.kind === "valid" || after.kind === "valid") return true;
  return before.kind !== after.kind || faults(before.issues) !== faults(after.issues) || launchOf(before) !== launchOf(after);
}

/** What is wrong, wherever in the file it now stands. */
const faults = (issues: readonly ConfigIssue[]): string =>
  JSON.stringify(issues.map(({ pointer, message }) => [pointer, message]));

const launchOf = (server: ConfiguredServer): string => (server.kind === "unreviewed" ? server.spec.digest : "");
