// Puts the pool together: one object that owns every part, started in order and closed in order. Nothing here decides anything
// about tools; it only knows who needs whom.
import {
  CONTRACT_VERSION,
  PoolError,
  type Discovery,
  type HelloResult,
  type MethodParams,
  type ReloadResult,
} from "./contract/index.ts";
import { admit } from "./admission/admit.ts";
import { inspectList } from "./admission/inspect.ts";
import { CallPath } from "./calls/call-path.ts";
import { CommitRecorder, lastNames } from "./commit-record.ts";
import { Configuration } from "./configuration.ts";
import { Connections } from "./connections/connections.ts";
import { NameTaken, type ConnectionEvent, type Publisher } from "./connections/ports.ts";
import type { CloseReason, DaemonOptions } from "./daemon-options.ts";
import { createHttp, type HttpServers } from "./http/http.ts";
import { Metrics } from "./metrics/metrics.ts";
import { RegistryReader } from "./registry/reads.ts";
import { Registry } from "./registry/registry.ts";
import { RegistryError } from "./registry/types.ts";
import { Attachments } from "./sessions/attachments.ts";
import { managementSet, runManagement } from "./sessions/management.ts";
import { reconfigure } from "./sessions/reconfigure.ts";
import { ServerCommands } from "./sessions/server-commands.ts";
import { Sessions } from "./sessions/sessions.ts";
import { endOrphans } from "./upstream/processes.ts";
import { residentMemory } from "./upstream/resident-memory.ts";
import { stdioLink } from "./upstream/stdio.ts";

export class Daemon {
  readonly #options: DaemonOptions;
  readonly #startedAt = new Date();
  readonly #registry: Registry;
  readonly #reader: RegistryReader;
  readonly #connections: Connections;
  readonly #attachments: Attachments;
  readonly #sessions: Sessions;
  readonly #commands: ServerCommands;
  readonly #calls: CallPath;
  readonly #metrics: Metrics;
  readonly #http: HttpServers;
  readonly #stopping = new AbortController();
  readonly #configuration: Configuration;
  #discovery: Discovery | undefined;
  #ready = false;
  #closing: Promise<void> | undefined;
  readonly #ended: Promise<CloseReason>;
  #resolveEnded: (reason: CloseReason) => void = () => undefined;

  constructor(options: DaemonOptions) {
    this.#options = options;
    this.#ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    const { journal } = options;
    const now = (): Date => new Date();
    const commits = new CommitRecorder(journal);
    this.#registry = new Registry({
      firstVersion: journal.highWater + 1,
      versionsInMemory: options.config.limits.versionsInMemory,
      management: managementSet(options.config.servers.values()),
      previousNames: lastNames(journal),
      now,
      onCommit: (commit) => commits.record(commit),
    });
    this.#reader = new RegistryReader(this.#registry, journal, journal.poolId);
    this.#connections = new Connections(
      {
        link: options.link ?? stdioLink,
        admit,
        judge: inspectList,
        publisher: this.#publisher(),
        ledger: {
          record: (process, alias, connectionId) => journal.recordProcess({ ...process, alias, connectionId }),
          forget: (connectionId) => journal.forgetProcesses(connectionId),
        },
        onEvent: (event) => this.#onConnectionEvent(event),
        onNoise: (alias, count) => this.#metrics.noise(alias, count),
        now,
      },
      journal.connectionNumbers(),
    );
    for (const server of options.config.servers.values()) this.#connections.configure(server);
    this.#attachments = new Attachments(this.#registry, this.#connections);
    this.#configuration = new Configuration({
      config: options.config,
      digest: options.configDigest,
      load: options.loadConfig,
      apply: (config) => reconfigure(config, this.#connections, this.#attachments, this.#stopping.signal),
      files: options.watch,
      log: options.log,
    });
    this.#sessions = new Sessions({
      registry: this.#registry,
      reader: this.#reader,
      attachments: this.#attachments,
      connections: this.#connections,
      limit: () => this.#configuration.current.limits.sessions,
      now,
    });
    this.#commands = new ServerCommands(this.#registry, this.#connections, this.#attachments, this.#sessions, residentMemory);
    this.#metrics = new Metrics({
      registryVersion: () => this.#registry.version,
      toolCount: () => this.#reader.summary().toolCount,
      sessionCount: () => this.#sessions.size,
      serverStates: () => countBy(this.#commands.list().map((server) => server.state.kind)),
    });
    this.#calls = new CallPath({
      registry: this.#registry,
      sessions: this.#sessions,
      remote: this.#connections,
      management: { run: (call) => runManagement(this.#attachments, call) },
      journal,
      observe: (code, durationMs) => this.#metrics.call(code, durationMs),
      now,
    });
    this.#http = createHttp(
      {
        registry: this.#reader,
        sessions: this.#sessions,
        calls: {
          call: (params, lossy, signal) => this.#calls.call(params, lossy, signal),
          cancel: (params) => this.#calls.cancel(params),
          records: (query) => journal.calls(query),
        },
        servers: this.#commands,
        daemon: {
          hello: (params) => this.#hello(params),
          config: () => this.#configuration.status(),
          reload: () => this.reload(),
          shutdown: ({ drainMs }) => void this.close("request", drainMs),
          ready: () => this.#ready,
          metrics: () => this.#metrics.text(),
        },
      },
      { token: options.token, programVersion: options.program.version, log: options.log },
    );
    void journal.broken.then((error) => {
      options.log.error({ err: error.message }, "the journal cannot be written any more: closing");
      void this.close("journal");
    });
  }

  /** Ends what an earlier daemon left, then listens. The returned discovery is for publishing: everything is ready. */
  async start(): Promise<Discovery> {
    await this.#endOrphans();
    const { url } = await this.#http.listen({ socketPath: this.#options.socketPath, port: this.#options.port });
    this.#discovery = {
      pid: process.pid,
      startedAt: this.#startedAt.toISOString(),
      poolId: this.#options.journal.poolId,
      version: this.#options.program.version,
      contractVersion: CONTRACT_VERSION,
      socketPath: this.#options.socketPath,
      url,
      configFile: this.#options.config.file,
    };
    await this.#configuration.watch();
    this.#ready = true;
    const servers = this.#configuration.current.servers.size;
    this.#options.log.info({ url, servers, version: this.#registry.version }, "ready");
    return this.#discovery;
  }

  /** Resolves when `close` or `destroy` has begun; what follows is in the hands of whoever waits. */
  get ending(): Promise<CloseReason> {
    return this.#ended;
  }

  /**
   * Refuses new work, ends watches, lets calls run to the deadline, aborts the rest, stops all children in parallel, closes HTTP.
   * The journal stays open: its owner flushes and closes it afterwards. Idempotent.
   */
  close(reason: CloseReason, drainMs = this.#configuration.current.limits.drainMs): Promise<void> {
    this.#resolveEnded(reason);
    return (this.#closing ??= this.#close(reason, drainMs));
  }

  /** Now: children get SIGKILL, sockets are cut. Also hastens a close that is under way. */
  async destroy(reason: CloseReason): Promise<void> {
    this.#resolveEnded(reason);
    this.#ready = false;
    this.#stopping.abort();
    this.#calls.abortAll();
    this.#attachments.withdrawAll("shutdown");
    const closing = this.close(reason, 0);
    await Promise.all([this.#connections.close(reason, "now"), this.#http.destroy()]);
    await closing;
  }

  /** One at a time; a bad file keeps the old configuration. */
  reload(): Promise<ReloadResult> {
    return this.#configuration.reload();
  }

  async #close(reason: CloseReason, drainMs: number): Promise<void> {
    const { log } = this.#options;
    log.info({ reason, drainMs }, "closing");
    this.#ready = false;
    this.#configuration.close();
    this.#registry.endFollowers();
    const drained = this.#calls.drain();
    const late = deadline(drainMs, this.#stopping.signal);
    await Promise.race([drained, late.passed]);
    late.cancel();
    this.#calls.abortAll();
    await drained;
    this.#stopping.abort();
    this.#attachments.withdrawAll("shutdown");
    this.#sessions.closeAll();
    await this.#connections.close(reason, "graceful");
    await this.#configuration.settled;
    await this.#http.close(1_000);
    this.#metrics.close();
    log.info({ reason }, "closed");
  }

  #hello({ contractVersion }: MethodParams<"pool.hello">): HelloResult {
    if (contractVersion !== CONTRACT_VERSION) {
      throw new PoolError(
        "contract_mismatch",
        `This daemon speaks contract version ${CONTRACT_VERSION}, the client ${contractVersion}: restart the daemon with "toolpool down" and "toolpool up", or update the client`,
        { contractVersion: CONTRACT_VERSION, asked: contractVersion },
      );
    }
    return {
      poolId: this.#options.journal.poolId,
      program: this.#options.program,
      contractVersion: CONTRACT_VERSION,
      pid: process.pid,
      startedAt: this.#startedAt.toISOString(),
      version: this.#registry.version,
    };
  }

  async #endOrphans(): Promise<void> {
    const { journal, log } = this.#options;
    const left = journal.processes();
    if (left.length === 0) return;
    const { ended, doubtful } = await endOrphans(left);
    for (const connectionId of new Set(left.map((process) => process.connectionId))) journal.forgetProcesses(connectionId);
    if (ended.length > 0) log.warn({ groups: ended.length }, "ended processes that an earlier daemon left");
    if (doubtful.length > 0)
      log.warn({ groups: doubtful }, "left alone: these may be processes of an earlier daemon, but none could be verified");
  }

  #publisher(): Publisher {
    return {
      publish: (offer) => {
        try {
          return this.#attachments.publish(offer);
        } catch (error) {
          if (!(error instanceof RegistryError) || error.code !== "name_collision") throw error;
          throw new NameTaken(error.tool ?? "", error.alias ?? "");
        }
      },
      replace: (old, offer) => this.#attachments.replace(old, offer),
      withdraw: (toolset, why) => this.#attachments.withdraw(toolset, why),
      held: (alias, owner) => this.#attachments.held(alias, owner),
    };
  }

  #onConnectionEvent({ alias, connectionId, event, failure }: ConnectionEvent): void {
    const code = failure?.code ?? null;
    this.#options.journal.recordConnection({ at: new Date().toISOString(), alias, connectionId, event, code });
    if (event === "connected") this.#metrics.connection("connected");
    if (event === "failed" && code !== null) this.#metrics.connection(code);
    const level = event === "failed" || event === "lost" || event === "relist_failed" ? "warn" : "info";
    this.#options.log[level]({ alias, connectionId, event, ...(code === null ? {} : { code }) }, `server ${event}`);
  }
}

function countBy(kinds: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Passes after `ms` or when the signal aborts, whatever comes first. */
function deadline(ms: number, signal: AbortSignal): { readonly passed: Promise<void>; cancel(): void } {
  let pass: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (pass = resolve));
  const timer = setTimeout(pass, ms);
  signal.addEventListener("abort", pass);
  if (signal.aborted) pass();
  const cancel = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", pass);
  };
  return { passed, cancel };
}
