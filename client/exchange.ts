// One HTTP exchange with the daemon: a request goes out, the whole answer comes back as text. It sits directly on undici's
// dispatch, because a call spends most of its client time in whatever stands between it and the socket. Aborting settles the
// caller at once and destroys this request's connection only; the daemon takes that as a cancel. Refuses to retry anything.
import type { Dispatcher } from "undici";
import { unreachable } from "./pool-unreachable.ts";

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Question {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** No limit on silence: a call may take minutes, and its limits are the daemon's business. */
export const PATIENT = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** Rejects with PoolUnreachable, or with the signal's reason. */
export function exchange(dispatcher: Dispatcher, question: Question, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(asError(signal.reason));
      return;
    }
    const { method, path, headers, body } = question;
    const receiver = new Receiver(resolve, reject, signal);
    dispatcher.dispatch({ method, path, headers, body: body ?? null, ...PATIENT }, receiver);
  });
}

export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

class Receiver implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #status = 0;

  constructor(resolve: (answer: Answer) => void, reject: (error: Error) => void, signal: AbortSignal | undefined) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    if (signal === undefined) return;
    this.#onAbort = () => {
      const reason = asError(signal.reason);
      this.#settle();
      this.#controller?.abort(reason);
      this.#reject(reason);
    };
    signal.addEventListener("abort", this.#onAbort);
  }

  /** Called when a connection is there; an abort may have come while it was being made. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted === true) controller.abort(asError(this.#signal.reason));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
    this.#chunks = [];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle();
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, text: bytes.toString("utf8") });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle();
    this.#reject(unreachable(error));
  }

  /** The signal may outlive many requests: no listener stays on it. */
  #settle(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}
