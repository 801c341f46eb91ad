// The time limits of one running call: the longest silence, which progress extends, and the total, which nothing extends.
// The clock starts when the call is dispatched; waiting in the queue has a limit of its own.

export interface CallLimits {
  /** Longest silence (ms): no answer, no progress. */
  readonly idleMs: number;
  /** Longest total (ms), progress or not. */
  readonly totalMs: number;
}

export class CallClock {
  readonly #idle: NodeJS.Timeout | undefined;
  readonly #total: NodeJS.Timeout;

  constructor({ idleMs, totalMs }: CallLimits, onExpired: () => void) {
    this.#total = setTimeout(onExpired, totalMs);
    // A silence limit that the total cannot outlast needs no timer of its own.
    this.#idle = idleMs < totalMs ? setTimeout(onExpired, idleMs) : undefined;
  }

  progress(): void {
    this.#idle?.refresh();
  }

  stop(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
  }
}
