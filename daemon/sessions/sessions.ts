// All sessions: opening, finding, expiry, ending. A session ends by request, with its parent, by its idle limit, or with the
// daemon; ending it cancels its calls and gives up all its holds.
import { randomBytes } from "node:crypto";
import {
  ConnectRefused,
  DEFAULT_IDLE_MS,
  PoolError,
  shuttingDown,
  unknownSession,
  type MethodParams,
  type MethodResult,
  type SessionInfo,
} from "../contract/index.ts";
import type { RegistryReader } from "../registry/reads.ts";
import type { Registry } from "../registry/registry.ts";
import type { Attachments } from "./attachments.ts";
import type { ServerConnections } from "./ports.ts";
import { Session } from "./session.ts";

export interface SessionsOptions {
  readonly registry: Registry;
  readonly reader: RegistryReader;
  readonly attachments: Attachments;
  readonly connections: ServerConnections;
  readonly limit: () => number;
  readonly now: () => Date;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();
  #sweep: NodeJS.Timeout | undefined;
  #sweepAt = Infinity;
  #closed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Throws `forbidden`, `unknown_session` (parent), `unknown_alias`, `too_many_sessions`. */
  async open(params: MethodParams<"session.open">, signal: AbortSignal): Promise<MethodResult<"session.open">> {
    const { role = "lead", attach } = params;
    if (this.#closed) throw shuttingDown();
    if (params.parent !== undefined && this.require(params.parent).facts.role !== "lead") {
      throw new PoolError("forbidden", "Only a lead session can be a parent");
    }
    if (attach !== undefined && role !== "lead") throw new PoolError("forbidden", `A ${role} session cannot attach servers`);
    const aliases = [...new Set(attach ?? [])];
    for (const alias of aliases) this.#options.connections.configured(alias);
    const limit = this.#options.limit();
    if (this.#sessions.size >= limit) {
      throw new PoolError(
        "too_many_sessions",
        `There are ${String(limit)} sessions already: close one, or raise limits.sessions`,
        { limit },
      );
    }
    const session = new Session(
      {
        id: `s_${randomBytes(16).toString("base64url")}`,
        role,
        label: params.label ?? null,
        cwd: params.cwd ?? null,
        parent: params.parent ?? null,
        idleMs: params.idleMs ?? DEFAULT_IDLE_MS,
      },
      this.#options.now(),
    );
    this.#sessions.set(session.id, session);
    this.#arm(session.expiresAt);
    const started = attach === undefined ? {} : await this.#attachAll(session, aliases, signal);
    return { sessionId: session.id, role, version: this.#options.registry.version, ...started };
  }

  close({ sessionId }: MethodParams<"session.close">): Promise<void> {
    this.#end(this.require(sessionId));
    return Promise.resolve();
  }

  heartbeat({ sessionId }: MethodParams<"session.heartbeat">): MethodResult<"session.heartbeat"> {
    this.require(sessionId);
    return { version: this.#options.registry.version };
  }

  /** The session's view as the text of a SessionSnapshot. What is given is pinned. */
  snapshot({ sessionId, version, ifDigest }: MethodParams<"registry.snapshot">): { json: string } {
    const session = this.require(sessionId);
    const asked = version ?? this.#options.registry.version;
    const text = this.#view(session, asked, ifDigest);
    const at = this.#options.registry.at(asked);
    // What only the journal still has can be read, but not be called by: what was given before stays valid.
    if (at.kind === "state") session.pinned = at.state;
    session.given = session.pinned?.version ?? null;
    return text;
  }

  /** As `snapshot`, for an observer: the session is not used by it. */
  look({ sessionId, version, ifDigest }: MethodParams<"registry.snapshot">): { json: string } {
    return this.#view(this.#find(sessionId), version ?? this.#options.registry.version, ifDigest);
  }

  #view(session: Session, asked: number, ifDigest: string | undefined): { json: string } {
    const { reader } = this.#options;
    const pinned = session.pinned?.version === asked ? session.pinned : undefined;
    const view = pinned === undefined ? reader.view(session, asked) : reader.viewOf(pinned, session);
    const head = `{"digest":"${view.digest}"`;
    const tail = `"version":${String(asked)}}`;
    if (ifDigest === view.digest) return { json: `${head},"notModified":true,${tail}` };
    return { json: `${head},"tools":${view.toolsJson},${tail}` };
  }

  list(): readonly SessionInfo[] {
    return [...this.#sessions.values()].map((session) => this.#info(session));
  }

  /** Looking is not using: it does not keep the session alive. */
  get(sessionId: string): SessionInfo {
    return this.#info(this.#find(sessionId));
  }

  /** For a request that names the session. Throws `unknown_session`. */
  require(sessionId: string): Session {
    const session = this.#find(sessionId);
    session.seen();
    return session;
  }

  /** For a request that uses servers. Throws `forbidden` for a non-lead. */
  requireLead(sessionId: string): Session {
    const session = this.require(sessionId);
    if (!session.lead) throw new PoolError("forbidden", `A ${session.facts.role} session cannot hold servers`);
    return session;
  }

  closeAll(): void {
    this.#closed = true;
    clearTimeout(this.#sweep);
    for (const session of [...this.#sessions.values()]) this.#end(session);
  }

  async #attachAll(
    session: Session,
    aliases: readonly string[],
    signal: AbortSignal,
  ): Promise<Pick<MethodResult<"session.open">, "attached" | "failed">> {
    const leave = session.enter();
    const either = AbortSignal.any([signal, session.ended]);
    const attached: string[] = [];
    const failed: { alias: string; code: string }[] = [];
    try {
      await Promise.all(
        aliases.map(async (alias) => {
          try {
            await this.#options.attachments.attach(session.id, alias, either);
            attached.push(alias);
          } catch (error) {
            if (!(error instanceof ConnectRefused)) throw error;
            failed.push({ alias, code: error.failure.code });
          }
        }),
      );
    } catch (error) {
      this.#end(session);
      throw error;
    } finally {
      leave();
    }
    // Nobody is left to be told the session's id.
    if (signal.aborted) this.#end(session);
    const order = (alias: string): number => aliases.indexOf(alias);
    attached.sort((a, b) => order(a) - order(b));
    failed.sort((a, b) => order(a.alias) - order(b.alias));
    return { attached, failed };
  }

  #end(session: Session): void {
    if (!this.#sessions.delete(session.id)) return;
    for (const child of [...this.#sessions.values()]) if (child.facts.parent === session.id) this.#end(child);
    session.end();
    this.#options.attachments.forget(session.id);
  }

  #find(sessionId: string): Session {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    if (session.expiresAt > performance.now()) return session;
    // Its time was over before the sweep came round.
    this.#end(session);
    throw unknownSession(sessionId);
  }

  #info(session: Session): SessionInfo {
    return session.info(this.#options.attachments.attached(session.id));
  }

  /** One timer for all sessions, set to the earliest expiry that is known; what was used meanwhile is looked at again then. */
  #arm(at: number): void {
    if (at >= this.#sweepAt || this.#closed) return;
    clearTimeout(this.#sweep);
    this.#sweepAt = at;
    this.#sweep = setTimeout(
      () => this.#expire(),
      Math.min(2_147_483_647, Math.max(1, Math.ceil(at - performance.now()))),
    ).unref();
  }

  #expire(): void {
    this.#sweepAt = Infinity;
    const now = performance.now();
    let next = Infinity;
    for (const session of [...this.#sessions.values()]) {
      const at = session.expiresAt;
      if (at <= now) this.#end(session);
      // A session with something under way is looked at again after a whole idle time.
      else next = Math.min(next, at === Infinity ? now + session.facts.idleMs : at);
    }
    if (next < Infinity) this.#arm(next);
  }
}
