// Watches a process of another parent until it is gone. A pid alone is not an identity: the start time is remembered, so that
// a recycled pid is not taken for the old process, and a zombie nobody waits for counts as gone. Never sends a signal.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const LOOK_MS = 20;

/** `startedAt` is empty where the system does not tell. */
export interface ProcessMark {
  readonly pid: number;
  readonly startedAt: string;
}

export function markProcess(pid: number): ProcessMark | undefined {
  const facts = look(pid);
  return facts === undefined ? undefined : { pid, startedAt: facts.startedAt };
}

export function isGone({ pid, startedAt }: ProcessMark): boolean {
  const facts = look(pid);
  return facts?.startedAt !== startedAt;
}

/** Resolves when it is gone; rejects with the signal's reason. */
export async function processEnd(mark: ProcessMark, signal: AbortSignal): Promise<void> {
  while (!isGone(mark)) await pause(LOOK_MS, undefined, { signal });
}

function look(pid: number): { readonly startedAt: string } | undefined {
  if (process.platform === "linux") {
    try {
      const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
      // proc_pid_stat(5): after the command in parentheses come state (3) … starttime (22).
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return fields[0] === "Z" || fields[0] === "X" ? undefined : { startedAt: fields[19] ?? "" };
    } catch {
      return undefined;
    }
  }
  try {
    process.kill(pid, 0);
    return { startedAt: "" };
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM" ? { startedAt: "" } : undefined;
  }
}
