// Servers as programs and people handle them: status, connect, disconnect, restart. With a session it is that session's hold,
// without one the pool's own.
import { ConnectRefused, PoolError, type MethodParams, type MethodResult, type ServerStatus } from "../contract/index.ts";
import type { Registry } from "../registry/registry.ts";
import type { Attachments } from "./attachments.ts";
import type { ServerConnections } from "./ports.ts";
import type { Sessions } from "./sessions.ts";

/** Resident memory (bytes) of process trees by their leader's pid, as far as it is known. */
export type MemoryReader = (leaders: readonly number[]) => Promise<ReadonlyMap<number, number>>;

export class ServerCommands {
  readonly #registry: Registry;
  readonly #connections: ServerConnections;
  readonly #attachments: Attachments;
  readonly #sessions: Sessions;
  readonly #memory: MemoryReader;

  constructor(
    registry: Registry,
    connections: ServerConnections,
    attachments: Attachments,
    sessions: Sessions,
    memory: MemoryReader,
  ) {
    this.#registry = registry;
    this.#connections = connections;
    this.#attachments = attachments;
    this.#sessions = sessions;
    this.#memory = memory;
  }

  list(): readonly ServerStatus[] {
    return this.#connections.aliases().map((alias) => this.get(alias));
  }

  /** Throws `unknown_alias`. */
  get(alias: string, options: { readonly stderr: boolean } = { stderr: false }): ServerStatus {
    const configured = this.#connections.configured(alias);
    const { state, live, lastFailure, statistics, stderrTail } = this.#connections.facts(alias);
    const first = live[0];
    const spec = configured.kind === "valid" ? configured.spec : undefined;
    return {
      alias,
      type: configured.kind === "valid" ? configured.spec.type : configured.type,
      ...(spec?.description === undefined ? {} : { description: spec.description }),
      state,
      ...(first === undefined ? {} : { connectionId: first.connectionId }),
      ...(first?.pid === undefined ? {} : { pid: first.pid }),
      ...(first?.protocolVersion === undefined ? {} : { protocolVersion: first.protocolVersion }),
      ...(first?.serverInfo === undefined ? {} : { serverInfo: first.serverInfo }),
      toolCount: first?.toolset?.tools.length ?? 0,
      attachedSessions: this.#attachments.sessionsOf(alias),
      heldByPool: this.#attachments.heldByPool(alias),
      queue: first?.queue ?? { running: 0, waiting: 0 },
      stats: statistics.read(),
      stdoutNoise: statistics.noise,
      ...(lastFailure === undefined ? {} : { lastFailure }),
      ...(options.stderr ? { stderrTail } : {}),
      ...(configured.kind === "unreviewed" ? { unreviewed: true } : {}),
      ...(spec?.sharing !== "session"
        ? {}
        : {
            connections: live.map(({ connectionId, pid, owner, queue }) => ({
              connectionId,
              ...(pid === undefined ? {} : { pid }),
              sessionId: owner ?? null,
              queue,
            })),
          }),
    };
  }

  async withMemory(servers: readonly ServerStatus[]): Promise<readonly ServerStatus[]> {
    const lives = servers.map((server) => server.connections ?? [server]);
    const pids = lives.flat().flatMap(({ pid }) => pid ?? []);
    const bytes = await this.#memory(pids);
    const known = (of: readonly { readonly pid?: number }[]): { memoryBytes?: number } => {
      const each = of.flatMap(({ pid }) => (pid === undefined ? [] : (bytes.get(pid) ?? [])));
      return each.length === 0 ? {} : { memoryBytes: each.reduce((sum, one) => sum + one, 0) };
    };
    return servers.map((server, at) => ({
      ...server,
      ...known(lives[at] ?? []),
      ...(server.connections && { connections: server.connections.map((one) => ({ ...one, ...known([one]) })) }),
    }));
  }

  /** Throws `unknown_alias`, `unknown_session`, `forbidden`, `connect_failed`. */
  async connect(
    { alias, sessionId }: MethodParams<"servers.connect">,
    signal: AbortSignal,
  ): Promise<MethodResult<"servers.connect">> {
    this.#connections.configured(alias);
    if (sessionId === undefined) {
      await orConnectFailed(alias, this.#attachments.poolConnect(alias, signal));
    } else {
      await this.#forLead(sessionId, signal, (session, either) =>
        orConnectFailed(alias, this.#attachments.attach(session, alias, either)),
      );
    }
    return this.#change(alias);
  }

  async disconnect({ alias, sessionId }: MethodParams<"servers.disconnect">): Promise<MethodResult<"servers.disconnect">> {
    this.#connections.configured(alias);
    if (sessionId === undefined) await this.#attachments.poolDisconnect(alias);
    else await this.#attachments.detach(this.#sessions.requireLead(sessionId).id, alias);
    return this.#change(alias);
  }

  async restart(
    { alias, sessionId }: MethodParams<"servers.restart">,
    signal: AbortSignal,
  ): Promise<MethodResult<"servers.restart">> {
    this.#connections.configured(alias);
    const restart = (either: AbortSignal): Promise<void> => orConnectFailed(alias, this.#attachments.restart(alias, either));
    if (sessionId === undefined) await restart(signal);
    else await this.#forLead(sessionId, signal, (_, either) => restart(either));
    return this.#change(alias);
  }

  async #forLead<T>(
    sessionId: string,
    signal: AbortSignal,
    work: (session: string, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const session = this.#sessions.requireLead(sessionId);
    const leave = session.enter();
    try {
      return await work(session.id, AbortSignal.any([signal, session.ended]));
    } finally {
      leave();
    }
  }

  /** For the person who reviews: what the server would publish. Nothing of it is in the pool. */
  inspect(
    { alias, launchDigest }: MethodParams<"servers.inspect">,
    signal: AbortSignal,
  ): Promise<MethodResult<"servers.inspect">> {
    return orConnectFailed(alias, this.#connections.inspect(alias, launchDigest, signal));
  }

  #change(alias: string): MethodResult<"servers.connect"> {
    return { alias, state: this.#connections.facts(alias).state.kind, version: this.#registry.version };
  }
}

async function orConnectFailed<T>(alias: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ConnectRefused)) throw error;
    const { code, message, details } = error.failure;
    throw new PoolError("connect_failed", `Could not connect "${alias}": ${message}`, {
      alias,
      failure: code,
      ...(details === undefined ? {} : { details }),
    });
  }
}
