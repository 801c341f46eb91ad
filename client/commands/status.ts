// `toolpool status`: one page about the daemon, its servers, its sessions and what happened last; with `--watch` as it changes.
// Without a daemon the page says how to start one; that is exit code 3, so that scripts can ask.
import { DaemonUnavailable } from "../daemon-unavailable.ts";
import { factsForPrograms, readFacts } from "../status/facts.ts";
import { wholePage } from "../status/fit.ts";
import { composePage } from "../status/page.ts";
import { usage } from "./failure.ts";
import { placeOf, withPool, type Run } from "./surroundings.ts";

export interface StatusOptions {
  readonly watch?: boolean;
  /** ms */
  readonly interval?: number;
}

export async function status(run: Run, { watch, interval }: StatusOptions): Promise<void> {
  if (watch === true) {
    const { watchStatus } = await import("../status/watch.ts");
    await watchStatus(run, interval);
    return;
  }
  if (interval !== undefined) throw usage("--interval is for --watch", "See how it is used: toolpool status --help");
  const { screen, env, signal } = run;
  const { stateFolder } = placeOf(run);
  try {
    const facts = await withPool(run, (pool) => readFacts(pool, { stateFolder, env, signal }));
    if (screen.json) {
      screen.value(factsForPrograms(facts));
      return;
    }
    const look = { width: screen.width, now: Date.now(), colours: screen.colours };
    screen.line(wholePage(composePage(facts, look), look).join("\n"));
  } catch (error) {
    if (screen.json && error instanceof DaemonUnavailable && error.code === "not_running") {
      screen.value({ running: false, stateFolder });
    }
    throw error;
  }
}
