// One start under way, shared by all who ask for it. A caller whose signal aborts leaves alone; when the last one has left, the
// start itself is given up.
import { connectFailure, ConnectRefused } from "../contract/index.ts";

export class SharedStart {
  readonly done: Promise<void>;
  readonly #abort = new AbortController();
  #waiting: number;

  /** `kept`: nobody needs to wait for it, as it is an attempt to recover. */
  constructor(run: (signal: AbortSignal) => Promise<void>, kept: boolean) {
    this.#waiting = kept ? 1 : 0;
    // Not in this turn: whoever makes it must hold it before it can end.
    this.done = Promise.resolve().then(() => run(this.#abort.signal));
    // Whoever waits sees the rejection; when everybody has left nobody does.
    this.done.catch(() => undefined);
  }

  /** Rejects with ConnectRefused. */
  async join(signal: AbortSignal): Promise<void> {
    this.#waiting++;
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(new ConnectRefused(connectFailure("cancelled")));
      signal.addEventListener("abort", onAbort);
    });
    try {
      await Promise.race([this.done, aborted]);
    } finally {
      if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
      this.#waiting--;
      if (this.#waiting === 0) this.giveUp();
    }
  }

  giveUp(): void {
    this.#abort.abort();
  }
}
