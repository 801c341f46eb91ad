// Followers of the registry. Each has a bounded buffer; one that does not keep up is told once that it lags, and reads again.
// A commit only pushes into arrays: no follower can slow it.
import type { VersionRow } from "../contract/index.ts";

export type WatchEvent =
  | { readonly kind: "version"; readonly row: VersionRow }
  /** Versions were dropped; the registry was at `version` then. Read from there, and go on following. */
  | { readonly kind: "lagging"; readonly version: number }
  | { readonly kind: "closing" };

class Follower {
  readonly buffer: WatchEvent[] = [];
  wake: (() => void) | undefined;

  push(event: WatchEvent, limit: number): void {
    const last = this.buffer.at(-1);
    if (event.kind === "version" && last?.kind === "lagging") {
      this.buffer[this.buffer.length - 1] = { kind: "lagging", version: event.row.version };
    } else if (event.kind === "version" && this.buffer.length >= limit) {
      this.buffer.length = 0;
      this.buffer.push({ kind: "lagging", version: event.row.version });
    } else {
      this.buffer.push(event);
    }
    this.wake?.();
  }
}

export class Watchers {
  readonly #followers = new Set<Follower>();
  readonly #limit: number;
  #closed = false;

  constructor(limit = 256) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#followers.size;
  }

  publish(row: VersionRow): void {
    for (const follower of this.#followers) follower.push({ kind: "version", row }, this.#limit);
  }

  close(): void {
    this.#closed = true;
    for (const follower of this.#followers) follower.push({ kind: "closing" }, this.#limit);
  }

  /**
   * Follows from now on. Registration happens at the call, not at the first `next()`, so that nothing committed in between is
   * missed. Ends after `closing`, when the signal aborts, or when the reader returns.
   */
  follow(signal: AbortSignal): AsyncIterableIterator<WatchEvent> {
    const follower = new Follower();
    this.#followers.add(follower);
    if (this.#closed) follower.push({ kind: "closing" }, this.#limit);
    return this.#drain(follower, signal);
  }

  async *#drain(follower: Follower, signal: AbortSignal): AsyncIterableIterator<WatchEvent> {
    const onAbort = (): void => follower.wake?.();
    signal.addEventListener("abort", onAbort);
    try {
      while (!signal.aborted) {
        const event = follower.buffer.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => (follower.wake = resolve));
          follower.wake = undefined;
          continue;
        }
        yield event;
        if (event.kind === "closing") return;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#followers.delete(follower);
    }
  }
}
