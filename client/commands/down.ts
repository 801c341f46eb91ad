// `toolpool down`: asks the daemon over its socket to close, then waits until its process is gone and nothing listens any
// more. It sends no signal to any pid, and speaks the daemon's own contract, so that a newer program can stop an older one.
import { DaemonUnavailable } from "../daemon-unavailable.ts";
import { withDeadline } from "../deadline.ts";
import type { PoolClient } from "../pool-client.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";
import { probeDaemon, type Probe } from "../probe.ts";
import { markProcess, processEnd } from "../process-end.ts";
import { PoolError, type ServerStatus, type SessionInfo } from "../../daemon/contract/index.ts";
import { Failure } from "./failure.ts";
import { placeOf, type Run } from "./surroundings.ts";

/** Draining, every server's stop ladder, the journal: bounded by the daemon, this is for when it hangs (ms). */
const GONE_MS = 60_000;

interface Closing {
  readonly servers: readonly string[];
  readonly sessions: number;
}

export async function down(run: Run): Promise<void> {
  const probe = await probeDaemon(placeOf(run), run.signal, true);
  if (probe.kind === "absent") {
    sayNotRunning(run);
    return;
  }
  if (probe.kind === "silent" || probe.kind === "mismatch") throw notOurs(probe);
  const { client, hello } = probe;
  try {
    const mark = markProcess(hello.pid);
    const closing = await whatCloses(client, run.signal);
    await shutdown(client, run.signal);
    // Our own idle connection is nothing the daemon should have to wait for.
    await client.close();
    run.screen.moving("Closing…");
    if (mark !== undefined) {
      await withDeadline(GONE_MS, run.signal, async ({ signal, expired }) => {
        await processEnd(mark, signal).catch((error: unknown) => {
          throw expired() ? stillThere(hello.pid) : error;
        });
      });
    }
    say(run, hello.pid, closing);
  } finally {
    await client.close();
  }
}

function sayNotRunning({ screen }: Run): void {
  if (screen.json) screen.value({ stopped: false });
  else screen.line("Toolpool is not running");
}

function notOurs(probe: Extract<Probe, { kind: "silent" | "mismatch" }>): DaemonUnavailable {
  const next = "Stop that program yourself, or set TOOLPOOL_STATE to another folder.";
  return new DaemonUnavailable("not_answering", `What answers on the socket cannot be stopped: ${probe.message}`, next);
}

/** For the report only: a daemon that is closing already says nothing of it. */
async function whatCloses(client: PoolClient, signal: AbortSignal): Promise<Closing> {
  try {
    const [servers, sessions] = await Promise.all([
      client.get<readonly ServerStatus[]>("/v1/servers", { signal }),
      client.get<readonly SessionInfo[]>("/v1/sessions", { signal }),
    ]);
    const living = servers.filter(({ state }) => state.kind === "connected" || state.kind === "connecting");
    return { servers: living.map(({ alias }) => alias), sessions: sessions.length };
  } catch (error) {
    if (signal.aborted) throw error;
    return { servers: [], sessions: 0 };
  }
}

async function shutdown(client: PoolClient, signal: AbortSignal): Promise<void> {
  try {
    await client.request("daemon.shutdown", {}, { signal });
  } catch (error) {
    // It is closing already, or was quicker than its own answer.
    if (error instanceof PoolError && error.reason === "shutting_down") return;
    if (!(error instanceof PoolUnreachable)) throw error;
  }
}

function stillThere(pid: number): Failure {
  const next = "See what it waits for: toolpool logs";
  return new Failure(1, `The daemon (pid ${String(pid)}) is still closing after ${String(GONE_MS / 1_000)} s`, {
    reason: "still_closing",
    next,
  });
}

function say({ screen }: Run, pid: number, { servers, sessions }: Closing): void {
  if (screen.json) {
    screen.value({ stopped: true, pid, servers, sessions });
    return;
  }
  const closed = [
    ...(servers.length === 0 ? [] : [`${plural(servers.length, "server")} (${servers.join(", ")})`]),
    ...(sessions === 0 ? [] : [plural(sessions, "session")]),
  ];
  screen.line(`Toolpool is stopped (pid ${String(pid)})${closed.length === 0 ? "" : `: closed ${closed.join(" and ")}`}`);
}

const plural = (count: number, word: string): string => `${String(count)} ${word}${count === 1 ? "" : "s"}`;
