// `toolpool up`: starts the daemon, or finds the one that runs, and says where it listens. Asking for another configuration or
// port than the running one's is refused, not ignored. In the foreground the daemon is our child: its output is ours, signals
// go to it, its exit code is ours.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { configFile } from "../../config/paths.ts";
import type { ConfigStatus, Discovery, ServerStatus } from "../../daemon/contract/index.ts";
import { connectToPool, programOf, type Connected } from "../connector.ts";
import { readReport } from "../daemon-start.ts";
import { issueLine } from "../output/issue-line.ts";
import { since } from "../output/times.ts";
import { visible } from "../output/visible.ts";
import { Failure } from "./failure.ts";
import type { Interrupts } from "./interrupts.ts";
import { followLog, logEnd, logFile } from "./logs.ts";
import { connecting, placeOf, type Run } from "./surroundings.ts";

export interface UpOptions {
  readonly foreground?: boolean;
  readonly port?: number;
  readonly config?: string;
}

export async function up(run: Run, options: UpOptions): Promise<void> {
  const wishes = wishesOf(run, options);
  const pool = await connectToPool({ ...connecting(run), ...wishes, start: true });
  try {
    if (!pool.started) refuseOtherWish(pool, wishes);
    const { started, discovery, hello } = pool;
    if (run.screen.json) {
      const { stateFolder } = placeOf(run);
      run.screen.value({
        started,
        ...discovery,
        stateFolder,
        configFile: configOf(run, discovery),
        registryVersion: hello.version,
      });
    } else {
      sayWhere(run, discovery, started ? "started" : `running for ${since(hello.startedAt)}`);
      await sayFaults(run, pool);
    }
  } finally {
    await pool.client.close();
  }
}

interface Wishes {
  readonly configFile?: string;
  readonly port?: number;
}

function wishesOf({ cwd }: Run, { config, port }: UpOptions): Wishes {
  return {
    ...(config === undefined ? {} : { configFile: resolve(cwd, config) }),
    ...(port === undefined ? {} : { port }),
  };
}

function refuseOtherWish({ discovery }: Connected, wishes: Wishes): void {
  const parts = { reason: "already_running", next: "Stop it first: toolpool down" };
  if (wishes.configFile !== undefined && discovery.configFile !== undefined && discovery.configFile !== wishes.configFile) {
    throw new Failure(1, `Toolpool is already running with another configuration: ${discovery.configFile}`, parts);
  }
  if (wishes.port !== undefined && wishes.port !== 0 && new URL(discovery.url).port !== String(wishes.port)) {
    throw new Failure(1, `Toolpool is already running on another port: ${discovery.url}`, parts);
  }
}

const configOf = ({ env }: Run, discovery: Discovery): string => discovery.configFile ?? configFile(env);

function sayWhere(run: Run, discovery: Discovery, how: string): void {
  const { stateFolder } = placeOf(run);
  const { screen } = run;
  screen.line(screen.colours.green(`Toolpool is running (pid ${String(discovery.pid)}, ${how})`));
  screen.line(`  url     ${discovery.url}  (token: ${join(stateFolder, "token")})`);
  screen.line(`  socket  ${discovery.socketPath}`);
  screen.line(`  state   ${stateFolder}`);
  screen.line(`  config  ${configOf(run, discovery)}`);
  screen.line(`Look at it: curl --unix-socket ${discovery.socketPath} http://localhost/v1/registry`);
}

/** What is wrong in the configuration, so that it is not found only when a server is wanted. */
async function sayFaults({ screen, signal, env }: Run, { client, discovery }: Connected): Promise<void> {
  const { file, errors, stale } = await client.get<ConfigStatus>("/v1/config", { signal });
  if (errors.length === 0) return;
  screen.note(
    screen.noteColours.yellow(
      stale ? "The configuration on disk was not taken:" : "Not every server of the configuration can be used:",
    ),
  );
  const servers = stale ? [] : await client.get<readonly ServerStatus[]>("/v1/servers", { signal });
  const waiting = new Set(servers.filter(({ unreviewed }) => unreviewed === true).map(({ alias }) => alias));
  if (waiting.size > 0) screen.note(`  waiting for a review (toolpool review): ${[...waiting].map(visible).join(", ")}`);
  for (const error of errors)
    if (error.alias === undefined || !waiting.has(error.alias)) screen.note(`  ${issueLine(file, error)}`);
  screen.note(`All of it: toolpool check ${visible(discovery.configFile ?? configFile(env))}`);
}

/** Resolves with the daemon's exit code. Its log follows on stdout, where a container or a service looks for it. */
export async function upInForeground(run: Run, options: UpOptions, interrupts: Interrupts): Promise<number> {
  const { file, args, env } = programOf({ ...connecting(run), ...wishesOf(run, options) });
  const log = logFile(run);
  const from = await logEnd(log);
  // A stop that came before this has nothing to be passed on to.
  run.signal.throwIfAborted();
  // A session of its own: a Ctrl-C in the terminal reaches us alone and is passed on once. Twice would mean "destroy now".
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    detached: true,
    env,
    cwd: run.cwd,
  });
  const release = interrupts.take((signal) => child.kill(signal));
  child.once("message", (message) => {
    const report = readReport(message);
    if (report?.kind !== "ready") return;
    if (run.screen.json) run.screen.value(report.discovery);
    else sayWhere(run, report.discovery, "in the foreground");
  });
  const over = new AbortController();
  const shown = followLog(log, from, run.screen, over.signal);
  try {
    return await new Promise<number>((settle, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } finally {
    release();
    over.abort();
    await shown;
  }
}
