// An answer that comes bit by bit and has no end of its own: the head is awaited, the body is read at the reader's pace. Leaving
// the body early, or aborting, destroys this request's connection.
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { asError, PATIENT, type Question } from "./exchange.ts";
import { unreachable } from "./pool-unreachable.ts";

export interface AnswerStream {
  readonly status: number;
  readonly body: Readable;
}

/** Rejects with PoolUnreachable, or with the signal's reason; the body fails likewise. */
export function openStream(dispatcher: Dispatcher, question: Question, signal: AbortSignal): Promise<AnswerStream> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(asError(signal.reason));
      return;
    }
    let control: Dispatcher.DispatchController | undefined;
    const body = new Readable({
      read: () => control?.resume(),
      destroy: (error, done) => {
        signal.removeEventListener("abort", onAbort);
        control?.abort(error ?? new Error("The reader left"));
        done(error);
      },
    });
    // Until somebody reads, its failure is told by the rejection.
    body.on("error", () => undefined);
    const fail = (error: Error): void => {
      body.destroy(error);
      reject(error);
    };
    const onAbort = (): void => fail(asError(signal.reason));
    signal.addEventListener("abort", onAbort);
    dispatcher.dispatch(
      { method: question.method, path: question.path, headers: question.headers, ...PATIENT },
      {
        onRequestStart: (controller) => {
          control = controller;
          if (body.destroyed) controller.abort(new Error("The reader left"));
        },
        onResponseStart: (_controller, status) => resolve({ status, body }),
        onResponseData: (controller, chunk) => {
          if (!body.push(chunk)) controller.pause();
        },
        onResponseEnd: () => void body.push(null),
        onResponseError: (_controller, error) => fail(unreachable(error)),
      },
    );
  });
}
