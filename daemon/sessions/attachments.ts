// Who holds which server. A server is connected when the first holder comes and closed when the last one leaves (after its
// linger time, unless it is to be kept alive); one session leaving never takes tools from another. Every step is one version:
// publish and first attachment together, last detachment and withdrawal together.
import { connectFailure, ConnectRefused, type ServerSpec } from "../contract/index.ts";
import type { Registry } from "../registry/registry.ts";
import { makeToolset, type ToolsetOffer } from "../registry/toolset.ts";
import type { Change, Toolset } from "../registry/types.ts";
import type { Owner, ServerConnections } from "./ports.ts";

/** How long calls that run when their server is disconnected may go on (ms). CONTRACT section 5. */
export const DISCONNECT_DRAIN_MS = 2_000;

export interface AttachResult {
  readonly version: number;
  /** Exposed names of the server. */
  readonly tools: readonly string[];
}

/** A holder that waits for a start: a session, or the pool itself (null). */
type Holder = string | null;

export class Attachments {
  readonly #registry: Registry;
  readonly #connections: ServerConnections;
  readonly #pool = new Set<string>();
  /** Alias → holders whose start is under way. */
  readonly #waiting = new Map<string, Set<Holder>>();
  readonly #lingering = new Map<string, NodeJS.Timeout>();
  /** Alias → how often a restart or a reload has given up whatever was starting. */
  readonly #restarts = new Map<string, number>();

  constructor(registry: Registry, connections: ServerConnections) {
    this.#registry = registry;
    this.#connections = connections;
  }

  /** Rejects with ConnectRefused, `unknown_alias`. */
  async attach(session: string, alias: string, signal: AbortSignal): Promise<AttachResult> {
    const owner = this.owner(alias, session);
    if (this.#connections.toolset(alias, owner) === undefined) await this.#connect(alias, session, owner, signal);
    // The session may have ended while it waited: nothing may be attached to it any more.
    if (signal.aborted) throw new ConnectRefused(connectFailure("cancelled"));
    this.#registry.attach(`attach ${alias}`, session, alias);
    return { version: this.#registry.version, tools: names(this.#connections.toolset(alias, owner)) };
  }

  /** Withdrawn at once where this was the last hold; resolves when the connection is gone. */
  async detach(session: string, alias: string): Promise<AttachResult> {
    if (!this.attached(session).has(alias)) return { version: this.#registry.version, tools: [] };
    const tools = names(this.#connections.toolset(alias, this.owner(alias, session)));
    const { changes, after } = this.#leave(session, alias, "disconnect", DISCONNECT_DRAIN_MS);
    const version = this.#registry.commit(`disconnect ${alias}`, changes);
    await after();
    return { version, tools };
  }

  /** A session ends: all its holds in one version. The connections that nobody needs any more close behind it. */
  forget(session: string): void {
    for (const waiting of this.#waiting.values()) waiting.delete(session);
    const leaving = [...this.attached(session)].map((alias) => this.#leave(session, alias, "session_end", 0));
    this.#registry.commit(
      "session_end",
      leaving.flatMap(({ changes }) => changes),
    );
    for (const { after } of leaving) void after();
    // A copy of its own that is starting, or that lost its attachment, has nobody left either.
    for (const alias of this.#connections.aliases()) {
      if (this.#connections.owners(alias).includes(session)) void this.#connections.retire(alias, session, "session_end", 0);
    }
  }

  /** The pool itself holds the server until `poolDisconnect`. */
  async poolConnect(alias: string, signal: AbortSignal): Promise<void> {
    const owner = this.owner(alias, null);
    if (this.#connections.toolset(alias, owner) === undefined) await this.#connect(alias, null, owner, signal);
    this.#pool.add(alias);
  }

  /** Gives up the pool's hold; without one, closes what lingers or is kept alive. Sessions keep what they hold. */
  async poolDisconnect(alias: string): Promise<void> {
    const owner = this.owner(alias, null);
    this.#pool.delete(alias);
    if (this.held(alias, owner)) return;
    await this.#close(alias, owner, "disconnect", DISCONNECT_DRAIN_MS);
  }

  heldByPool(alias: string): boolean {
    return this.#pool.has(alias);
  }

  /** Withdraws and closes every connection of a server, and starts what is held again. Rejects with ConnectRefused. */
  async restart(alias: string, signal: AbortSignal): Promise<void> {
    const owners = new Set(this.#connections.owners(alias));
    for (const session of this.sessionsOf(alias)) owners.add(this.owner(alias, session));
    if (this.#pool.has(alias)) owners.add(this.owner(alias, null));
    if (owners.size === 0) return this.poolConnect(alias, signal);
    this.#countRestart(alias);
    await Promise.all(
      [...owners].map(async (owner) => {
        await this.#close(alias, owner, "restart", DISCONNECT_DRAIN_MS);
        if (this.held(alias, owner)) await this.#started(alias, owner, signal);
      }),
    );
  }

  /** Withdraws and closes every connection of a server in one version with `changes`; attachments stay, and who waits for it goes on waiting. */
  async stop(alias: string, cause: string, changes: readonly Change[]): Promise<void> {
    this.#countRestart(alias);
    await this.#stop(alias, cause, changes);
  }

  /** What leads are offered, in one version; nothing is stopped. */
  announce(alias: string, cause: string, changes: readonly Change[]): void {
    this.#registry.commit(`${cause} ${alias}`, changes);
  }

  /** A removed server: every hold on it is gone, in the version that withdraws it. */
  async remove(alias: string, changes: readonly Change[]): Promise<void> {
    this.#pool.delete(alias);
    this.#endLinger(alias);
    const detach = this.sessionsOf(alias).map((session) => ({ kind: "detach", session, alias }) as const);
    await this.#stop(alias, "remove", [...detach, ...changes]);
  }

  attached(session: string): ReadonlySet<string> {
    return this.#registry.current.attachments.get(session) ?? NONE;
  }

  sessionsOf(alias: string): readonly string[] {
    return [...this.#registry.current.attachments].filter(([, aliases]) => aliases.has(alias)).map(([session]) => session);
  }

  owner(alias: string, holder: Holder): Owner {
    const configured = this.#connections.configured(alias);
    return configured.kind === "valid" && configured.spec.sharing === "session" ? holder : undefined;
  }

  // The registry as connections see it.

  publish(offer: ToolsetOffer): Toolset {
    const toolset = makeToolset(offer);
    const waiting = [...(this.#waiting.get(offer.alias) ?? [])].filter(
      (holder) => holder !== null && (offer.owner === undefined || offer.owner === holder),
    );
    const attach = waiting.map((session) => ({ kind: "attach", session: session ?? "", alias: offer.alias }) as const);
    this.#registry.publish(`connect ${offer.connectionId}`, toolset, ...attach);
    return toolset;
  }

  replace(old: Toolset, offer: ToolsetOffer): Toolset {
    const next = makeToolset(offer);
    this.#registry.replace(`tools_changed ${old.connectionId}`, old, next);
    return next;
  }

  withdraw(toolset: Toolset, why: string): void {
    if (this.#registry.current.toolsets.get(toolset.connectionId) !== toolset) return;
    this.#registry.withdraw(`${why} ${toolset.connectionId}`, toolset);
  }

  held(alias: string, owner: Owner): boolean {
    const waiting = this.#waiting.get(alias);
    if (owner === undefined) return this.#pool.has(alias) || (waiting?.size ?? 0) > 0 || this.sessionsOf(alias).length > 0;
    if (waiting?.has(owner) === true) return true;
    return owner === null ? this.#pool.has(alias) : this.attached(owner).has(alias);
  }

  /** Everything out of the registry in one version: toolsets and holds. Nothing is closed yet. */
  withdrawAll(cause: string): void {
    for (const alias of [...this.#lingering.keys()]) this.#endLinger(alias);
    this.#pool.clear();
    const { toolsets, attachments } = this.#registry.current;
    const withdraw = [...toolsets.values()].map((toolset) => ({ kind: "withdraw", toolset }) as const);
    const detach = [...attachments].flatMap(([session, aliases]) =>
      [...aliases].map((alias) => ({ kind: "detach", session, alias }) as const),
    );
    this.#registry.commit(cause, [...withdraw, ...detach]);
  }

  async #connect(alias: string, holder: Holder, owner: Owner, signal: AbortSignal): Promise<void> {
    this.#endLinger(alias);
    const waiting = this.#waiting.get(alias) ?? new Set();
    this.#waiting.set(alias, waiting.add(holder));
    try {
      await this.#started(alias, owner, signal);
    } finally {
      waiting.delete(holder);
      if (waiting.size === 0 && this.#waiting.get(alias) === waiting) this.#waiting.delete(alias);
    }
  }

  /** A start that a restart or a reload gave up was not given up by who waits for it: the one that follows is theirs. */
  async #started(alias: string, owner: Owner, signal: AbortSignal): Promise<void> {
    for (;;) {
      const restarts = this.#restarts.get(alias);
      try {
        await this.#connections.connect(alias, owner, signal);
        return;
      } catch (error) {
        const givenUp = error instanceof ConnectRefused && error.failure.code === "cancelled" && !signal.aborted;
        if (!givenUp || this.#restarts.get(alias) === restarts) throw error;
      }
    }
  }

  #countRestart(alias: string): void {
    this.#restarts.set(alias, (this.#restarts.get(alias) ?? 0) + 1);
  }

  /** The changes of one hold's end, and what is to be done after they are committed. */
  #leave(session: string, alias: string, reason: string, drainMs: number): { changes: Change[]; after: () => Promise<void> } {
    const owner = this.owner(alias, session);
    const changes: Change[] = [{ kind: "detach", session, alias }];
    const others =
      owner === undefined && (this.sessionsOf(alias).length > 1 || this.#pool.has(alias) || this.#waiting.has(alias));
    if (others) return { changes, after: () => Promise.resolve() };
    const spec = this.#spec(alias);
    const toolset = this.#connections.toolset(alias, owner);
    const stays = owner === undefined && spec !== undefined && (spec.keepAlive || spec.lingerMs > 0);
    if (toolset === undefined || stays) {
      const after = (): Promise<void> => {
        this.#connections.released(alias, owner);
        if (toolset !== undefined && spec !== undefined && !spec.keepAlive) this.#linger(alias, spec.lingerMs);
        return Promise.resolve();
      };
      return { changes, after };
    }
    changes.push({ kind: "withdraw", toolset });
    return { changes, after: () => this.#connections.retire(alias, owner, reason, drainMs) };
  }

  #linger(alias: string, ms: number): void {
    this.#endLinger(alias);
    const timer = setTimeout(() => {
      this.#lingering.delete(alias);
      if (!this.held(alias, undefined)) void this.#close(alias, undefined, "linger_end", DISCONNECT_DRAIN_MS);
    }, ms);
    this.#lingering.set(alias, timer);
  }

  #endLinger(alias: string): void {
    clearTimeout(this.#lingering.get(alias));
    this.#lingering.delete(alias);
  }

  async #close(alias: string, owner: Owner, reason: string, drainMs: number): Promise<void> {
    this.#endLinger(alias);
    const toolset = this.#connections.toolset(alias, owner);
    if (toolset !== undefined) this.#registry.withdraw(`${reason} ${toolset.connectionId}`, toolset);
    await this.#connections.retire(alias, owner, reason, drainMs);
  }

  async #stop(alias: string, cause: string, changes: readonly Change[]): Promise<void> {
    const owners = this.#connections.owners(alias);
    const sets = owners.map((owner) => this.#connections.toolset(alias, owner)).filter((set) => set !== undefined);
    this.#registry.commit(`${cause} ${alias}`, [...sets.map((toolset) => ({ kind: "withdraw", toolset }) as const), ...changes]);
    await Promise.all(owners.map((owner) => this.#connections.retire(alias, owner, cause, DISCONNECT_DRAIN_MS)));
  }

  #spec(alias: string): ServerSpec | undefined {
    const configured = this.#connections.configured(alias);
    return configured.kind === "valid" ? configured.spec : undefined;
  }
}

const NONE: ReadonlySet<string> = new Set();

const names = (toolset: Toolset | undefined): readonly string[] => toolset?.tools.map(({ view }) => view.name) ?? [];
