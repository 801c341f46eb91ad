// How much memory the processes of servers hold: a server is its leader, everything in the leader's group, and the children of all
// of them, also those that made a group of their own. One look at the process table answers for any number of servers. Only for
// people who ask: nothing of the pool is decided by it.
import { readProcesses, type ProcessRow } from "./process-table.ts";

/** Leader → bytes. One that is no living child of ours has no entry; where the system tells no processes, none has. */
export async function residentMemory(leaders: readonly number[]): Promise<ReadonlyMap<number, number>> {
  return leaders.length === 0 ? new Map() : memoryIn(await readProcesses(), leaders, process.pid);
}

/** `owner`: the parent of all leaders. A number that was given to somebody else meanwhile is not counted. */
export function memoryIn(rows: readonly ProcessRow[], leaders: readonly number[], owner: number): ReadonlyMap<number, number> {
  const wanted = new Set(leaders);
  const alive = new Set(rows.filter(({ pid, parent }) => wanted.has(pid) && parent === owner).map(({ pid }) => pid));
  const children = new Map<number, number[]>();
  for (const { pid, parent } of rows) children.set(parent, [...(children.get(parent) ?? []), pid]);
  // The nearest server above a process wins: what a server has started is never counted twice.
  const serverOf = new Map<number, number>();
  const open = rows.filter(({ group }) => alive.has(group)).map(({ pid, group }) => ({ pid, server: group }));
  for (const { pid, server } of open) serverOf.set(pid, server);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const pid of children.get(next.pid) ?? []) {
      if (serverOf.has(pid)) continue;
      serverOf.set(pid, next.server);
      open.push({ pid, server: next.server });
    }
  }
  const bytes = new Map([...alive].map((leader) => [leader, 0]));
  for (const { pid, residentBytes } of rows) {
    const server = serverOf.get(pid);
    if (server !== undefined) bytes.set(server, (bytes.get(server) ?? 0) + residentBytes);
  }
  return bytes;
}
