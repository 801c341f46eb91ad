// Finds the daemon of a state folder, or starts it. Any number of starters may race: the daemon's own lock decides, one of
// them wins, and the others wait for the winner and use it. The wait is bounded, says once that it takes long, and ends with a
// sentence about what to do. A daemon that speaks another contract is reported and left alone.
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { assertNever, CONTRACT_VERSION, START_LOCKED, type Discovery, type HelloResult } from "../daemon/contract/index.ts";
import { startDaemon, type DaemonProgram, type Environment, type StartEnd } from "./daemon-start.ts";
import { DaemonUnavailable } from "./daemon-unavailable.ts";
import { withDeadline } from "./deadline.ts";
import type { PoolClient } from "./pool-client.ts";
import { probeDaemon, type Place, type Probe } from "./probe.ts";
import { PROGRAM } from "../config/program.ts";

export interface ConnectOptions {
  /** Start a daemon when there is none. */
  readonly start: boolean;
  readonly place: Place;
  /** Absolute; default: what the daemon itself finds. */
  readonly configFile?: string;
  /** TCP port for a daemon that has to be started; 0 picks a free one. */
  readonly port?: number;
  /** The daemon's program file. */
  readonly daemonProgram: string;
  readonly env: Environment;
  readonly onProgress?: (notice: string) => void;
  readonly signal: AbortSignal;
  /** For all of it (ms). */
  readonly deadlineMs?: number;
  /** When to say that it takes long (ms). */
  readonly noticeMs?: number;
}

type ProgramWishes = Pick<ConnectOptions, "place" | "configFile" | "port" | "daemonProgram" | "env">;

export interface Connected {
  /** The caller closes it. */
  readonly client: PoolClient;
  readonly hello: HelloResult;
  readonly discovery: Discovery;
  /** False when it was already there, or when another starter won. */
  readonly started: boolean;
}

const DEADLINE_MS = 30_000;
const NOTICE_MS = 2_000;
/** How often a daemon that is coming or going is looked at (ms). */
const LOOK_MS = 25;
/** After losing the race for the lock: how long to wait for the winner before trying to start again (ms), growing. */
const RETRY_MS = { first: 500, factor: 2, max: 4_000 } as const;

/** Rejects with DaemonUnavailable, or with the signal's reason. */
export async function connectToPool(options: ConnectOptions): Promise<Connected> {
  const { deadlineMs = DEADLINE_MS, noticeMs = NOTICE_MS, onProgress, signal } = options;
  const notice = setTimeout(() => onProgress?.("The daemon is still starting…"), noticeMs);
  let last = "nothing answered";
  try {
    return await withDeadline(deadlineMs, signal, async (limited) => {
      try {
        return await settle(options, limited.signal, (seen) => (last = seen));
      } catch (error) {
        if (limited.expired()) throw tookTooLong(options.start, deadlineMs, last);
        throw error;
      }
    });
  } finally {
    clearTimeout(notice);
  }
}

async function settle(options: ConnectOptions, signal: AbortSignal, saw: (what: string) => void): Promise<Connected> {
  let started: Discovery | undefined;
  let wait: number = RETRY_MS.first;
  let startAgainAt = 0;
  for (;;) {
    const probe = await probeDaemon(options.place, signal);
    switch (probe.kind) {
      case "running":
        return { ...pick(probe), started: started?.pid === probe.hello.pid };
      case "mismatch":
        throw mismatch(probe);
      case "unpublished":
        await probe.client.close();
        saw(`the daemon with pid ${String(probe.hello.pid)} is starting or closing`);
        break;
      case "silent":
        saw(`something answers on the socket, but not as a daemon does: ${probe.message}`);
        break;
      case "absent": {
        if (!options.start) throw notRunning(options.place.stateFolder);
        if (performance.now() < startAgainAt) break;
        const end = await startDaemon(programOf(options), signal);
        if (end.kind === "ready") started = end.discovery;
        else if (end.kind !== "failed" || end.code !== START_LOCKED) throw startFailed(end);
        // Ready: the next look finds it. Locked: the holder publishes itself, or it was closing and leaves the place free.
        saw(end.kind === "ready" ? "the daemon said it is ready but does not answer" : end.message);
        startAgainAt = performance.now() + wait;
        wait = Math.min(wait * RETRY_MS.factor, RETRY_MS.max);
        if (end.kind === "ready") continue;
        break;
      }
      default:
        assertNever(probe);
    }
    await pause(LOOK_MS, undefined, { signal });
  }
}

const pick = ({ client, hello, discovery }: Extract<Probe, { kind: "running" }>): Omit<Connected, "started"> => ({
  client,
  hello,
  discovery,
});

/** The daemon's program with its arguments. It may run elsewhere than we do: what is relative for us is made absolute for it. */
export function programOf({ place, configFile, port, daemonProgram, env }: ProgramWishes): DaemonProgram {
  const args = [
    ...(configFile === undefined ? [] : ["--config", configFile]),
    ...(port === undefined ? [] : ["--port", String(port)]),
  ];
  const named =
    env.TOOLPOOL_CONFIG === undefined || env.TOOLPOOL_CONFIG === "" ? {} : { TOOLPOOL_CONFIG: resolve(env.TOOLPOOL_CONFIG) };
  return { file: daemonProgram, args, env: { ...env, ...named, TOOLPOOL_STATE: place.stateFolder } };
}

export function notRunning(stateFolder: string): DaemonUnavailable {
  return new DaemonUnavailable("not_running", `Toolpool is not running (state folder ${stateFolder})`, "Start it: toolpool up");
}

function mismatch({ discovery, message }: Extract<Probe, { kind: "mismatch" }>): DaemonUnavailable {
  const theirs =
    discovery === undefined
      ? message
      : `the daemon (pid ${String(discovery.pid)}, version ${discovery.version}) speaks contract ${String(discovery.contractVersion)}`;
  return new DaemonUnavailable(
    "contract_mismatch",
    `This toolpool (version ${PROGRAM.version}) speaks contract ${String(CONTRACT_VERSION)}; ${theirs}`,
    "Use the toolpool of that version, or stop the daemon and start this one: toolpool down && toolpool up",
  );
}

const HOW_TO_SEE = "See what it does: toolpool up --foreground; what it said: toolpool logs";

function startFailed(end: Exclude<StartEnd, { kind: "ready" }>): DaemonUnavailable {
  if (end.kind === "died") {
    return new DaemonUnavailable("start_failed", `The daemon ended before it was ready (${end.how})`, HOW_TO_SEE);
  }
  const refused = end.exitCode === 2;
  const next = refused
    ? "Correct the configuration; toolpool check shows what is wrong with it."
    : end.code === "port_in_use"
      ? "Choose another port, or let the system choose: toolpool up --port 0"
      : HOW_TO_SEE;
  // One sentence, or one fault of the configuration a line; the stack of an unforeseen fault is in its log.
  const [first = "", ...more] = end.message.split("\n").filter((line) => refused || !/^\s+at /.test(line));
  return new DaemonUnavailable("start_failed", `The daemon did not start: ${first}`, next, refused ? 2 : 3, more);
}

function tookTooLong(start: boolean, deadlineMs: number, last: string): DaemonUnavailable {
  const after = `after ${String(deadlineMs / 1_000)} s`;
  return start
    ? new DaemonUnavailable("start_timeout", `There is still no daemon ${after}: ${last}`, HOW_TO_SEE)
    : new DaemonUnavailable("not_answering", `The daemon does not answer ${after}: ${last}`, HOW_TO_SEE);
}
