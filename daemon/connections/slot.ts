// The place of one server in the pool (of one session's copy of it, with `"sharing": "session"`). Owns the server's state, the
// one connection that may live in it at a time, the one start that may be under way, and the timer of the next attempt.
// Everything that ends a connection withdraws its toolset first.
import { connectFailure, ConnectRefused, type ConnectFailure, type ServerSpec, type ServerState } from "../contract/index.ts";
import type { Toolset } from "../admission/types.ts";
import { Connection, type Admitted } from "./connection.ts";
import { NameTaken, type ConnectionEvent } from "./ports.ts";
import { decideRecovery } from "./recovery.ts";
import { SharedStart } from "./shared-start.ts";
import type { SlotPorts } from "./slot-ports.ts";
import { IDLE, transition, type StateEvent } from "./state.ts";

export class Slot {
  readonly owner: string | null | undefined;
  readonly #ports: SlotPorts;
  #spec: ServerSpec;
  #state: ServerState = IDLE;
  #connection: Connection | undefined;
  #toolset: Toolset | undefined;
  #publishedAt = 0;
  #start: SharedStart | undefined;
  #attempts = 0;
  #retry: NodeJS.Timeout | undefined;
  #lastFailure: (ConnectFailure & { at: string }) | undefined;
  #lastStderr = "";
  /** Lives that ended but are not yet verified gone. */
  readonly #closing = new Set<Promise<void>>();
  readonly #dying = new Set<Connection>();

  constructor(spec: ServerSpec, owner: string | null | undefined, ports: SlotPorts) {
    this.#spec = spec;
    this.owner = owner;
    this.#ports = ports;
  }

  get state(): ServerState {
    return this.#state;
  }

  get toolset(): Toolset | undefined {
    return this.#toolset;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  get lastFailure(): (ConnectFailure & { readonly at: string }) | undefined {
    return this.#lastFailure;
  }

  get stderrTail(): string {
    return this.#connection?.stderrTail() ?? this.#lastStderr;
  }

  /** Nothing lives or is about to live here. */
  get empty(): boolean {
    return this.#connection === undefined && this.#start === undefined && this.#retry === undefined && this.#closing.size === 0;
  }

  /** What lives goes on by the old definition, but for the pins: they are held against it at once. */
  configure(spec: ServerSpec): void {
    this.#spec = spec;
    this.#connection?.repin(spec.pins);
  }

  /**
   * Connected when it resolves; one start is shared by all who ask. Rejects with ConnectRefused. A caller whose signal aborts
   * leaves; the start itself is given up when the last one has left.
   */
  async connect(signal: AbortSignal): Promise<void> {
    if (this.#state.kind === "connected") return;
    if (signal.aborted) throw new ConnectRefused(connectFailure("cancelled"));
    await (this.#start ??= this.#begin(false)).join(signal);
  }

  /**
   * The asked end. The toolset is withdrawn already, or was never published. A start under way is given up.
   * Resolves when nothing of it is left.
   */
  async retire(reason: string, drainMs: number): Promise<void> {
    this.#cancelRetry();
    this.#attempts = 0;
    const live = this.#state.kind === "connected" ? this.#connection : undefined;
    this.#move({ kind: "close" });
    this.#toolset = undefined;
    if (live !== undefined) this.#bury(live, live.retire(reason, drainMs));
    this.#start?.giveUp();
    await this.settled();
  }

  async destroy(reason: string): Promise<void> {
    this.#cancelRetry();
    const connection = this.#connection;
    this.#move({ kind: "close" });
    this.#toolset = undefined;
    if (connection !== undefined) this.#bury(connection, connection.destroy(reason));
    // Those that are on their way out already do not get the rest of their grace.
    for (const dying of this.#dying) void dying.destroy(reason);
    this.#start?.giveUp();
    await this.settled();
  }

  /** Resolves when every life that ended is verified gone. */
  async settled(): Promise<void> {
    await this.#start?.done.catch(() => undefined);
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  /** Nobody holds it any more: no further attempt. */
  released(): void {
    if (this.#state.kind !== "pending") return;
    this.#cancelRetry();
    this.#move({ kind: "close" });
  }

  #begin(kept: boolean): SharedStart {
    this.#cancelRetry();
    return new SharedStart(async (signal) => {
      try {
        await this.#run(signal);
      } finally {
        this.#start = undefined;
      }
    }, kept);
  }

  async #run(signal: AbortSignal): Promise<void> {
    // Two lives of one server never overlap: what it locks or listens on must be free again.
    while (this.#closing.size > 0) await Promise.all(this.#closing);
    if (gaveUp(signal)) throw this.#giveUp(connectFailure("cancelled"));
    const id = this.#ports.nextId();
    const connection: Connection = new Connection(id, this.owner, this.#spec, this.#ports, {
      onEnded: (failure) => this.#onLost(connection, failure),
      onRelisted: (tools, digest) => this.#onRelisted(connection, { tools, digest }),
      onRefused: (failure) => this.#onRefusedAgain(connection, failure),
      onRelistFailed: (failure) => {
        this.#note(failure);
        this.#event("relist_failed", id, failure);
      },
    });
    this.#connection = connection;
    const { runner } = this.#spec;
    this.#move({ kind: "start", connectionId: id, at: this.#now(), ...(runner === undefined ? {} : { runner }) });
    this.#event("connecting", id);
    try {
      const leave = await this.#ports.gates.enter(this.#spec.runner, signal);
      try {
        const admitted = await connection.start(signal);
        if (gaveUp(signal)) throw new ConnectRefused(connectFailure("cancelled"));
        this.#publish(connection, admitted);
      } finally {
        leave();
      }
    } catch (error) {
      const failure =
        error instanceof ConnectRefused ? error.failure : connectFailure(gaveUp(signal) ? "cancelled" : "handshake_failed");
      this.#event("failed", id, failure);
      const refused = this.#giveUp(failure);
      this.#bury(connection, connection.retire(failure.code, 0));
      if (!(error instanceof ConnectRefused) && !gaveUp(signal)) throw error;
      throw refused;
    }
  }

  #publish(connection: Connection, admitted: Admitted): void {
    try {
      this.#toolset = this.#ports.publisher.publish(this.#offer(connection, admitted));
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error;
      const message = `The local name is taken by server "${error.alias}"`;
      throw new ConnectRefused(connectFailure("name_collision", [{ tool: error.tool, pointer: "/name", message }]));
    }
    this.#publishedAt = performance.now();
    this.#ports.statistics.connects++;
    this.#move({ kind: "published", at: this.#now() });
    this.#ports.onLive(connection);
    connection.supervise();
    this.#event("connected", connection.id);
  }

  /** A start that came to nothing: noted, and followed by another only when it was an attempt to recover. */
  #giveUp(failure: ConnectFailure): ConnectRefused {
    if (failure.code === "cancelled") {
      if (this.#state.kind === "connecting") this.#move({ kind: "close" });
      return new ConnectRefused(failure);
    }
    this.#ports.statistics.failures++;
    this.#note(failure);
    if (this.#attempts > 0) this.#recover(failure, 0);
    else this.#move({ kind: "failed", failure });
    return new ConnectRefused(failure);
  }

  #onLost(connection: Connection, failure: ConnectFailure): void {
    if (this.#connection !== connection) return;
    const livedMs = performance.now() - this.#publishedAt;
    this.#withdraw("lost");
    this.#bury(connection);
    this.#note(failure);
    this.#event("lost", connection.id, failure);
    this.#recover(failure, livedMs);
  }

  #onRelisted(connection: Connection, admitted: Admitted): boolean {
    const old = this.#toolset;
    if (old === undefined || old.digest === admitted.digest) return false;
    // The names cannot collide: they are the policy's, as before.
    this.#toolset = this.#ports.publisher.replace(old, this.#offer(connection, admitted));
    this.#event("tools_changed", connection.id);
    return true;
  }

  #onRefusedAgain(connection: Connection, failure: ConnectFailure): void {
    this.#withdraw("refused");
    this.#bury(connection);
    this.#note(failure);
    this.#event("failed", connection.id, failure);
    this.#move({ kind: "failed", failure });
  }

  #withdraw(why: "lost" | "refused"): void {
    const toolset = this.#toolset;
    this.#toolset = undefined;
    if (toolset !== undefined) this.#ports.publisher.withdraw(toolset, why);
  }

  #recover(failure: ConnectFailure, livedMs: number): void {
    const recovery = decideRecovery({
      mode: this.#spec.reconnect,
      code: failure.code,
      held: this.#ports.publisher.held(this.#spec.alias, this.owner),
      attempts: this.#attempts,
      livedMs,
    });
    if (recovery.kind === "stop") {
      this.#attempts = 0;
      this.#move({ kind: "failed", failure });
      return;
    }
    this.#attempts = recovery.attempt;
    const nextAt = new Date(this.#ports.now().getTime() + recovery.delayMs).toISOString();
    this.#move({ kind: "retry", failure, attempt: recovery.attempt, nextAt });
    this.#event("retry", null, failure);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#start ??= this.#begin(true);
    }, recovery.delayMs);
  }

  /** The connection is no longer the slot's; it is kept until it is verified gone. */
  #bury(connection: Connection, ending?: Promise<void>): void {
    if (this.#connection === connection) {
      this.#lastStderr = connection.stderrTail();
      this.#connection = undefined;
      this.#ports.onDead(connection);
    }
    // The connection begins to close at the end of this turn at the latest.
    const gone = (ending ?? Promise.resolve().then(() => connection.gone)).then(() => {
      this.#closing.delete(gone);
      this.#dying.delete(connection);
      this.#lastStderr = connection.stderrTail() || this.#lastStderr;
      if (this.#state.kind === "closing" && this.#state.connectionId === connection.id) this.#move({ kind: "closed" });
      this.#event("closed", connection.id);
    });
    this.#closing.add(gone);
    this.#dying.add(connection);
  }

  #cancelRetry(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  #offer(connection: Connection, { tools }: Admitted): Parameters<SlotPorts["publisher"]["publish"]>[0] {
    return { connectionId: connection.id, alias: this.#spec.alias, owner: this.owner, tools };
  }

  #move(event: StateEvent): void {
    this.#state = transition(this.#state, event);
  }

  #note(failure: ConnectFailure): void {
    this.#lastFailure = { at: this.#now(), ...failure };
  }

  #event(event: ConnectionEvent["event"], connectionId: string | null, failure?: ConnectFailure): void {
    this.#ports.onEvent({ alias: this.#spec.alias, connectionId, event, ...(failure === undefined ? {} : { failure }) });
  }

  #now(): string {
    return this.#ports.now().toISOString();
  }
}

/** Asked anew each time: the compiler takes `aborted` for a constant once it was tested. */
const gaveUp = (signal: AbortSignal): boolean => signal.aborted;
