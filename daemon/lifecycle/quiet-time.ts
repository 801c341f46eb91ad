// Many hints become one act: it comes when it has been quiet for a while, and at the latest a set time after the first hint, so that
// what never rests is acted on too. Keeps no process alive.

export interface QuietLimits {
  /** ms without a hint. */
  readonly quietMs: number;
  /** ms from the first hint to the act, whatever comes. */
  readonly longestMs: number;
}

export class QuietTime {
  readonly #act: () => void;
  readonly #limits: QuietLimits;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(act: () => void, limits: QuietLimits) {
    this.#act = act;
    this.#limits = limits;
  }

  hint(): void {
    if (this.#closed) return;
    const now = performance.now();
    this.#since ??= now;
    const left = Math.max(0, this.#since + this.#limits.longestMs - now);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pass(), Math.min(this.#limits.quietMs, left)).unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #pass(): void {
    this.#since = undefined;
    this.#act();
  }
}
