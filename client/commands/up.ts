// `toolpool up`: starts the daemon, or finds the one that runs, and says where it listens. Asking for another configuration or
// port than the running one's is refused, not ignored. In the foreground the daemon is our child: its output is ours, signals
// go to it, its exit code is ours.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { configFile } from "../../config/paths.ts";
import { connectToPool, type Connected } from "../connector.ts";
import { since } from "../output/times.ts";
import { Failure } from "./failure.ts";
import type { Interrupts } from "./interrupts.ts";
import { connecting, placeOf, type Run } from "./surroundings.ts";

export interface UpOptions {
  readonly foreground?: boolean;
  readonly port?: number;
  readonly config?: string;
}

export async function up(run: Run, options: UpOptions): Promise<void> {
  const config = options.config === undefined ? undefined : resolve(run.cwd, options.config);
  const pool = await connectToPool({
    ...connecting(run),
    start: true,
    ...(config === undefined ? {} : { configFile: config }),
    ...(options.port === undefined ? {} : { port: options.port }),
  });
  try {
    if (!pool.started) refuseOtherWish(pool, config, options.port);
    say(run, pool);
  } finally {
    await pool.client.close();
  }
}

function refuseOtherWish({ discovery }: Connected, config: string | undefined, port: number | undefined): void {
  const next = "Stop it first: toolpool down";
  const parts = { reason: "already_running", next };
  if (config !== undefined && discovery.configFile !== undefined && discovery.configFile !== config) {
    throw new Failure(1, `Toolpool is already running with another configuration: ${discovery.configFile}`, parts);
  }
  if (port !== undefined && port !== 0 && new URL(discovery.url).port !== String(port)) {
    throw new Failure(1, `Toolpool is already running on another port: ${discovery.url}`, parts);
  }
}

function say(run: Run, { discovery, hello, started }: Connected): void {
  const { stateFolder } = placeOf(run);
  const config = discovery.configFile ?? configFile(run.env);
  const { screen } = run;
  if (screen.json) {
    screen.value({ started, ...discovery, stateFolder, configFile: config, registryVersion: hello.version });
    return;
  }
  const how = started ? "started" : `running for ${since(hello.startedAt)}`;
  screen.line(screen.colours.green(`Toolpool is running (pid ${String(hello.pid)}, ${how})`));
  screen.line(`  url     ${discovery.url}  (token: ${join(stateFolder, "token")})`);
  screen.line(`  socket  ${discovery.socketPath}`);
  screen.line(`  state   ${stateFolder}`);
  screen.line(`  config  ${config}`);
  screen.line(`Look at it: curl --unix-socket ${discovery.socketPath} http://localhost/v1/registry`);
}

/** Resolves with the daemon's exit code. */
export function upInForeground(run: Run, options: UpOptions, interrupts: Interrupts): Promise<number> {
  const args = [
    run.daemonProgram,
    ...(options.config === undefined ? [] : ["--config", resolve(run.cwd, options.config)]),
    ...(options.port === undefined ? [] : ["--port", String(options.port)]),
  ];
  // A session of its own: a Ctrl-C in the terminal reaches us alone and is passed on once. Twice would mean "destroy now".
  const child = spawn(process.execPath, args, { stdio: "inherit", detached: true, env: run.env, cwd: run.cwd });
  const release = interrupts.take((signal) => child.kill(signal));
  return new Promise<number>((settle, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  }).finally(release);
}
