// Lets a few starts run at a time; the others wait in order of arrival.

export class StartGate {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves with the function that gives the place back. Rejects with the signal's reason when it aborts first. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#running >= this.#limit) {
      await new Promise<void>((resolve, reject) => {
        const go = (): void => {
          signal.removeEventListener("abort", stop);
          resolve();
        };
        const stop = (): void => {
          this.#waiting.delete(go);
          reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
        };
        this.#waiting.add(go);
        signal.addEventListener("abort", stop, { once: true });
      });
    } else {
      this.#running++;
    }
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#running--;
        return;
      }
      // The place is handed over, not freed: nobody can slip in between.
      this.#waiting.delete(next);
      next();
    };
  }
}

/** The gate of all local starts, and one in front of it for each package runner: two of a kind would fill one cache at once. */
export class StartGates {
  readonly #all: StartGate;
  readonly #runners = new Map<string, StartGate>();

  constructor(limit: number) {
    this.#all = new StartGate(limit);
  }

  async enter(runner: string | undefined, signal: AbortSignal): Promise<() => void> {
    if (runner === undefined) return this.#all.enter(signal);
    let gate = this.#runners.get(runner);
    if (gate === undefined) this.#runners.set(runner, (gate = new StartGate(1)));
    const leaveRunner = await gate.enter(signal);
    try {
      const leaveAll = await this.#all.enter(signal);
      return () => {
        leaveAll();
        leaveRunner();
      };
    } catch (error) {
      leaveRunner();
      throw error;
    }
  }
}
