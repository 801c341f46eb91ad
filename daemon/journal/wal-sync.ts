// Makes committed transactions durable without stopping the event loop: SQLite commits into the write-ahead log, and the log is
// flushed to the disk by a thread. Together that is what `synchronous = FULL` does, which would block everybody for the
// milliseconds a disk takes. One flush runs at a time; whoever asks meanwhile shares the next.
import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

const flush = promisify(fdatasync);

export class WalSync {
  readonly #path: string;
  #descriptor: number | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `file` is the database's; its log must exist when the first flush is asked for. Another inode: no lock hangs on it. */
  constructor(file: string) {
    this.#path = `${file}-wal`;
  }

  /** Resolves when all that was committed before the call is on the disk. */
  request(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.then(
      () => this.#startNext(),
      () => this.#startNext(),
    );
    return this.#next;
  }

  /** Waits for what was asked for, then gives up the descriptor: SQLite removes the log when it closes. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #startNext(): Promise<void> {
    this.#next = undefined;
    return this.#start();
  }

  #start(): Promise<void> {
    const running = this.#flush().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #flush(): Promise<void> {
    // "r+": Windows flushes only what may be written.
    this.#descriptor ??= openSync(this.#path, "r+");
    await flush(this.#descriptor);
  }
}
