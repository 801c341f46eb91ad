// One seat at the pool for as long as an agent lives: opened, kept alive while the model thinks, closed. Notices when the daemon
// or the session is gone, and says so to whoever works with it.
import { PoolError, type MethodParams, type Role } from "../../daemon/contract/index.ts";
import type { PoolPort } from "../pool-port.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";

/** A third of the daemon's default idle limit would do; a minute notices a lost daemon earlier. */
const HEARTBEAT_MS = 60_000;
/** How long closing may wait for the daemon's answer (ms). */
const CLOSE_MS = 2_000;

export class PoolSession {
  readonly id: string;
  readonly role: Role;
  readonly pool: PoolPort;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  private constructor(pool: PoolPort, id: string, role: Role, heartbeatMs: number) {
    this.pool = pool;
    this.id = id;
    this.role = role;
    this.#timer = setInterval(() => void this.#beat(), heartbeatMs);
  }

  static async open(
    pool: PoolPort,
    params: MethodParams<"session.open">,
    options: { readonly signal: AbortSignal; readonly heartbeatMs?: number },
  ): Promise<PoolSession> {
    const { signal, heartbeatMs = HEARTBEAT_MS } = options;
    const { sessionId, role } = await pool.request("session.open", params, { signal });
    return new PoolSession(pool, sessionId, role, heartbeatMs);
  }

  /** Aborts, with the error as its reason, when the session or the daemon is gone. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Bounded; a session that is gone already is closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.lost.aborted) return;
    try {
      await this.pool.request("session.close", { sessionId: this.id }, { signal: AbortSignal.timeout(CLOSE_MS) });
    } catch {
      // Gone, or too slow to say so: it ends with its parent, its idle limit, or its daemon.
    }
  }

  async #beat(): Promise<void> {
    try {
      await this.pool.request("session.heartbeat", { sessionId: this.id });
    } catch (error) {
      if (this.#closing === undefined && isFatal(error)) this.#lost.abort(error);
    }
  }
}

/** Nothing more can be done with this session: the daemon is out of reach or closing, or the session is gone. */
export function isFatal(error: unknown): error is PoolError | PoolUnreachable {
  if (error instanceof PoolUnreachable) return true;
  return error instanceof PoolError && FATAL.has(error.reason);
}

const FATAL: ReadonlySet<PoolError["reason"]> = new Set([
  "unknown_session",
  "shutting_down",
  "unauthorized",
  "contract_mismatch",
]);
