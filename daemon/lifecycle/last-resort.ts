// For a fault nobody expected: say it once, in the log, and end. It must survive a stderr whose reader has gone, and must not be
// entered again by its own writing.

export interface LastResort {
  /** Writes the fault where it can be found; may throw. */
  report(error: unknown): void;
  /** Ends the process. */
  end(): void;
}

/** Returns what takes the listeners away again. */
export function onLastResort(last: LastResort): () => void {
  let entered = false;
  const fault = (error: unknown): void => {
    if (entered) return;
    entered = true;
    try {
      last.report(error);
    } catch {
      // The log is gone too: ending is all that is left.
    }
    last.end();
  };
  // A reader of our output that goes away is no fault of ours.
  const ignore = (): void => undefined;
  process.stderr.on("error", ignore);
  process.stdout.on("error", ignore);
  process.on("uncaughtException", fault);
  process.on("unhandledRejection", fault);
  return () => {
    process.stderr.off("error", ignore);
    process.stdout.off("error", ignore);
    process.off("uncaughtException", fault);
    process.off("unhandledRejection", fault);
  };
}
