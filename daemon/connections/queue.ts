// The one queue of a connection. Concurrent operations may overlap up to a limit; every other one is alone. Sessions take
// turns, each in its order of arrival, and whoever is next blocks those behind it, so that nothing starves. Waiting is bounded
// in number and time; the clock of a call itself starts when it leaves here.

export interface EntryOptions {
  /** Whose turn this is. */
  readonly session: string;
  readonly concurrent: boolean;
  /** Longest wait (ms); undefined = until the queue ends. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Counts against the limit of waiting operations. Default true. */
  readonly limited?: boolean;
}

export type Entry =
  /** The operation may run; `leave` must be called once when it is over. */
  | { readonly kind: "go"; readonly leave: () => void }
  | { readonly kind: "full" }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "ended" };

interface Waiting {
  readonly options: EntryOptions;
  readonly settle: (entry: Entry) => void;
  timer: NodeJS.Timeout | undefined;
  onAbort: (() => void) | undefined;
}

const FULL: Entry = Object.freeze({ kind: "full" });
const CANCELLED: Entry = Object.freeze({ kind: "cancelled" });
const ENDED: Entry = Object.freeze({ kind: "ended" });

export class OperationQueue {
  readonly #concurrency: number;
  readonly #limit: number;
  /** Session → its waiting operations; the map's order is the order of turns. */
  readonly #turns = new Map<string, Waiting[]>();
  #waiting = 0;
  #running = 0;
  #alone = false;
  #ended = false;
  #onIdle: (() => void)[] = [];

  constructor(options: { readonly concurrency: number; readonly limit: number }) {
    this.#concurrency = options.concurrency;
    this.#limit = options.limit;
  }

  get depth(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** At once where nothing is in the way, so that the common case costs no promise. */
  enter(options: EntryOptions): Entry | Promise<Entry> {
    if (this.#ended) return ENDED;
    if (options.signal?.aborted === true) return CANCELLED;
    if (this.#waiting === 0 && this.#fits(options)) return this.#admit(options);
    if (options.limited !== false && this.#waiting >= this.#limit) return FULL;
    return new Promise((resolve) => this.#wait(options, resolve));
  }

  /** Refuses what waits and what comes. What runs goes on. */
  end(): void {
    this.#ended = true;
    for (const waiting of [...this.#turns.values()].flat()) this.#settle(waiting, ENDED);
    this.#turns.clear();
  }

  /** Resolves when nothing runs any more. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #fits(options: EntryOptions): boolean {
    if (this.#running === 0) return true;
    return options.concurrent && !this.#alone && this.#running < this.#concurrency;
  }

  #admit(options: EntryOptions): Entry {
    this.#running++;
    this.#alone = !options.concurrent;
    let left = false;
    return {
      kind: "go",
      leave: () => {
        if (left) return;
        left = true;
        this.#running--;
        if (this.#running === 0) {
          this.#alone = false;
          const resolved = this.#onIdle;
          this.#onIdle = [];
          for (const resolve of resolved) resolve();
        }
        this.#next();
      },
    };
  }

  #wait(options: EntryOptions, settle: (entry: Entry) => void): void {
    const waiting: Waiting = { options, settle, timer: undefined, onAbort: undefined };
    if (options.waitMs !== undefined) waiting.timer = setTimeout(() => this.#drop(waiting, { kind: "timeout" }), options.waitMs);
    if (options.signal !== undefined) {
      waiting.onAbort = () => this.#drop(waiting, CANCELLED);
      options.signal.addEventListener("abort", waiting.onAbort);
    }
    const turn = this.#turns.get(options.session);
    if (turn === undefined) this.#turns.set(options.session, [waiting]);
    else turn.push(waiting);
    this.#waiting++;
  }

  #drop(waiting: Waiting, entry: Entry): void {
    const turn = this.#turns.get(waiting.options.session);
    const at = turn?.indexOf(waiting) ?? -1;
    if (turn === undefined || at < 0) return;
    turn.splice(at, 1);
    if (turn.length === 0) this.#turns.delete(waiting.options.session);
    this.#settle(waiting, entry);
    // It may have been the one that blocked those behind it.
    this.#next();
  }

  #settle(waiting: Waiting, entry: Entry): void {
    clearTimeout(waiting.timer);
    if (waiting.onAbort !== undefined) waiting.options.signal?.removeEventListener("abort", waiting.onAbort);
    this.#waiting--;
    waiting.settle(entry);
  }

  #next(): void {
    for (;;) {
      const [first] = this.#turns;
      if (first === undefined) return;
      const [session, turn] = first;
      const waiting = turn[0];
      if (waiting === undefined || !this.#fits(waiting.options)) return;
      turn.shift();
      // The session goes to the end of the line.
      this.#turns.delete(session);
      if (turn.length > 0) this.#turns.set(session, turn);
      this.#settle(waiting, this.#admit(waiting.options));
    }
  }
}
