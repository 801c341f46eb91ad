// Numbers of one server over its lives: counts, and the median and 95th percentile of its recent calls.

const SAMPLE = 256;

export class Statistics {
  connects = 0;
  failures = 0;
  calls = 0;
  noise = 0;
  readonly #durations: number[] = [];

  call(durationMs: number): void {
    this.#durations[this.calls % SAMPLE] = durationMs;
    this.calls++;
  }

  read(): { connects: number; failures: number; calls: number; p50Ms: number | null; p95Ms: number | null } {
    const sorted = [...this.#durations].sort((a, b) => a - b);
    const at = (share: number): number | null => {
      const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
      return value === undefined ? null : Math.round(value);
    };
    return { connects: this.connects, failures: this.failures, calls: this.calls, p50Ms: at(0.5), p95Ms: at(0.95) };
  }
}
