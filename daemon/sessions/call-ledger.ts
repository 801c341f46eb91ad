// The calls of one session by the caller's own ids: what is in flight, what has finished, and cancels that overtook their call.
// Memory is bounded in number and time (CONTRACT section 2).
import { CANCEL_MEMORY, PoolError } from "../contract/index.ts";

export class CallLedger {
  readonly #inFlight = new Map<string, AbortController>();
  readonly #finished = new Map<string, number>();
  readonly #early = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes an id for a call. Throws `conflict` while it is in flight. True when the call was cancelled before it came. */
  begin(callId: string, controller: AbortController): boolean {
    if (this.#inFlight.has(callId)) throw new PoolError("conflict", `The call id "${callId}" is in flight already`, { callId });
    this.#inFlight.set(callId, controller);
    this.#finished.delete(callId);
    const until = this.#early.get(callId);
    this.#early.delete(callId);
    return until !== undefined && until > this.#now();
  }

  end(callId: string): void {
    this.#inFlight.delete(callId);
    remember(this.#finished, callId, this.#now());
  }

  /** True when the call is or will be cancelled; false when it has finished. */
  cancel(callId: string): boolean {
    const controller = this.#inFlight.get(callId);
    if (controller !== undefined) {
      controller.abort();
      return true;
    }
    const until = this.#finished.get(callId);
    if (until !== undefined && until > this.#now()) return false;
    remember(this.#early, callId, this.#now());
    return true;
  }
}

function remember(memory: Map<string, number>, callId: string, now: number): void {
  memory.delete(callId);
  memory.set(callId, now + CANCEL_MEMORY.ms);
  for (const [oldest, until] of memory) {
    if (memory.size <= CANCEL_MEMORY.finished && until > now) break;
    memory.delete(oldest);
  }
}
