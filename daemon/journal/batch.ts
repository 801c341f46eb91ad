// What waits to be written: rows in order, written together in one transaction after a short while, at a bound, or when somebody
// reads or must be sure. A write that fails is told once and ends it: what comes after would stand on a hole.

export interface BatchOptions {
  /** Longest wait of a row (ms). */
  readonly delayMs: number;
  /** Rows that may wait; with this many they are written at once. */
  readonly bound: number;
  /** Runs all rows in one transaction. Throws when it cannot; then none of them is written. */
  readonly write: (rows: readonly (() => void)[]) => void;
  /** Resolves when all that was written is on the disk. */
  readonly sync: () => Promise<void>;
  /** Called once, with what `write` or `sync` threw. */
  readonly onFailure: (error: unknown) => void;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Batch {
  readonly #options: BatchOptions;
  #rows: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sure: Waiter[] = [];
  #turn: NodeJS.Immediate | undefined;
  #end: { readonly why: unknown } | undefined;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  /** After the end it does nothing: whoever is closing still reports what happens. */
  add(row: () => void): void {
    if (this.#end !== undefined) return;
    this.#rows.push(row);
    if (this.#rows.length >= this.#options.bound) this.#writeOnTime();
    // The timer keeps no process alive: whoever ends the process flushes.
    else this.#timer ??= setTimeout(() => this.#writeOnTime(), this.#options.delayMs).unref();
  }

  /** Resolves when the row is on the disk. Rows of one turn of the event loop share a transaction and a flush. */
  addDurably(row: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) {
        reject(reasonOf(this.#end.why));
        return;
      }
      this.#rows.push(row);
      this.#sure.push({ resolve, reject });
      this.#turn ??= setImmediate(() => this.#writeOnTime());
    });
  }

  /** Writes all that waits. Throws when it cannot, or could not before. */
  flush(): void {
    if (this.#end !== undefined) throw reasonOf(this.#end.why);
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
    this.#timer = this.#turn = undefined;
    const rows = this.#rows;
    const sure = this.#sure;
    if (rows.length === 0) return;
    this.#rows = [];
    this.#sure = [];
    try {
      this.#options.write(rows);
    } catch (error) {
      for (const { reject } of sure) reject(error);
      this.#fail(error);
      throw error;
    }
    if (sure.length > 0) void this.#settle(sure);
  }

  /** Nothing is taken any more. What waits must have been flushed. The first reason stays. */
  end(why: unknown): void {
    this.#end ??= { why };
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
    this.#timer = this.#turn = undefined;
    for (const { reject } of this.#sure) reject(reasonOf(this.#end.why));
    this.#sure = [];
    this.#rows = [];
  }

  async #settle(sure: readonly Waiter[]): Promise<void> {
    try {
      await this.#options.sync();
      for (const { resolve } of sure) resolve();
    } catch (error) {
      for (const { reject } of sure) reject(error);
      this.#fail(error);
    }
  }

  #writeOnTime(): void {
    try {
      this.flush();
    } catch {
      // Told by `onFailure`.
    }
  }

  #fail(error: unknown): void {
    if (this.#end !== undefined) return;
    this.end(error);
    this.#options.onFailure(error);
  }
}

function reasonOf(why: unknown): Error {
  return why instanceof Error ? why : new Error(String(why));
}
