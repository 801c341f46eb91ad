// The demo's own little world: a temporary folder with configuration and state, and a real daemon in it. Leaves nothing: the
// daemon is asked to end, watched until it is gone, and the folder removed, on every way out.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketPathFor } from "../../config/paths.ts";
import type { Discovery } from "../../daemon/contract/index.ts";
import { connectToPool } from "../connector.ts";
import type { PoolClient } from "../pool-client.ts";
import { isGone, markProcess, processEnd, type ProcessMark } from "../process-end.ts";
import type { Afterwards } from "./evidence.ts";
import { ALIASES, labelOf, POLICY } from "./names.ts";
import { isListening, processesMarked } from "./system.ts";

export interface Programs {
  readonly daemon: string;
  readonly demoServer: string;
}

const END_MS = 15_000;
/** In the environment of everything the demo starts. */
const MARK = "TOOLPOOL_DEMO_RUN";

export class World {
  readonly folder: string;
  /** Where the agent works. */
  readonly workFolder: string;
  readonly client: PoolClient;
  readonly discovery: Discovery;
  readonly #mark: string;
  readonly #daemon: ProcessMark | undefined;
  #ended = false;
  /** A second Ctrl-C does not wait. Where no process can be told by its mark, the servers see the end of their input. */
  readonly #lastResort = (): void => {
    if (this.#daemon !== undefined && !isGone(this.#daemon)) endNow(this.#daemon.pid);
    for (const { pid } of processesMarked(this.#mark)) endNow(pid);
    this.#removeFolder();
  };

  private constructor(folder: string, mark: string, client: PoolClient, discovery: Discovery) {
    this.folder = folder;
    this.workFolder = join(folder, "work");
    this.client = client;
    this.discovery = discovery;
    this.#mark = mark;
    this.#daemon = markProcess(discovery.pid);
    process.on("exit", this.#lastResort);
  }

  static async create(programs: Programs, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<World> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolpool-demo-")));
    try {
      mkdirSync(join(folder, "work"));
      const configFile = join(folder, "toolpool.json");
      writeFileSync(configFile, JSON.stringify(configuration(programs.demoServer, folder), null, 2));
      const stateFolder = join(folder, "state");
      const { TOOLPOOL_CONFIG: _, ...ours } = env;
      const { client, discovery } = await connectToPool({
        start: true,
        place: { stateFolder, socketPath: socketPathFor(stateFolder, env), uid: process.getuid?.() },
        configFile,
        port: 0,
        daemonProgram: programs.daemon,
        env: { ...ours, [MARK]: folder },
        signal,
      });
      return new World(folder, `${MARK}=${folder}`, client, discovery);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Ends the daemon, then looks what is left. `seen`: processes that were there. */
  async end(seen: Iterable<ProcessMark>): Promise<Afterwards> {
    await this.#endDaemon();
    const all = [...seen, ...(this.#daemon === undefined ? [] : [this.#daemon])];
    const alive = all.filter((mark) => !isGone(mark)).map(({ pid }) => String(pid));
    const { socketPath, url } = this.discovery;
    const listeners = [
      { name: socketPath, target: { path: socketPath } },
      { name: url, target: { host: "127.0.0.1", port: Number(new URL(url).port) } },
    ];
    const answers = await Promise.all(listeners.map(async ({ name, target }) => ((await isListening(target)) ? [name] : [])));
    const state = join(this.folder, "state");
    const stateFiles = existsSync(state) ? readdirSync(state).sort() : [];
    const marked = processesMarked(this.#mark).map(({ pid, commandLine }) => `${String(pid)} ${commandLine}`);
    const processes = [...alive, ...marked];
    this.#removeFolder();
    const files = [this.folder, socketPath].filter((path) => existsSync(path));
    return { processes, listening: answers.flat(), stateFiles, files, looked: all.length };
  }

  /** For a way out without findings. */
  async abandon(): Promise<void> {
    try {
      await this.#endDaemon();
    } finally {
      this.#removeFolder();
    }
  }

  #removeFolder(): void {
    process.off("exit", this.#lastResort);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #endDaemon(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    try {
      await this.client.request("daemon.shutdown", { drainMs: 1_000 });
      if (this.#daemon !== undefined) await processEnd(this.#daemon, AbortSignal.timeout(END_MS));
    } catch {
      // It does not listen any more: its process is ours to end.
      if (this.#daemon !== undefined && !isGone(this.#daemon)) endNow(this.#daemon.pid);
    } finally {
      await this.client.close();
    }
  }
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in that very moment.
  }
}

function configuration(demoServer: string, folder: string): object {
  const server = (label: string): object => ({
    command: process.execPath,
    args: [demoServer, "--label", label],
    env: { [MARK]: folder },
    tools: POLICY,
    startupTimeoutMs: 5_000,
    toolTimeoutMs: 5_000,
  });
  return { mcpServers: Object.fromEntries(ALIASES.map((alias) => [alias, server(labelOf(alias))])) };
}
