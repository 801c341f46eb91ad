// The real program as a child process, in a folder of its own: its configuration, its state, its environment. `close()` stops
// the daemon that was started there and shows that it is gone.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectToPool } from "../../client/connector.ts";
import type { PoolClient } from "../../client/pool-client.ts";
import { tempFolder } from "../support/temp.ts";

const ROOT = join(import.meta.dirname, "../..");
export const TOOLPOOL = join(ROOT, "dist/toolpool.js");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export class Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  #stdout = "";
  #stderr = "";
  readonly #watchers = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.process = child;
    child.stdout?.on("data", (chunk: Buffer) => this.#take(() => (this.#stdout += chunk.toString())));
    child.stderr?.on("data", (chunk: Buffer) => this.#take(() => (this.#stderr += chunk.toString())));
    this.ended = new Promise((resolve) => {
      child.once("close", (code) => {
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr });
        this.#take(() => undefined);
      });
    });
  }

  /** Resolves once what was written (both streams) matches. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#stdout + this.#stderr)) {
      if (this.process.exitCode !== null) throw new Error(`ended without ${String(pattern)}: ${this.#stdout}${this.#stderr}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  #take(change: () => void): void {
    change();
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}

export class Workplace {
  readonly folder = tempFolder();
  readonly state = join(this.folder, "state");
  readonly configFile = join(this.folder, "toolpool.json");
  readonly #env: NodeJS.ProcessEnv;

  constructor(servers: Readonly<Record<string, unknown>> = {}, env: NodeJS.ProcessEnv = {}) {
    this.configure(servers);
    const inherited = Object.entries(process.env).filter(([name]) => !/^(OPENAI_|TOOLPOOL_|NO_COLOR|FORCE_COLOR)/.test(name));
    this.#env = {
      ...Object.fromEntries(inherited),
      TOOLPOOL_STATE: this.state,
      TOOLPOOL_CONFIG: this.configFile,
      TOOLPOOL_WATCH: "off",
      ...env,
    };
  }

  configure(servers: Readonly<Record<string, unknown>>): void {
    writeFileSync(this.configFile, JSON.stringify({ mcpServers: servers }));
  }

  /** A folder that is the root of a Git repository, as far as anybody looks. */
  repository(): string {
    const folder = join(this.folder, "repository");
    mkdirSync(join(folder, ".git"), { recursive: true });
    writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
    return folder;
  }

  start(words: readonly string[], { env = {}, input = "", cwd = this.folder } = {}): Running {
    const child = spawn(process.execPath, [TOOLPOOL, ...words], { env: { ...this.#env, ...env }, cwd });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    return new Running(child);
  }

  toolpool(words: readonly string[], options: Parameters<Workplace["start"]>[1] = {}): Promise<Ended> {
    return this.start(words, options).ended;
  }

  /** Like `toolpool`, for commands that must succeed. */
  async ok(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.toolpool(words);
    if (code !== 0) throw new Error(`toolpool ${words.join(" ")} ended with ${String(code)}: ${stdout}${stderr}`);
    return stdout;
  }

  async json<T>(...words: string[]): Promise<T> {
    return JSON.parse(await this.ok(...words, "--json")) as T;
  }

  up(): Promise<{ pid: number; socketPath: string; url: string; poolId: string }> {
    return this.json("up", "--port", "0");
  }

  async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const place = { stateFolder: this.state, socketPath: join(this.state, "toolpool.sock"), uid: process.getuid?.() };
    const signal = AbortSignal.timeout(30_000);
    const { client } = await connectToPool({ start: false, place, daemonProgram: "", env: this.#env, signal });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  stateFiles(): readonly string[] {
    return existsSync(this.state) ? readdirSync(this.state).sort() : [];
  }

  async close(): Promise<void> {
    await this.toolpool(["down"]);
  }
}
