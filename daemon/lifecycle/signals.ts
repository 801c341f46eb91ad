// Signals of the daemon: the first SIGINT or SIGTERM closes it, a second one destroys it, SIGHUP reloads the configuration.

export interface SignalActions {
  close(): void;
  destroy(): void;
  reload(): void;
}

/** Returns what takes the listeners away again. */
export function onSignals(actions: SignalActions): () => void {
  let closing = false;
  const stop = (): void => {
    if (closing) actions.destroy();
    else actions.close();
    closing = true;
  };
  const reload = (): void => actions.reload();
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", reload);
  return () => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    process.off("SIGHUP", reload);
  };
}
