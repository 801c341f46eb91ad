// A signal for one request: it aborts with the caller's, and when the work is done nothing is left on the caller's. The official
// package leaves its listener on every signal it is given, and a run's signal outlives many requests.

export async function withOwnSignal<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  caller.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(caller.reason);
  caller.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    caller.removeEventListener("abort", onAbort);
  }
}
