// The lead's mailbox: messages in the order they came, and how many more were promised. Whoever waits is woken by the next one.
import type { Inbox } from "./loop.ts";

export class Mailbox implements Inbox {
  #messages: string[] = [];
  #promised = 0;
  #wake: (() => void) | undefined;

  /** One more message will come. */
  expect(): void {
    this.#promised++;
  }

  deliver(message: string): void {
    this.#promised--;
    this.#messages.push(message);
    this.#wake?.();
  }

  take(): readonly string[] {
    const taken = this.#messages;
    this.#messages = [];
    return taken;
  }

  expecting(): boolean {
    return this.#promised > 0 || this.#messages.length > 0;
  }

  arrival(signal: AbortSignal): Promise<void> {
    if (this.#messages.length > 0 || this.#promised === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      this.#wake = () => {
        signal.removeEventListener("abort", onAbort);
        this.#wake = undefined;
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }
}
