// When to list a server's tools again. One refresh at a time and one after it, however many notices come; the pause before a
// refresh grows while notices bring nothing new, and falls back after a quiet time. A slow check of its own finds changes that
// nobody announced.

export interface RefreshPaceOptions {
  /** Pause between a notice and the listing (ms). */
  readonly debounceMs: number;
  /** Longest pause (ms). */
  readonly capMs: number;
  /** A notice after this much quiet (ms) is treated as the first. */
  readonly quietMs: number;
  /** Unasked check (ms). */
  readonly recheckMs: number;
  readonly now: () => number;
}

export const REFRESH_PACE = Object.freeze({ debounceMs: 50, capMs: 10_000, quietMs: 30_000, recheckMs: 300_000 });

export class RefreshPace {
  readonly #options: RefreshPaceOptions;
  readonly #refresh: () => Promise<"changed" | "same">;
  #pauseMs: number;
  #lastNotice = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #recheck: NodeJS.Timeout | undefined;
  #running = false;
  #again = false;
  #stopped = false;

  constructor(options: RefreshPaceOptions, refresh: () => Promise<"changed" | "same">) {
    this.#options = options;
    this.#refresh = refresh;
    this.#pauseMs = options.debounceMs;
    this.#recheck = setInterval(() => this.#run(), options.recheckMs).unref();
  }

  notice(): void {
    if (this.#stopped) return;
    const now = this.#options.now();
    if (now - this.#lastNotice > this.#options.quietMs) this.#pauseMs = this.#options.debounceMs;
    this.#lastNotice = now;
    if (this.#running) this.#again = true;
    else this.#timer ??= setTimeout(() => this.#run(), this.#pauseMs);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#recheck);
    this.#timer = this.#recheck = undefined;
  }

  #run(): void {
    if (this.#running || this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = true;
    void this.#refresh().then((result) => {
      this.#running = false;
      if (result === "changed") this.#pauseMs = this.#options.debounceMs;
      else this.#pauseMs = Math.min(this.#options.capMs, this.#pauseMs * 2);
      if (this.#again && !this.#stopped) this.#timer = setTimeout(() => this.#run(), this.#pauseMs);
      this.#again = false;
    });
  }
}
