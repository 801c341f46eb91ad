// What waits to be written: rows in order, flushed together in one transaction after a short while, at a bound, or when somebody
// must be sure. Calls that begin and end within one batch are written once.

export interface BatchOptions {
  /** Longest wait of a row (ms). */
  readonly delayMs: number;
  /** Rows that may wait; one more writes at once. */
  readonly bound: number;
  /** Writes rows in one transaction; `durable` = on the disk when it returns. Throws when it cannot. */
  readonly write: (rows: readonly (() => void)[], durable: boolean) => void;
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

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#rows.length;
  }

  add(row: () => void): void {
    this.#rows.push(row);
    if (this.#rows.length >= this.#options.bound) this.#tryWrite();
    // The timer keeps no process alive: whoever ends the process flushes.
    else this.#timer ??= setTimeout(() => this.#tryWrite(), this.#options.delayMs).unref();
  }

  /** Resolves when the row is on the disk; rows of one turn of the event loop share one transaction. */
  addDurably(row: () => void): Promise<void> {
    this.#rows.push(row);
    return new Promise((resolve, reject) => {
      this.#sure.push({ resolve, reject });
      this.#turn ??= setImmediate(() => this.#tryWrite());
    });
  }

  /** Writes all that waits. Throws when it cannot. */
  flush(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
    this.#timer = this.#turn = undefined;
    const rows = this.#rows;
    const sure = this.#sure;
    if (rows.length === 0) return;
    this.#rows = [];
    this.#sure = [];
    try {
      this.#options.write(rows, sure.length > 0);
    } catch (error) {
      for (const { reject } of sure) reject(error);
      throw error;
    }
    for (const { resolve } of sure) resolve();
  }

  #tryWrite(): void {
    try {
      this.flush();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }
}
