// Numbers of one server over its lives: counts, the median and 95th percentile of its recent calls, and how many calls ended in the
// last minute. Everything is bounded and nothing runs by itself: the window slides when somebody looks.

const SAMPLE = 256;
/** The window: so many slots of one second. */
const SLOTS = 60;

export interface ServerNumbers {
  readonly connects: number;
  readonly failures: number;
  readonly calls: number;
  /** Calls that ended in the last 60 seconds. */
  readonly callsPerMinute: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export class Statistics {
  connects = 0;
  failures = 0;
  calls = 0;
  noise = 0;
  readonly #now: () => number;
  readonly #durations: number[] = [];
  /** Slot `second % SLOTS`: calls of the last second that fell into it, and which second that was. */
  readonly #recent = Array.from({ length: SLOTS }, () => ({ second: Number.NEGATIVE_INFINITY, calls: 0 }));

  /** `now`: a clock that only goes forward (ms). */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  call(durationMs: number): void {
    this.#durations[this.calls % SAMPLE] = durationMs;
    this.calls++;
    const second = this.#second();
    const slot = this.#recent[second % SLOTS];
    if (slot === undefined) return;
    if (slot.second !== second) slot.calls = 0;
    slot.second = second;
    slot.calls++;
  }

  read(): ServerNumbers {
    const sorted = [...this.#durations].sort((a, b) => a - b);
    const at = (share: number): number | null => {
      const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
      return value === undefined ? null : Math.round(value);
    };
    const { connects, failures, calls } = this;
    return { connects, failures, calls, callsPerMinute: this.#lastMinute(), p50Ms: at(0.5), p95Ms: at(0.95) };
  }

  #lastMinute(): number {
    const oldest = this.#second() - SLOTS;
    return this.#recent.reduce((sum, { second, calls }) => (second > oldest ? sum + calls : sum), 0);
  }

  #second(): number {
    return Math.floor(this.#now() / 1_000);
  }
}
