// One child process and its three pipes: spawned without a shell as leader of a group of its own, listened to on every pipe before
// anything is written, ended by the stop ladder until its whole group is verified gone. It carries bytes and knows no messages.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { spawnFailure, type Invocation } from "./command.ts";
import type { OwnedProcess } from "./port.ts";
import { owned, ProcessGroup } from "./process-group.ts";
import { readProcess } from "./process-table.ts";
import { climb, type Rung } from "./stop-ladder.ts";

export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildEvents {
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  /** The process ended; what it wrote before may still come until `drained`. Once. */
  onExit(exit: ChildExit): void;
  /** A pipe is of no use any more although the process lives. */
  onBroken(why: "stdin" | "stdout"): void;
  /** A member of the group was seen for the first time. */
  onProcess(process: OwnedProcess): void;
}

/** After the exit: how long the pipe is listened to in all, and how long a silence ends it (ms), when somebody holds it open. */
const DRAIN_MS = 250;
const DRAIN_SILENCE_MS = 25;

export class Child {
  readonly pid: number;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #events: ChildEvents;
  readonly #group: ProcessGroup;
  readonly #graceMs: number;
  readonly #reported = new Set<string>();
  #exit: ChildExit | undefined;
  /** Aborted when stdout and stderr have come to their ends. */
  readonly #pipesClosed = new AbortController();
  /** Counts what came over both, to notice silence. */
  #received = 0;
  #hurry = false;
  #firstLook = true;
  /** Ends the pause of the ladder. */
  #wake = new AbortController();
  #climbing: Promise<void> | undefined;

  private constructor(
    process: ChildProcessByStdio<Writable, Readable, Readable>,
    pid: number,
    graceMs: number,
    events: ChildEvents,
  ) {
    this.#process = process;
    this.pid = pid;
    this.#graceMs = graceMs;
    this.#events = events;
    const row = readProcess(pid);
    const leader = row === undefined ? undefined : owned(row);
    this.#group = new ProcessGroup(pid, leader === undefined ? [] : [leader]);
    this.#listen();
    if (leader !== undefined) this.#report([leader]);
  }

  /** Rejects `spawn_failed`. */
  static spawn(invocation: Invocation, graceMs: number, events: ChildEvents): Promise<Child> {
    let process: ChildProcessByStdio<Writable, Readable, Readable>;
    try {
      process = spawn(invocation.file, invocation.args, {
        cwd: invocation.cwd,
        env: invocation.env,
        stdio: ["pipe", "pipe", "pipe"],
        detached: globalThis.process.platform !== "win32",
        shell: false,
        windowsHide: true,
        windowsVerbatimArguments: invocation.verbatim,
      });
    } catch (error) {
      return Promise.reject(spawnFailure(error));
    }
    const { pid } = process;
    if (pid !== undefined) return Promise.resolve(new Child(process, pid, graceMs, events));
    return new Promise((_resolve, reject) => {
      process.once("error", (error) => reject(spawnFailure(error)));
      releasePipes(process);
    });
  }

  get exit(): ChildExit | undefined {
    return this.#exit;
  }

  /** False: wait for `drain` before writing more. What is written to a dead process is dropped. */
  write(text: string): boolean {
    return this.#process.stdin.write(text);
  }

  onDrain(listener: () => void): void {
    this.#process.stdin.once("drain", listener);
  }

  /** After the exit: resolves when all that was in the pipes has been handed over, or nothing more is to be expected. */
  async drained(): Promise<void> {
    const end = performance.now() + DRAIN_MS;
    let received = -1;
    while (!this.#pipesClosed.signal.aborted && received !== this.#received && performance.now() < end) {
      received = this.#received;
      await sleep(DRAIN_SILENCE_MS, this.#pipesClosed.signal);
    }
  }

  /** Reads the process table and reports new members of the group. */
  async look(): Promise<void> {
    if (this.#exit !== undefined) return;
    try {
      const state = await this.#group.look();
      if (state.kind === "ours") this.#report(state.members);
    } catch {
      // The table could not be read this time.
    }
  }

  /** The stop ladder, from where it stands. Resolves when the group is verified gone. */
  stop(): Promise<void> {
    return (this.#climbing ??= this.#climb());
  }

  /** SIGKILL to the group now, and no more manners. */
  kill(): Promise<void> {
    if (!this.#hurry) {
      this.#hurry = true;
      if (this.#exit === undefined) this.#group.signal("SIGKILL");
      this.#wake.abort();
    }
    return this.stop();
  }

  /** Leaves the pipe full for a while: what floods it has to wait, and everybody else gets a turn. */
  restStdout(ms: number): void {
    const { stdout } = this.#process;
    if (this.#exit !== undefined || stdout.isPaused()) return;
    stdout.pause();
    setTimeout(() => stdout.resume(), ms).unref();
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#process;
    this.#process.on("error", () => {
      // Also a signal that could not be sent; the exit is what counts.
    });
    this.#process.once("exit", (exitCode, signal) => {
      this.#exit = { exitCode, signal };
      this.#wake.abort();
      this.#events.onExit(this.#exit);
    });
    stdin.on("error", () => this.#events.onBroken("stdin"));
    stdout.on("error", () => this.#events.onBroken("stdout"));
    stderr.on("error", () => undefined);
    let open = 2;
    for (const [pipe, onChunk] of [
      [stdout, (chunk: Buffer) => this.#events.onStdout(chunk)],
      [stderr, (chunk: Buffer) => this.#events.onStderr(chunk)],
    ] as const) {
      pipe.on("data", (chunk: Buffer) => {
        this.#received += chunk.byteLength;
        onChunk(chunk);
      });
      pipe.once("close", () => {
        if (--open === 0) this.#pipesClosed.abort();
      });
    }
    stdout.once("close", () => {
      if (this.#exit === undefined) this.#events.onBroken("stdout");
    });
  }

  async #climb(): Promise<void> {
    await climb(
      {
        act: (rung) => this.#act(rung),
        isGone: () => this.#isGone(),
        leaderGone: () => this.#exit !== undefined,
        hurry: () => this.#hurry,
        pause: (ms) => this.#pause(ms),
      },
      this.#graceMs,
    );
    await this.drained();
    // A process outside the group may hold the other ends for ever: ours are closed whatever it does.
    for (const pipe of [this.#process.stdin, this.#process.stdout, this.#process.stderr]) pipe.destroy();
  }

  #act(rung: Rung): void {
    switch (rung) {
      case "stdin":
        this.#process.stdin.end();
        break;
      case "interrupt":
        this.#group.signal("SIGINT");
        break;
      case "terminate":
        this.#process.stdin.destroy();
        this.#group.signal("SIGTERM");
        break;
      case "kill":
        this.#process.stdin.destroy();
        this.#group.signal("SIGKILL");
    }
  }

  async #isGone(): Promise<boolean> {
    try {
      const state = await this.#group.look({ inherited: this.#firstLook });
      this.#firstLook = false;
      if (state.kind === "ours") this.#report(state.members);
      return state.kind !== "ours";
    } catch {
      // Not read is not verified.
      return false;
    }
  }

  #pause(ms: number): Promise<void> {
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    return sleep(ms, this.#wake.signal);
  }

  #report(members: readonly OwnedProcess[]): void {
    for (const member of members) {
      const identity = `${String(member.pid)} ${member.startedAt}`;
      if (this.#reported.has(identity)) continue;
      this.#reported.add(identity);
      this.#events.onProcess(member);
    }
  }
}

/** Resolves after `ms`, or when the signal says so. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch {
    // Woken.
  }
}

/** Of a process that was not started; with too many open files there are not even pipes. */
function releasePipes({ stdio }: { readonly stdio?: readonly (Readable | Writable | null | undefined)[] }): void {
  for (const pipe of stdio ?? []) pipe?.on("error", () => undefined).destroy();
}
