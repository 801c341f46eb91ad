// `toolpool status --watch`: the page, drawn again at once when something changes and every second for what is told in time. A person
// needs a terminal for it; a program gets one line of JSON a change.
import { setInterval as every } from "node:timers";
import { usage } from "../commands/failure.ts";
import { connecting, placeOf, type Run } from "../commands/surroundings.ts";
import { connectToPool } from "../connector.ts";
import { listenToKeys } from "../output/keys.ts";
import { LivePage } from "../output/live-page.ts";
import { visible } from "../output/visible.ts";
import { breakLines } from "../output/width.ts";
import { factsForPrograms, readFacts } from "./facts.ts";
import { fitPage } from "./fit.ts";
import { followPool, type Seen } from "./follow.ts";
import { composePage } from "./page.ts";
import type { Look } from "./parts.ts";

export const DEFAULT_INTERVAL_MS = 2_000;
export const SHORTEST_INTERVAL_MS = 100;
/** For a daemon that is there and does not answer: then the page says so (ms). */
const CONNECT_MS = 5_000;
const TICK_MS = 1_000;
/** So few lines are for the pool alone. */
const LOW = 10;

export async function watchStatus(run: Run, intervalMs = DEFAULT_INTERVAL_MS): Promise<void> {
  if (intervalMs < SHORTEST_INTERVAL_MS) {
    throw usage(`An interval of ${String(intervalMs)} ms is too short`, `At least: --interval ${String(SHORTEST_INTERVAL_MS)}`);
  }
  if (run.screen.json) await printChanges(run, intervalMs);
  else await drawChanges(run, intervalMs);
}

function follow(run: Run, intervalMs: number, signal: AbortSignal): AsyncIterable<Seen> {
  const { env } = run;
  const { stateFolder } = placeOf(run);
  const quiet = { ...connecting(run), start: false, deadlineMs: CONNECT_MS, onProgress: () => undefined };
  return followPool(
    {
      connect: (until) => connectToPool({ ...quiet, signal: until }),
      read: (pool, until) => readFacts(pool, { stateFolder, env, signal: until }),
      intervalMs,
    },
    signal,
  );
}

async function printChanges(run: Run, intervalMs: number): Promise<void> {
  const { stateFolder } = placeOf(run);
  let last = "";
  for await (const seen of follow(run, intervalMs, run.signal)) {
    const value = seen.kind === "pool" ? factsForPrograms(seen.facts) : { running: false, stateFolder };
    // Memory is never the same twice: alone it is no change.
    const text = JSON.stringify(value, (key, member: unknown) => (key === "memoryBytes" ? undefined : member));
    if (text === last) continue;
    last = text;
    run.screen.value(value);
  }
}

async function drawChanges(run: Run, intervalMs: number): Promise<void> {
  const { terminal, colours } = run.screen;
  if (terminal === undefined) {
    const next = "For a program: toolpool status --watch --json; one page: toolpool status";
    throw usage("--watch draws on a terminal, and this output is none", next);
  }
  const quit = new AbortController();
  const signal = AbortSignal.any([run.signal, quit.signal]);
  let seen: Seen | undefined;
  const draw = (): void => {
    if (seen === undefined) return;
    page.draw(frame(seen, { width: page.columns, now: Date.now(), colours }, page.rows));
  };
  const page = new LivePage(terminal, draw);
  const deaf = listenToKeys(run.stdin, (key) => {
    if (key === "q" || key === "Q") quit.abort();
    if (key === "\u0003") run.interrupt();
  });
  const tidy = (): void => {
    page.leave();
    deaf();
  };
  const forget = run.atExit?.(tidy);
  // At once, not after the line to the daemon is closed: a second Ctrl-C would not wait for that.
  signal.addEventListener("abort", tidy, { once: true });
  const ticking = every(draw, TICK_MS);
  try {
    for await (seen of follow(run, intervalMs, signal)) draw();
  } catch (error) {
    if (!quit.signal.aborted || run.signal.aborted) throw error;
  } finally {
    clearInterval(ticking);
    signal.removeEventListener("abort", tidy);
    tidy();
    forget?.();
  }
}

/** At most `rows` lines. */
function frame(seen: Seen, look: Look, rows: number): string[] {
  const { dim, yellow } = look.colours;
  const foot = rows < LOW ? [] : ["", dim("q quits")];
  if (seen.kind === "pool") return [...fitPage(composePage(seen.facts, look), rows - foot.length, look), ...foot];
  const lines = [
    ...breakLines(visible(`${seen.why}; waiting`), look.width).map(yellow),
    ...(seen.next === undefined ? [] : breakLines(visible(seen.next), look.width)),
  ];
  return [...lines.slice(0, rows - foot.length), ...foot];
}
