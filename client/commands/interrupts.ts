// Ctrl-C and SIGTERM of this program. The first one aborts what the command does, which then cleans up; a second one does not
// wait for that. A command that passes signals on to a child takes them all for as long as it runs.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type Interrupt = (typeof SIGNALS)[number];

export class Interrupts {
  readonly #controller = new AbortController();
  readonly #exitNow: () => void;
  readonly #listeners = new Map<Interrupt, () => void>();
  #taker: ((signal: Interrupt) => void) | undefined;

  /** `exitNow` ends the program at once. */
  constructor(exitNow: () => void) {
    this.#exitNow = exitNow;
    for (const name of SIGNALS) {
      const listener = (): void => this.#on(name);
      this.#listeners.set(name, listener);
      process.on(name, listener);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** As if Ctrl-C had been pressed. */
  readonly interrupt = (): void => this.#on("SIGINT");

  /** All further signals go to `taker`; the returned function ends that. */
  take(taker: (signal: Interrupt) => void): () => void {
    this.#taker = taker;
    return () => (this.#taker = undefined);
  }

  release(): void {
    for (const [name, listener] of this.#listeners) process.off(name, listener);
  }

  #on(name: Interrupt): void {
    if (this.#taker !== undefined) this.#taker(name);
    else if (this.#controller.signal.aborted) this.#exitNow();
    else this.#controller.abort(new DOMException(`Interrupted by ${name}`, "AbortError"));
  }
}
