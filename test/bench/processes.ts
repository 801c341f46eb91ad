// What a process costs, read from /proc (Linux): time on a core and memory as the kernel shares it out.
import { readdirSync, readFileSync } from "node:fs";

/** Nanoseconds on a core, over all threads that live (schedstat, see the kernel's sched-stats document). */
export function cpuNs(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${String(pid)}/task`)) {
    try {
      sum += Number(readFileSync(`/proc/${String(pid)}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      // The thread ended while we looked.
    }
  }
  return sum;
}

/** Proportional set size in MiB: private pages whole, shared pages divided among those that share them. */
export function pssMiB(pid: number): number {
  const match = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/smaps_rollup`, "utf8"));
  return Number(match?.[1]) / 1024;
}
