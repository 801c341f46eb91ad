// All servers of the configuration and everything that lives of them. Gives every alias its slot (or one slot per session, with
// `"sharing": "session"`), hands calls to the connection they were bound to, and closes all of it.
import {
  connectFailure,
  ConnectRefused,
  PoolError,
  unknownAlias,
  type ConfiguredServer,
  type ConnectFailure,
  type Inspection,
  type QueueDepth,
  type ServerSpec,
  type ServerState,
} from "../contract/index.ts";
import type { Toolset } from "../admission/types.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionsPorts, RemoteAnswer, RemoteRequest } from "./ports.ts";
import { Quarantine } from "./quarantine.ts";
import { Slot } from "./slot.ts";
import { StartGates } from "./start-gate.ts";
import { Statistics } from "./statistics.ts";

/** Local servers that may be starting at a time. */
const LOCAL_STARTS = 3;

export type Owner = string | null | undefined;

/** The running part of a server's status. */
export interface ServerFacts {
  readonly state: ServerState;
  readonly lastFailure: (ConnectFailure & { readonly at: string }) | undefined;
  readonly statistics: Statistics;
  readonly stderrTail: string;
  readonly live: readonly {
    readonly connectionId: string;
    readonly owner: Owner;
    readonly pid: number | undefined;
    readonly protocolVersion: string | undefined;
    readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
    readonly queue: QueueDepth;
    readonly toolset: Toolset | undefined;
  }[];
}

interface Server {
  configured: ConfiguredServer;
  configuredAt: string;
  readonly statistics: Statistics;
  readonly slots: Map<Owner, Slot>;
  lastFailure: (ConnectFailure & { readonly at: string }) | undefined;
  /** Of the last inspection, where nothing else lives. */
  inspectionStderr: string;
  number: number;
  /** No longer configured: what lives of it is on its way out. */
  refused: boolean;
}

export class Connections {
  readonly #ports: ConnectionsPorts;
  readonly #gates = new StartGates(LOCAL_STARTS);
  readonly #quarantine: Quarantine;
  readonly #servers = new Map<string, Server>();
  /** By connection id: what calls reach. */
  readonly #live = new Map<string, { readonly connection: Connection; readonly statistics: Statistics }>();
  readonly #numbers: Map<string, number>;
  #closed = false;

  /** `numbers`: the highest n of `alias#n` ever used. */
  constructor(ports: ConnectionsPorts, numbers: ReadonlyMap<string, number>) {
    this.#ports = ports;
    this.#numbers = new Map(numbers);
    this.#quarantine = new Quarantine({ ...ports, gates: this.#gates });
  }

  /** Takes a server's (new) definition. What runs goes on by the old one until it is connected again. */
  configure(configured: ConfiguredServer): void {
    const known = this.#servers.get(configured.alias);
    if (known === undefined) {
      this.#servers.set(configured.alias, {
        configured,
        configuredAt: this.#ports.now().toISOString(),
        statistics: new Statistics(),
        slots: new Map(),
        lastFailure: undefined,
        inspectionStderr: "",
        number: this.#numbers.get(configured.alias) ?? 0,
        refused: false,
      });
      return;
    }
    known.configured = configured;
    known.configuredAt = this.#ports.now().toISOString();
    if (configured.kind === "valid") for (const slot of known.slots.values()) slot.configure(configured.spec);
  }

  /** A server that is no longer configured: nothing of it starts any more. */
  refuse(alias: string): void {
    this.#server(alias).refused = true;
  }

  /** Forgets a server that is no longer configured. Its slots must be retired. */
  forget(alias: string): void {
    const server = this.#servers.get(alias);
    if (server !== undefined) this.#numbers.set(alias, server.number);
    this.#servers.delete(alias);
  }

  aliases(): readonly string[] {
    return [...this.#servers.keys()];
  }

  configured(alias: string): ConfiguredServer {
    return this.#server(alias).configured;
  }

  /** Rejects with ConnectRefused, `unknown_alias`. */
  async connect(alias: string, owner: Owner, signal: AbortSignal): Promise<void> {
    const server = this.#server(alias);
    if (server.refused) throw unknownAlias(alias);
    const spec = runnable(server.configured);
    if (this.#closed) throw new ConnectRefused(connectFailure("cancelled"));
    await this.#slot(server, spec, owner).connect(signal);
  }

  /**
   * Starts a server on a connection of its own to see what it publishes, and stops it. Rejects with ConnectRefused,
   * `unknown_alias`; with `conflict` when its launch is not the one that `launchDigest` says was read.
   */
  async inspect(alias: string, launchDigest: string, signal: AbortSignal): Promise<Inspection> {
    const server = this.#server(alias);
    if (server.refused) throw unknownAlias(alias);
    if (server.configured.kind === "invalid") throw invalid(server.configured);
    const { spec } = server.configured;
    if (spec.launchDigest !== launchDigest) {
      throw new PoolError("conflict", `What starts "${alias}" is not what was shown: look at it again`, { alias });
    }
    const slots = [...server.slots.values()];
    // Two lives of one server do not overlap without need: what is on its way out is waited for.
    await Promise.all(slots.filter((slot) => slot.toolset === undefined).map((slot) => slot.settled()));
    const connectionId = this.#nextId(alias, server);
    this.#ports.onEvent({ alias, connectionId, event: "inspecting" });
    const { result, stderrTail } = await this.#quarantine.inspect(spec, connectionId, signal);
    server.inspectionStderr = stderrTail;
    this.#ports.onEvent({
      ...{ alias, connectionId, event: "inspected" as const },
      ...(result.kind === "refused" ? { failure: result.refused.failure } : {}),
    });
    if (result.kind === "seen") return result.inspection;
    server.lastFailure = { at: this.#ports.now().toISOString(), ...result.refused.failure };
    throw result.refused;
  }

  /** What is published of a server for an owner. */
  toolset(alias: string, owner: Owner): Toolset | undefined {
    return this.#servers.get(alias)?.slots.get(owner)?.toolset;
  }

  /** Owners with something alive, starting or due to start. */
  owners(alias: string): readonly Owner[] {
    return [...(this.#servers.get(alias)?.slots ?? [])].filter(([, slot]) => !slot.empty).map(([owner]) => owner);
  }

  /** The toolset is withdrawn already. Resolves when nothing of the connection is left. */
  async retire(alias: string, owner: Owner, reason: string, drainMs: number): Promise<void> {
    const server = this.#servers.get(alias);
    const slot = server?.slots.get(owner);
    if (server === undefined || slot === undefined) return;
    await slot.retire(reason, drainMs);
    if (owner !== undefined && slot.empty && server.slots.get(owner) === slot) {
      // A session's copy leaves no trace but the server's last failure.
      server.lastFailure = slot.lastFailure ?? server.lastFailure;
      server.slots.delete(owner);
    }
  }

  /** Nobody holds the server any more: no further attempt to reconnect. */
  released(alias: string, owner: Owner): void {
    this.#servers.get(alias)?.slots.get(owner)?.released();
  }

  async call(connectionId: string, request: RemoteRequest): Promise<RemoteAnswer> {
    const live = this.#live.get(connectionId);
    if (live === undefined) return { outcome: { kind: "unbound" }, queuedMs: null, durationMs: null };
    const answer = await live.connection.call(request);
    if (answer.durationMs !== null) live.statistics.call(answer.durationMs);
    return answer;
  }

  facts(alias: string): ServerFacts {
    const server = this.#server(alias);
    const slots = [...server.slots.values()];
    // A slot that is not in use may be left from before a reload changed the sharing.
    const oldest = slots.find((slot) => !slot.empty) ?? slots.at(-1);
    const stderr = oldest?.stderrTail ?? "";
    const failures = [dated(server), server.lastFailure, ...slots.map((slot) => slot.lastFailure)].filter(
      (failure) => failure !== undefined,
    );
    return {
      state: configuredState(server.configured) ?? oldest?.state ?? { kind: "idle" },
      lastFailure: failures.sort((a, b) => (a.at < b.at ? 1 : -1))[0],
      statistics: server.statistics,
      stderrTail: stderr === "" ? server.inspectionStderr : stderr,
      live: slots.flatMap((slot) => {
        const { connection, toolset, owner } = slot;
        if (connection === undefined) return [];
        const { id, pid, info, queue } = connection;
        return [
          { connectionId: id, owner, pid, protocolVersion: info?.protocolVersion, serverInfo: info?.serverInfo, queue, toolset },
        ];
      }),
    };
  }

  /** Ends everything in parallel: gracefully, or at once. Nothing starts afterwards. Resolves when nothing is left. */
  async close(reason: string, how: "graceful" | "now"): Promise<void> {
    this.#closed = true;
    const slots = [...this.#servers.values()].flatMap((server) => [...server.slots.values()]);
    const ending = slots.map((slot) => (how === "now" ? slot.destroy(reason) : slot.retire(reason, 0)));
    await Promise.all([...ending, this.#quarantine.close(how)]);
  }

  #nextId(alias: string, server: Server): string {
    return `${alias}#${String(++server.number)}`;
  }

  #server(alias: string): Server {
    const server = this.#servers.get(alias);
    if (server === undefined) throw unknownAlias(alias);
    return server;
  }

  #slot(server: Server, spec: ServerSpec, owner: Owner): Slot {
    const known = server.slots.get(owner);
    if (known !== undefined) return known;
    const slot = new Slot(spec, owner, {
      ...this.#ports,
      onNoise: (alias, count) => {
        server.statistics.noise += count;
        this.#ports.onNoise(alias, count);
      },
      gates: this.#gates,
      statistics: server.statistics,
      nextId: () => this.#nextId(spec.alias, server),
      onLive: (connection) => this.#live.set(connection.id, { connection, statistics: server.statistics }),
      onDead: (connection) => this.#live.delete(connection.id),
    });
    server.slots.set(owner, slot);
    return slot;
  }
}

/** Throws ConnectRefused for a server that cannot run as it is configured. */
function runnable(configured: ConfiguredServer): ServerSpec {
  if (configured.kind !== "valid") throw invalid(configured);
  if (configured.spec.disabled) throw new ConnectRefused(connectFailure("disabled"));
  const drift = launchDrift(configured.spec);
  // Nothing that was not reviewed is started.
  if (drift !== undefined) throw new ConnectRefused(drift);
  return configured.spec;
}

function invalid({ issues }: Exclude<ConfiguredServer, { kind: "valid" }>): ConnectRefused {
  return new ConnectRefused(connectFailure("config_invalid", issues));
}

function launchDrift({ alias, pins }: ServerSpec): ConnectFailure | undefined {
  if (pins === undefined || pins.launch.length === 0) return undefined;
  const message = `is not as it was reviewed: toolpool review ${alias}`;
  return connectFailure(
    "definition_drift",
    pins.launch.map((part) => ({ tool: "", pointer: `/mcpServers/${alias}/${part}`, message: `"${part}" ${message}` })),
  );
}

/** Why the configuration alone keeps a server from running. */
function standingFailure(configured: ConfiguredServer): ConnectFailure | undefined {
  if (configured.kind !== "valid") return connectFailure("config_invalid", configured.issues);
  return configured.spec.disabled ? undefined : launchDrift(configured.spec);
}

function dated({ configured, configuredAt }: Server): (ConnectFailure & { readonly at: string }) | undefined {
  const failure = standingFailure(configured);
  return failure && { at: configuredAt, ...failure };
}

/** The state a configuration alone gives. */
function configuredState(configured: ConfiguredServer): ServerState | undefined {
  const failure = standingFailure(configured);
  if (failure !== undefined) return { kind: "failed", failure };
  return configured.kind === "valid" && configured.spec.disabled ? { kind: "disabled" } : undefined;
}
