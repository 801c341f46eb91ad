// What the operating system says about processes: who lives, in which group, since when. On Linux from /proc, elsewhere from
// ps(1). A process is told from a later one with the same pid by its start time and the boot it belongs to.
import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** As OwnedProcess.startedAt. */
  readonly startedAt: string;
  /** Dead, but its parent has not asked for its exit code yet. */
  readonly zombie: boolean;
  /** Of physical memory; pages shared with others count in each of them. */
  readonly residentBytes: number;
}

/** So many of /proc are read in one turn of the event loop: some 15 µs each. */
const SLICE = 50;

const linux = process.platform === "linux";

/** Identity of this boot. The same text for the whole life of the machine, another one after it starts again. */
export const bootId: string = readBootId();

export function readProcess(pid: number): ProcessRow | undefined {
  if (linux) return readStat(pid);
  if (process.platform === "win32") return undefined;
  try {
    return parsePs(execFileSync("ps", ["-o", PS_COLUMNS, "-p", String(pid)], PS_OPTIONS))[0];
  } catch {
    return undefined;
  }
}

let reading: Promise<readonly ProcessRow[]> | undefined;

/** All processes. Readers at the same time share one reading that began after the call or in its turn of the event loop. */
export function readProcesses(): Promise<readonly ProcessRow[]> {
  return (reading ??= turn().then(() => {
    reading = undefined;
    return readAll();
  }));
}

async function readAll(): Promise<readonly ProcessRow[]> {
  if (process.platform === "win32") return [];
  if (!linux) return parsePs((await promisify(execFile)("ps", ["-axo", PS_COLUMNS], PS_OPTIONS)).stdout);
  const rows: ProcessRow[] = [];
  let read = 0;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = readStat(pid);
    if (row !== undefined) rows.push(row);
    if (++read % SLICE === 0) await turn();
  }
  return rows;
}

/** proc_pid_stat(5): the second field may hold anything, spaces and brackets too, so fields are counted from its last bracket. */
function readStat(pid: number): ProcessRow | undefined {
  let text;
  try {
    text = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
  } catch {
    return undefined;
  }
  const [state, parent, group, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startedAt = rest[16];
  const pages = Number(rest[18]);
  if (startedAt === undefined) return undefined;
  const zombie = state === "Z" || state === "X";
  return { pid, parent: Number(parent), group: Number(group), startedAt, zombie, residentBytes: pages * pageBytes(pid, pages) };
}

let page: number | undefined;

/** No call tells the size of a page; our own memory, told in bytes and in pages, does: a power of two, so it need not be exact. */
function pageBytes(pid: number, pages: number): number {
  if (page === undefined && pid === process.pid) page = 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages));
  if (page === undefined) readStat(process.pid);
  return page ?? 4_096;
}

const PS_COLUMNS = "pid=,ppid=,pgid=,state=,rss=,lstart=";
const PS_OPTIONS = { encoding: "utf8", env: { LC_ALL: "C", PATH: "/bin:/usr/bin" } } as const;

/** `rss` is in units of 1,024 bytes. */
function parsePs(text: string): ProcessRow[] {
  return text.split("\n").flatMap((line) => {
    const fields = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(.+?)\s*$/.exec(line) ?? [];
    const [, pid, parent, group, state, resident, startedAt] = fields;
    if (pid === undefined || state === undefined || startedAt === undefined) return [];
    const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    return [{ ...ids, startedAt, zombie: state.startsWith("Z"), residentBytes: Number(resident) * 1_024 }];
  });
}

function readBootId(): string {
  try {
    if (linux) return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    if (process.platform === "darwin") return execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
  } catch {
    // Then start times have to do: elsewhere they are times of day.
  }
  return "unknown";
}
