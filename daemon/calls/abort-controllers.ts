// Abort controllers for calls. Making one costs as much as everything else the call path does, and hardly any is ever aborted:
// one that was not is used again. Whoever listened to its signal must have stopped listening when it is given back.

const KEPT = 128;

export class AbortControllers {
  readonly #free: AbortController[] = [];

  take(): AbortController {
    return this.#free.pop() ?? new AbortController();
  }

  giveBack(controller: AbortController): void {
    if (!controller.signal.aborted && this.#free.length < KEPT) this.#free.push(controller);
  }
}
