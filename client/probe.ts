// Is there a daemon, and which one? The discovery file is a hint, the daemon's own `pool.hello` is the truth: only when both
// name the same process and pool is it "running". Everything else is told apart and left to the caller. Refuses to talk through a
// folder or a socket that belongs to another user, and never removes or ends anything.
import { lstatSync, readFileSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { CONTRACT_VERSION, isJsonObject, PoolError, type Discovery, type HelloResult } from "../daemon/contract/index.ts";
import { PROGRAM } from "../config/program.ts";
import { DaemonUnavailable } from "./daemon-unavailable.ts";
import { withDeadline } from "./deadline.ts";
import { PoolClient } from "./pool-client.ts";
import { PoolUnreachable } from "./pool-unreachable.ts";

export interface Place {
  readonly stateFolder: string;
  /** Where the socket is by default; the discovery file may name another. */
  readonly socketPath: string;
  /** The user who must own both; undefined where the system knows no such number. */
  readonly uid: number | undefined;
}

/** Whoever is given a `client` closes it. */
export type Probe =
  | { readonly kind: "running"; readonly client: PoolClient; readonly hello: HelloResult; readonly discovery: Discovery }
  /** It answers, but the file does not name it: it is about to publish itself, or it has unpublished itself and is closing. */
  | { readonly kind: "unpublished"; readonly client: PoolClient; readonly hello: HelloResult }
  /** Nobody listens. */
  | { readonly kind: "absent" }
  /** Somebody listens and does not answer as a daemon does. */
  | { readonly kind: "silent"; readonly message: string }
  | { readonly kind: "mismatch"; readonly message: string; readonly discovery: Discovery | undefined };

/** How long one `pool.hello` may take (ms): a busy machine is slow, a healthy daemon answers. */
const HELLO_MS = 5_000;
const NOBODY = new Set(["ENOENT", "ENOTDIR", "ECONNREFUSED", "ENOTSOCK"]);

/** `contractVersion` is the one to speak; a program that only wants to stop a daemon speaks the daemon's own. */
export async function probeDaemon(place: Place, signal: AbortSignal, speakTheirs = false): Promise<Probe> {
  refuseForeign(place.stateFolder, place.uid, "state folder");
  const discovery = readDiscovery(place.stateFolder);
  const socketPath = discovery?.socketPath ?? place.socketPath;
  refuseForeign(socketPath, place.uid, "socket");
  const client = new PoolClient({ kind: "socket", socketPath });
  try {
    const contractVersion = speakTheirs && discovery !== undefined ? discovery.contractVersion : CONTRACT_VERSION;
    const params = { client: PROGRAM, contractVersion };
    const hello = await withDeadline(HELLO_MS, signal, (limited) =>
      client.request("pool.hello", params, { signal: limited.signal }),
    );
    return isSame(discovery, hello) ? { kind: "running", client, hello, discovery } : { kind: "unpublished", client, hello };
  } catch (error) {
    await client.close();
    if (signal.aborted) throw error;
    if (error instanceof PoolError && error.reason === "contract_mismatch") {
      return { kind: "mismatch", message: error.message, discovery };
    }
    if (error instanceof PoolUnreachable && NOBODY.has(error.code)) return { kind: "absent" };
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "silent", message };
  }
}

/** The pool's id outlives its daemons and a pid may come again: the start time tells two of them apart. */
function isSame(discovery: Discovery | undefined, hello: HelloResult): discovery is Discovery {
  if (discovery === undefined) return false;
  return discovery.pid === hello.pid && discovery.poolId === hello.poolId && discovery.startedAt === hello.startedAt;
}

/** Undefined when there is none, or when it is not (or not yet) a discovery file. */
export function readDiscovery(stateFolder: string): Discovery | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(join(stateFolder, "daemon.json"), "utf8"));
    return isDiscovery(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

export function isDiscovery(content: unknown): content is Discovery {
  if (!isJsonObject(content)) return false;
  const texts = [content.startedAt, content.poolId, content.version, content.socketPath, content.url];
  return texts.every((text) => typeof text === "string") && [content.pid, content.contractVersion].every(Number.isInteger);
}

/** Undefined when nothing is there, also where a file stands in the way. */
function factsOf(path: string, look: typeof statSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** A link is followed for the folder (people move it to another disk), never for the socket. */
function refuseForeign(path: string, uid: number | undefined, what: "state folder" | "socket"): void {
  if (uid === undefined) return;
  const facts = factsOf(path, what === "socket" ? lstatSync : statSync);
  if (facts === undefined || facts.uid === uid) return;
  throw new DaemonUnavailable(
    "foreign_owner",
    `The ${what} ${path} belongs to another user (uid ${String(facts.uid)}, you are ${String(uid)})`,
    what === "socket"
      ? "Set TOOLPOOL_STATE to a folder of your own, or have that socket removed by its owner."
      : "Set TOOLPOOL_STATE to a folder of your own.",
  );
}
