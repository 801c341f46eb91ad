// The pool as it changes, over as many daemons as come and go. A new version is seen at once, by the registry's watch; what no
// version tells (calls, memory, sessions that fell silent) when it is read again after a while. A daemon that ends is waited for.
import { setTimeout as pause } from "node:timers/promises";
import { PoolError } from "../../daemon/contract/index.ts";
import type { Connected } from "../connector.ts";
import { DaemonUnavailable } from "../daemon-unavailable.ts";
import { withDeadline, type Limited } from "../deadline.ts";
import type { PoolClient } from "../pool-client.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";
import type { PoolFacts } from "./facts.ts";

export type Seen =
  | { readonly kind: "pool"; readonly facts: PoolFacts }
  /** No daemon to read from: why, and what a person can do. */
  | ({ readonly kind: "waiting" } & Waiting);

interface Waiting {
  readonly why: string;
  readonly next?: string;
}

export interface FollowPorts {
  /** Rejects with DaemonUnavailable. */
  readonly connect: (signal: AbortSignal) => Promise<Pick<Connected, "client" | "hello" | "discovery">>;
  readonly read: (pool: Pick<Connected, "client" | "hello" | "discovery">, signal: AbortSignal) => Promise<PoolFacts>;
  /** Between two readings that nothing has asked for (ms). */
  readonly intervalMs: number;
}

/** However many versions come: not more readings than this (ms between two). */
const CLOSEST_MS = 100;
/** Between two looks for a daemon (ms). */
const LOOK_MS = 500;
/** A reading that takes longer is one of a daemon that hangs (ms). */
const READ_MS = 10_000;
const HANGS = "not_answering";

/** Never ends by itself; an abort rejects. Rejects with what waiting cannot mend (another contract, a folder of somebody else). */
export async function* followPool(ports: FollowPorts, signal: AbortSignal): AsyncIterable<Seen> {
  for (;;) {
    let waiting: Waiting;
    try {
      const pool = await ports.connect(signal);
      try {
        for await (const facts of readings(pool, ports, signal)) yield { kind: "pool", facts };
        waiting = { why: "The daemon has ended" };
      } finally {
        await pool.client.destroy(new Error("The page goes on without this daemon"));
      }
    } catch (error) {
      waiting = reasonToWait(error, signal);
    }
    yield { kind: "waiting", ...waiting };
    await pause(LOOK_MS, undefined, { signal });
  }
}

/** Ends when the daemon does. */
async function* readings(
  pool: Parameters<FollowPorts["read"]>[0],
  ports: FollowPorts,
  signal: AbortSignal,
): AsyncIterable<PoolFacts> {
  const bell = new Bell();
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  let last: PoolFacts | undefined;
  try {
    for (;;) {
      const facts = await withDeadline(READ_MS, signal, (limited) => readBefore(limited, pool, ports));
      if (last === undefined) {
        void ringAtVersions(pool.client, facts.registry.version, bell, both).then(() => bell.close());
      }
      last = facts;
      yield facts;
      await pause(Math.min(CLOSEST_MS, ports.intervalMs), undefined, { signal });
      await bell.rung(ports.intervalMs - CLOSEST_MS, signal);
      if (bell.closed) return;
    }
  } finally {
    stop.abort();
  }
}

async function readBefore(
  { signal, expired }: Limited,
  pool: Parameters<FollowPorts["read"]>[0],
  ports: FollowPorts,
): Promise<PoolFacts> {
  try {
    return await ports.read(pool, signal);
  } catch (error) {
    throw expired() ? new PoolUnreachable(HANGS, "The daemon does not answer") : error;
  }
}

/** Rings at every version, and again from where it was when it was too slow. Resolves when the stream is over. */
async function ringAtVersions(client: PoolClient, from: number, bell: Bell, signal: AbortSignal): Promise<void> {
  let since = from;
  try {
    for (let again = true; again;) {
      again = false;
      for await (const { event, id } of client.watch(since, { signal })) {
        if (event === "closing") return;
        bell.ring();
        if (event === "version" && id !== undefined) since = Number(id);
        again = event === "lagging";
        if (again) break;
      }
    }
  } catch {
    // The line broke, or nobody listens any more: the next reading tells which.
  }
}

/** Throws what waiting cannot mend. */
function reasonToWait(error: unknown, signal: AbortSignal): Waiting {
  if (signal.aborted) throw error;
  if (error instanceof DaemonUnavailable && (error.code === "not_running" || error.code === "not_answering")) {
    return { why: error.message, next: error.next };
  }
  if (error instanceof PoolUnreachable)
    return { why: error.code === HANGS ? error.message : "The connection to the daemon was lost" };
  if (error instanceof PoolError) return { why: `The daemon answers: ${error.message}` };
  throw error;
}

/** Rings are not counted: one that nobody waited for is heard by the next who does. */
class Bell {
  #rung = false;
  #closed = false;
  #wake: () => void = () => undefined;

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  /** The last ring. */
  close(): void {
    this.#closed = true;
    this.ring();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves at a ring, or after `ms`. */
  async rung(ms: number, signal: AbortSignal): Promise<void> {
    const heard = new AbortController();
    this.#wake = () => heard.abort();
    if (!this.#rung)
      await pause(Math.max(0, ms), undefined, { signal: AbortSignal.any([signal, heard.signal]) }).catch(() => undefined);
    signal.throwIfAborted();
    this.#rung = false;
  }
}
