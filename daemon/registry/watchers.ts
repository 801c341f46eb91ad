// Followers of the registry. Each has a bounded buffer; one that does not keep up is told once that it lags, and reads again.
// A commit only pushes into arrays: no follower can slow it.
import type { VersionRow } from "../contract/index.ts";

export type WatchEvent =
  | { readonly kind: "version"; readonly row: VersionRow }
  /** Versions were dropped; the registry was at `version` then. Read from there, and go on following. */
  | { readonly kind: "lagging"; readonly version: number }
  | { readonly kind: "closing" };

/** One reader. It is registered from its making until `return`, `closing` or the signal's abort, whether it was ever read or not. */
class Follower implements AsyncIterableIterator<WatchEvent> {
  readonly #buffer: WatchEvent[] = [];
  readonly #limit: number;
  readonly #signal: AbortSignal;
  readonly #leave: (follower: Follower) => void;
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(limit: number, signal: AbortSignal, leave: (follower: Follower) => void) {
    this.#limit = limit;
    this.#signal = signal;
    this.#leave = leave;
    signal.addEventListener("abort", this.#end);
    if (signal.aborted) this.#end();
  }

  push(event: WatchEvent): void {
    const last = this.#buffer.at(-1);
    if (event.kind === "version" && last?.kind === "lagging") {
      this.#buffer[this.#buffer.length - 1] = { kind: "lagging", version: event.row.version };
    } else if (event.kind === "version" && this.#buffer.length >= this.#limit) {
      this.#buffer.length = 0;
      this.#buffer.push({ kind: "lagging", version: event.row.version });
    } else {
      this.#buffer.push(event);
    }
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<WatchEvent, undefined>> {
    while (!this.#ended) {
      const event = this.#buffer.shift();
      if (event !== undefined) {
        if (event.kind === "closing") this.#end();
        return { done: false, value: event };
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<WatchEvent, undefined>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#buffer.length = 0;
    this.#signal.removeEventListener("abort", this.#end);
    this.#leave(this);
    this.#wake?.();
  };
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
    for (const follower of this.#followers) follower.push({ kind: "version", row });
  }

  close(): void {
    this.#closed = true;
    for (const follower of this.#followers) follower.push({ kind: "closing" });
  }

  /** Follows from this moment on, so that nothing committed before the first `next()` is missed. */
  follow(signal: AbortSignal): AsyncIterableIterator<WatchEvent> {
    const follower = new Follower(this.#limit, signal, (gone) => this.#followers.delete(gone));
    if (!signal.aborted) this.#followers.add(follower);
    if (this.#closed) follower.push({ kind: "closing" });
    return follower;
  }
}
