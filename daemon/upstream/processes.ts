// The processes that outlived a daemon. Its records name them by identity; what is verified is ended, group by group, and what
// cannot be verified is left alone: a stranger's process is never signalled.
import { setTimeout as pause } from "node:timers/promises";
import { assertNever } from "../contract/index.ts";
import type { OwnedProcess } from "./port.ts";
import { ProcessGroup, type GroupState } from "./process-group.ts";

export interface OrphanReport {
  /** Process groups, each exactly once. */
  readonly ended: readonly number[];
  readonly gone: readonly number[];
  /** In use, but no recorded process is among its members; also one that outlives SIGKILL. */
  readonly doubtful: readonly number[];
}

export interface OrphanOptions {
  /** Between SIGTERM and SIGKILL, and again for the end after it (ms). */
  readonly graceMs?: number;
}

const GRACE_MS = 2_000;
const LOOK_MS = 20;

/** Ends what is left of the recorded groups: SIGTERM, grace, SIGKILL, each verified. Never rejects; at most about twice the grace. */
export async function endOrphans(records: readonly OwnedProcess[], options: OrphanOptions = {}): Promise<OrphanReport> {
  const report = { ended: new Array<number>(), gone: new Array<number>(), doubtful: new Array<number>() };
  const numbers = [...new Set(records.map((record) => record.group))];
  await Promise.all(
    numbers.map(async (number) => {
      // A process table that cannot be read verifies nothing.
      const fate = await endGroup(number, records, options.graceMs ?? GRACE_MS).catch(() => "doubtful" as const);
      report[fate].push(number);
    }),
  );
  return report;
}

async function endGroup(number: number, records: readonly OwnedProcess[], graceMs: number): Promise<keyof OrphanReport> {
  if (!Number.isSafeInteger(number) || number <= 1 || number === process.pid) return "doubtful";
  const group = new ProcessGroup(number, records);
  const first = await group.look();
  if (first.kind !== "ours") return first.kind;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const state = await endedWithin(group, signal, graceMs);
    switch (state.kind) {
      case "gone":
      case "doubtful":
        // Doubtful now: ours is gone and the number was given out again.
        return "ended";
      case "ours":
        break;
      default:
        assertNever(state);
    }
  }
  return "doubtful";
}

async function endedWithin(group: ProcessGroup, signal: NodeJS.Signals, graceMs: number): Promise<GroupState> {
  group.signal(signal);
  const end = performance.now() + graceMs;
  for (;;) {
    const state = await group.look();
    if (state.kind !== "ours" || performance.now() >= end) return state;
    await pause(Math.min(LOOK_MS, Math.max(1, end - performance.now())));
  }
}
