// The ports of the HTTP layer in memory: what a test wants to see asked, held and aborted. The seam is the ports, so nothing
// behind them is pretended beyond an answer.
import {
  PoolError,
  unknownAlias,
  unknownSession,
  unknownVersion,
  type CallRecord,
  type ConfigStatus,
  type MethodParams,
  type ServerStatus,
  type SessionInfo,
  type ToolView,
  type VersionRow,
} from "../../daemon/contract/index.ts";
import type { HttpPorts, JsonText, LossyNumbers, WatchEvent } from "../../daemon/http/ports.ts";

export interface HeldCall {
  readonly params: MethodParams<"tools.call">;
  readonly lossy: LossyNumbers;
  readonly signal: AbortSignal;
  answer(json: string): void;
  fail(error: Error): void;
}

/** A watch that a test feeds. It counts as open until it was left, ended, or its signal aborted. */
class FakeWatch implements AsyncIterableIterator<WatchEvent> {
  readonly since: number;
  readonly #signal: AbortSignal;
  readonly #queue: WatchEvent[] = [];
  readonly #onEnd: () => void;
  taken = 0;
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(since: number, signal: AbortSignal, onEnd: () => void) {
    this.since = since;
    this.#signal = signal;
    this.#onEnd = onEnd;
    signal.addEventListener("abort", this.#end);
  }

  push(...events: readonly WatchEvent[]): void {
    this.#queue.push(...events);
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<WatchEvent, undefined>> {
    while (!this.#ended) {
      const event = this.#queue.shift();
      if (event !== undefined) {
        this.taken++;
        return { done: false, value: event };
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<WatchEvent, undefined>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal.removeEventListener("abort", this.#end);
    this.#onEnd();
    this.#wake?.();
  };
}

export const VERSION = 7;
const AT = "2026-01-01T00:00:00.000Z";

export const row = (version: number): VersionRow => ({
  version,
  at: AT,
  cause: `connect demo_alpha#${String(version)}`,
  added: ["mcp__demo_alpha__lookup"],
  removed: [],
  changed: [],
  digest: `digest-${String(version)}`,
});

export const view: ToolView = {
  name: "mcp__demo_alpha__lookup",
  description: "",
  inputSchema: { type: "object" },
  effect: "read",
  source: { kind: "mcp", alias: "demo_alpha", tool: "lookup", connectionId: "demo_alpha#1" },
  digest: "d",
};

export const configStatus: ConfigStatus = {
  file: "/home/user/toolpool.json",
  watched: true,
  loadedAt: AT,
  digest: "d",
  servers: 1,
  errors: [{ pointer: "", message: "the file is UTF-16: save it as UTF-8", line: 1, column: 1 }],
  stale: true,
  checks: 3,
  loads: 2,
};

export const status: ServerStatus = {
  alias: "demo_alpha",
  type: "stdio",
  state: { kind: "idle" },
  toolCount: 0,
  attachedSessions: [],
  heldByPool: false,
  queue: { running: 0, waiting: 0 },
  stats: { connects: 0, failures: 0, calls: 0, callsPerMinute: 0, p50Ms: null, p95Ms: null },
  stdoutNoise: 0,
};

export const session: SessionInfo = {
  sessionId: "s1",
  role: "lead",
  label: null,
  cwd: null,
  parent: null,
  attached: [],
  openedAt: AT,
  lastSeenAt: AT,
  idleMs: 600_000,
  version: null,
  callsInFlight: 0,
};

export const record: CallRecord = {
  id: 1,
  at: AT,
  sessionId: "s1",
  callId: null,
  version: VERSION,
  tool: view.name,
  alias: "demo_alpha",
  connectionId: "demo_alpha#1",
  effect: "read",
  definitionDigest: "d",
  decision: "allow",
  status: "ok",
  code: "ok",
  reason: null,
  mayHaveRun: false,
  queuedMs: 0,
  durationMs: 1,
  argumentsDigest: "a",
  argumentsBytes: 2,
  resultDigest: "r",
  resultBytes: 2,
};

export class FakePorts implements HttpPorts {
  /** Every question, in the order it came: `method params`. */
  readonly asked: { readonly what: string; readonly params: unknown }[] = [];
  /** Calls of the tool `hold` wait here for the test. */
  readonly held: HeldCall[] = [];
  readonly watches = new Set<FakeWatch>();
  readonly lossy: LossyNumbers[] = [];
  /** Of the sessions opened. */
  readonly openSignals: AbortSignal[] = [];
  ready = true;
  #waiters: (() => void)[] = [];

  /** Resolves as soon as `seen` holds; looked at again after every question and every end of something. */
  async until(seen: () => boolean): Promise<void> {
    while (!seen()) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  #ask(what: string, params: unknown): void {
    this.asked.push({ what, params });
    this.changed();
  }

  readonly registry: HttpPorts["registry"] = {
    version: () => VERSION,
    summary: () => ({ poolId: "p", version: VERSION, floor: 1, digest: "digest-7", toolCount: 0, servers: [] }),
    versions: (since, limit) => {
      this.#ask("versions", { since, limit });
      return [row(VERSION)];
    },
    snapshot: (version) => {
      if (version > VERSION) throw unknownVersion(version, VERSION, 1);
      const json = `{"at":"${AT}","cause":"c","digest":"digest-${String(version)}","tools":[],"version":${String(version)}}`;
      return { digest: `digest-${String(version)}`, json };
    },
    tool: (version, name, connectionId) => {
      this.#ask("tool", { version, name, connectionId });
      if (name === "twice" && connectionId === undefined) throw new PoolError("conflict", "two", { connections: ["a#1", "a#2"] });
      if (name === "gone") throw new PoolError("not_found", "gone");
      return view;
    },
    diff: (from, to) => {
      this.#ask("diff", { from, to });
      return { from, to, added: [view], removed: [], changed: [] };
    },
    watch: (since, signal) => {
      if (since > VERSION) throw unknownVersion(since, VERSION, 1);
      const watch = new FakeWatch(since, signal, () => {
        this.watches.delete(watch);
        this.changed();
      });
      this.watches.add(watch);
      this.changed();
      return watch;
    },
  };

  readonly sessions: HttpPorts["sessions"] = {
    open: (params, signal) => {
      this.openSignals.push(signal);
      this.#ask("session.open", params);
      return Promise.resolve({ sessionId: "s1", role: "lead", version: VERSION });
    },
    close: (params) => {
      this.#ask("session.close", params);
      return Promise.resolve();
    },
    heartbeat: ({ sessionId }) => {
      if (sessionId !== "s1") throw unknownSession(sessionId);
      return { version: VERSION };
    },
    look: (params) => this.sessions.snapshot(params),
    snapshot: (params) => {
      this.#ask("registry.snapshot", params);
      if (params.sessionId !== "s1") throw unknownSession(params.sessionId);
      return { json: '{"digest":"d","tools":[{"n":12345678901234567890}],"version":7}' };
    },
    list: () => [session],
    get: (sessionId) => {
      if (sessionId !== "s1") throw unknownSession(sessionId);
      return session;
    },
  };

  readonly calls: HttpPorts["calls"] = {
    call: (params, lossy, signal) => {
      this.lossy.push(lossy);
      if (params.name === "fault")
        return Promise.reject(new TypeError("secret-canary in the message\n    at canary (a line that looks like a place)"));
      if (params.name !== "hold") {
        this.#ask("tools.call", params);
        return Promise.resolve({ json: `{"content":[],"status":"ok","tool":${JSON.stringify(params.name)}}` });
      }
      return new Promise<JsonText>((resolve, reject) => {
        this.held.push({ params, lossy, signal, answer: (json) => resolve({ json }), fail: reject });
        signal.addEventListener("abort", () => {
          reject(new Error("aborted"));
          this.changed();
        });
        this.#ask("tools.call", params);
      });
    },
    cancel: (params) => {
      this.#ask("tools.cancel", params);
      return { cancelled: true };
    },
    records: (query) => {
      this.#ask("records", query);
      return [record];
    },
  };

  readonly servers: HttpPorts["servers"] = {
    list: () => [status],
    get: (alias, options) => {
      if (alias !== "demo_alpha") throw unknownAlias(alias);
      return options?.stderr === true ? { ...status, stderrTail: "tail" } : status;
    },
    withMemory: (servers) => Promise.resolve(servers.map((server) => ({ ...server, memoryBytes: 1_024 }))),
    connect: ({ alias }) => {
      const data = { failure: "spawn_failed", details: [] };
      if (alias === "broken") return Promise.reject(new PoolError("connect_failed", "Could not connect", data));
      return Promise.resolve({ alias, state: "connected", version: VERSION + 1 });
    },
    disconnect: ({ alias }) => Promise.resolve({ alias, state: "idle", version: VERSION + 1 }),
    inspect: ({ alias }) =>
      Promise.resolve({
        alias,
        protocolVersion: "",
        serverInfo: { name: "", version: "" },
        tools: [],
        refusals: [],
        stderrTail: "",
      }),
    restart: ({ alias }) => Promise.resolve({ alias, state: "connected", version: VERSION + 2 }),
  };

  readonly daemon: HttpPorts["daemon"] = {
    hello: () => ({
      poolId: "p",
      program: { name: "toolpool", version: "0" },
      contractVersion: 1,
      pid: 1,
      startedAt: AT,
      version: VERSION,
    }),
    config: () => configStatus,
    reload: () => Promise.resolve({ changed: [], errors: [] }),
    shutdown: (params) => this.#ask("daemon.shutdown", params),
    ready: () => this.ready,
    metrics: () => Promise.resolve("# HELP x y\n"),
  };
}
