// A real daemon process for a test: its own state folder, its own configuration, a client on its Unix socket. `stop()` closes it
// and shows that it left nothing; a test that wants it dead says `kill()`.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFailed } from "vitest";
import { PoolClient } from "../../client/pool-client.ts";
import {
  isErrorOutcome,
  type Discovery,
  type Outcome,
  type Role,
  type ServerStatus,
  type ToolView,
  type VersionRow,
} from "../../daemon/contract/index.ts";
import { tempFolder } from "./temp.ts";

const ROOT = join(import.meta.dirname, "../..");

export const fixture = (name: string): string => join(ROOT, ".cache/fixtures", `${name}.js`);
export const DAEMON_PROGRAM = join(ROOT, "dist/daemon.js");

export interface ScriptedTool {
  readonly name: string;
  readonly does?: unknown;
  readonly [member: string]: unknown;
}

/** A configuration entry that runs the scripted fixture server. Every tool is `read` unless `policy` says otherwise. */
export function scripted(
  script: { readonly tools?: readonly ScriptedTool[]; readonly [member: string]: unknown },
  more: Readonly<Record<string, unknown>> & { readonly tools?: Readonly<Record<string, unknown>> } = {},
): Record<string, unknown> {
  const policy = Object.fromEntries((script.tools ?? []).map((tool) => [tool.name, "read"]));
  return {
    command: process.execPath,
    args: [fixture("scripted-server"), JSON.stringify(script)],
    graceMs: 300,
    ...more,
    tools: { ...policy, ...more.tools },
  };
}

export interface PoolOptions {
  readonly servers?: Readonly<Record<string, unknown>>;
  /** Further members of the configuration file. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `pipe`: the test reads the daemon's stderr, or goes away from it. */
  readonly stderr?: "ignore" | "pipe";
  /** Options of the daemon's Node. */
  readonly execArgv?: readonly string[];
  /** The daemon takes a changed configuration by itself. Default false: a test says when it is read. */
  readonly watch?: boolean;
}

export class TestPool {
  readonly folder: string;
  readonly configFile: string;
  readonly discovery: Discovery;
  readonly client: PoolClient;
  readonly process: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(folder: string, configFile: string, discovery: Discovery, child: ChildProcess, exited: Promise<unknown>) {
    this.folder = folder;
    this.configFile = configFile;
    this.discovery = discovery;
    this.process = child;
    this.#exited = exited;
    this.client = new PoolClient({ kind: "socket", socketPath: discovery.socketPath });
  }

  static async start({
    servers = {},
    config = {},
    folder = tempFolder(),
    env = {},
    stderr = "ignore",
    execArgv = [],
    watch = false,
  }: PoolOptions = {}): Promise<TestPool> {
    const configFile = join(folder, "config.json");
    writeFileSync(configFile, JSON.stringify({ mcpServers: servers, ...config }));
    const watching = watch ? {} : { TOOLPOOL_WATCH: "off" };
    const child = fork(DAEMON_PROGRAM, ["--port", "0"], {
      env: { ...process.env, TOOLPOOL_STATE: join(folder, "state"), TOOLPOOL_CONFIG: configFile, ...watching, ...env },
      execArgv: [...execArgv],
      stdio: ["ignore", "ignore", stderr, "ipc"],
    });
    const exited = once(child, "exit");
    const [message] = (await Promise.race([once(child, "message"), exited.then((code) => [{ failed: { code } }])])) as [
      { ready?: Discovery; failed?: unknown },
    ];
    if (message.ready === undefined) throw new Error(`the daemon did not start: ${JSON.stringify(message.failed)}`);
    const pool = new TestPool(folder, configFile, message.ready, child, exited);
    // A test that failed did not get to its end: what it leaves would hide behind the next failure.
    // (In a hook there is no test; whoever starts a pool there ends it there.)
    if (expect.getState().currentTestName !== undefined) onTestFailed(() => pool.kill());
    return pool;
  }

  get state(): string {
    return join(this.folder, "state");
  }

  /** Over TCP, with the token. */
  tcp(): PoolClient {
    return new PoolClient({
      kind: "tcp",
      url: this.discovery.url,
      token: readFileSync(join(this.state, "token"), "utf8").trim(),
    });
  }

  configure(servers: Readonly<Record<string, unknown>>): void {
    writeFileSync(this.configFile, JSON.stringify({ mcpServers: servers }));
  }

  async lead(attach?: readonly string[], more: { role?: Role; parent?: string; idleMs?: number } = {}): Promise<TestSession> {
    const { sessionId } = await this.client.request("session.open", { ...(attach === undefined ? {} : { attach }), ...more });
    return new TestSession(this, sessionId);
  }

  async version(): Promise<number> {
    return (await this.client.get<{ version: number }>("/v1/registry")).version;
  }

  versions(since = 0): Promise<readonly VersionRow[]> {
    return this.client.request("registry.versions", { since, limit: 1_000 });
  }

  server(alias: string): Promise<ServerStatus> {
    return this.client.request("servers.get", { alias });
  }

  /** Follows the registry until a version satisfies `wanted`; the rows are looked at from `since` on. */
  async until(since: number, wanted: (row: VersionRow) => boolean): Promise<VersionRow> {
    const stop = new AbortController();
    try {
      for await (const { event, data } of this.client.watch(since, { signal: stop.signal })) {
        if (event !== "version") continue;
        const row = JSON.parse(data) as VersionRow;
        if (wanted(row)) return row;
      }
    } finally {
      stop.abort();
    }
    throw new Error("the watch ended before the version came");
  }

  /** Clean end. Returns what is left in the state folder. */
  async stop(): Promise<readonly string[]> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGTERM");
    await this.#exited;
    await this.client.close();
    return existsSync(this.state) ? readdirSync(this.state).sort() : [];
  }

  /** `kill -9`, as the out-of-memory killer does it. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.#exited;
    await this.client.close();
  }
}

/** A session with the steps an agent takes. */
export class TestSession {
  readonly id: string;
  readonly #pool: TestPool;

  constructor(pool: TestPool, id: string) {
    this.#pool = pool;
    this.id = id;
  }

  async snapshot(version?: number): Promise<{ version: number; digest: string; tools: readonly ToolView[] }> {
    const snapshot = await this.#pool.client.request("registry.snapshot", {
      sessionId: this.id,
      ...(version === undefined ? {} : { version }),
    });
    if ("notModified" in snapshot) throw new Error("not modified");
    return snapshot;
  }

  async names(): Promise<readonly string[]> {
    return (await this.snapshot()).tools.map((tool) => tool.name);
  }

  /** A call tagged with a version; by default the one the session sees now. */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    more: {
      version?: number;
      callId?: string;
      timeoutMs?: number;
      approval?: { decision: "allow" | "deny"; by?: string };
      signal?: AbortSignal;
    } = {},
  ): Promise<Outcome> {
    const { version = await this.#pool.version(), signal, ...rest } = more;
    const request = { sessionId: this.id, version, name, argumentsText: JSON.stringify(args), ...rest };
    return (await this.#pool.client.callTool(request, signal === undefined ? {} : { signal })).outcome;
  }

  connect(alias: string): Promise<Outcome> {
    return this.call("connect_mcp", { alias });
  }

  disconnect(alias: string): Promise<Outcome> {
    return this.call("disconnect_mcp", { alias });
  }

  async close(): Promise<void> {
    await this.#pool.client.request("session.close", { sessionId: this.id });
  }
}

/** The code of an error outcome with its reason where it has one, or `ok`. */
export function codeOf(outcome: Outcome): string {
  if (!isErrorOutcome(outcome)) return "ok";
  const { code, reason } = outcome.error;
  return reason === undefined ? code : `${code}/${reason}`;
}

/** What the scripted server echoes. */
export function echoed(outcome: Outcome): {
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
  pid: number;
  calls: number;
} {
  if (!("structured_content" in outcome)) throw new Error(`no echo: ${JSON.stringify(outcome)}`);
  return outcome.structured_content as ReturnType<typeof echoed>;
}

/** Whether a process exists and is no zombie. */
export function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
