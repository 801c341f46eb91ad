// One process group that we started, told from a stranger's with the same number. A number cannot be given out again while a
// process of the group lives: so one member that is known by pid and start time proves all the others, and they are known from
// then on. A group of which no known member is left is not ours (any more), and is never signalled.
import { execFile } from "node:child_process";
import type { OwnedProcess } from "./port.ts";
import { bootId, readProcesses, type ProcessRow } from "./process-table.ts";

const windows = process.platform === "win32";

export type GroupState =
  | { readonly kind: "gone" }
  | { readonly kind: "ours"; readonly members: readonly OwnedProcess[] }
  /** The number is in use, but nobody in it is known to us. */
  | { readonly kind: "doubtful" };

/** The living members of a group; dead ones count only while it is us who must reap them. */
export async function membersOf(group: number): Promise<readonly OwnedProcess[]> {
  const rows = await readProcesses();
  return rows.filter((row) => row.group === group && (!row.zombie || row.parent === process.pid)).map(owned);
}

export function owned({ pid, group, startedAt }: ProcessRow): OwnedProcess {
  return { pid, group, startedAt, bootId };
}

export class ProcessGroup {
  readonly group: number;
  readonly #known = new Map<number, string>();

  constructor(group: number, known: readonly OwnedProcess[]) {
    if (!Number.isSafeInteger(group) || group <= 1) throw new RangeError(`${String(group)} is no process group of a server`);
    this.group = group;
    for (const one of known) if (one.group === group && one.bootId === bootId) this.#known.set(one.pid, one.startedAt);
  }

  /**
   * Reads the process table. Members found beside a known one are known from now on. `inherited`: the leader, our child, was reaped
   * a moment ago; whoever is in its group now was there with it, as the system gives the number out again only after all are gone.
   */
  async look(options: { readonly inherited?: boolean } = {}): Promise<GroupState> {
    const inherited = options.inherited ?? false;
    if ((this.#known.size === 0 && !inherited) || !this.#exists()) return { kind: "gone" };
    if (windows) return { kind: "ours", members: [] };
    const members = await membersOf(this.group);
    if (members.length === 0) return { kind: "gone" };
    const verified = inherited || members.some((member) => this.#known.get(member.pid) === member.startedAt);
    if (!verified) return { kind: "doubtful" };
    for (const member of members) this.#known.set(member.pid, member.startedAt);
    return { kind: "ours", members };
  }

  /** To all members. Call it in the turn of a `look` that said "ours", or while the leader is a child of ours not yet reaped. */
  signal(signal: NodeJS.Signals): void {
    if (this.group === process.pid) return;
    if (windows) {
      this.#endTree(signal);
      return;
    }
    try {
      process.kill(-this.group, signal);
    } catch {
      // ESRCH: it is gone already. EPERM: no member takes signals from us; the next look says so.
    }
  }

  /** Windows has no groups and no signals: a tree is asked to end, or is ended. */
  #endTree(signal: NodeJS.Signals): void {
    if (signal === "SIGINT") return;
    const force = signal === "SIGKILL" ? ["/F"] : [];
    execFile("taskkill", ["/T", ...force, "/PID", String(this.group)], { windowsHide: true }, () => {
      // Whether it helped is for the next look to say.
    });
  }

  /** A first answer without reading the table: no such group at all. */
  #exists(): boolean {
    try {
      process.kill(windows ? this.group : -this.group, 0);
      return true;
    } catch (error) {
      return !(error instanceof Error && "code" in error && error.code === "ESRCH");
    }
  }
}
