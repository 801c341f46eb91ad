// One agent's seat at the pool. Holds what belongs to the seat alone: who sits there, when it was last heard of, what it was
// last given, its calls. Its attachments are the registry's.
import type { Role, SessionInfo } from "../contract/index.ts";
import type { RegistryState } from "../registry/types.ts";
import type { Viewer } from "../registry/view.ts";
import { CallLedger } from "./call-ledger.ts";

export interface SessionFacts {
  readonly id: string;
  readonly role: Role;
  readonly label: string | null;
  readonly cwd: string | null;
  readonly parent: string | null;
  readonly idleMs: number;
}

export class Session implements Viewer {
  readonly id: string;
  readonly lead: boolean;
  readonly facts: SessionFacts;
  readonly calls = new CallLedger();
  /** The state the session was last given: it stays bindable below the floor. */
  pinned: RegistryState | undefined;
  given: number | null = null;
  readonly #openedAt: Date;
  #lastSeenAt: Date;
  #lastSeen: number;
  #busy = 0;
  readonly #ended = new AbortController();
  readonly #running = new Set<AbortController>();

  constructor(facts: SessionFacts, now: Date) {
    this.id = facts.id;
    this.lead = facts.role === "lead";
    this.facts = facts;
    this.#openedAt = this.#lastSeenAt = now;
    this.#lastSeen = performance.now();
  }

  /** Aborts when the session ends. For `AbortSignal.any`; many calls at a time use `enter` instead of a listener each. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  seen(): void {
    this.#lastSeen = performance.now();
  }

  /**
   * A call or another request of the session is under way: it does not expire meanwhile, and `work` is aborted when the session
   * ends. Returns what ends that.
   */
  enter(work?: AbortController): () => void {
    this.#busy++;
    this.seen();
    if (work !== undefined) this.#running.add(work);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#busy--;
      if (work !== undefined) this.#running.delete(work);
      this.seen();
    };
  }

  end(): void {
    this.#ended.abort();
    for (const work of this.#running) work.abort();
  }

  /** On the clock of `performance.now()`; Infinity while something is under way. */
  get expiresAt(): number {
    return this.#busy > 0 ? Infinity : this.#lastSeen + this.facts.idleMs;
  }

  info(attached: ReadonlySet<string>): SessionInfo {
    const { id, role, label, cwd, parent, idleMs } = this.facts;
    this.#lastSeenAt = new Date(Date.now() - Math.round(performance.now() - this.#lastSeen));
    return {
      sessionId: id,
      role,
      label,
      cwd,
      parent,
      attached: [...attached].sort(),
      openedAt: this.#openedAt.toISOString(),
      lastSeenAt: this.#lastSeenAt.toISOString(),
      idleMs,
      version: this.given,
      callsInFlight: this.#busy,
    };
  }
}
