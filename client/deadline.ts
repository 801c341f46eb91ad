// Work with an end: one signal that aborts with the caller's signal or when the time is over, and nothing left on either
// afterwards. Says which of the two it was.

export interface Limited {
  readonly signal: AbortSignal;
  /** True once the time is over; false when it was the caller. */
  readonly expired: () => boolean;
}

export async function withDeadline<T>(
  ms: number,
  caller: AbortSignal | undefined,
  work: (limited: Limited) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let expired = false;
  const onAbort = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(() => {
    expired = !controller.signal.aborted;
    controller.abort(new DOMException("The time is over", "TimeoutError"));
  }, ms);
  caller?.addEventListener("abort", onAbort);
  if (caller?.aborted === true) onAbort();
  try {
    return await work({ signal: controller.signal, expired: () => expired });
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener("abort", onAbort);
  }
}
