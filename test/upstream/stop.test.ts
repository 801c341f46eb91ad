// How a link ends: the ladder on real process groups, the exit seen whoever holds the pipes, processes by identity, and what is
// left of a killed daemon.
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import type { OwnedProcess } from "../../daemon/upstream/port.ts";
import { membersOf, owned } from "../../daemon/upstream/process-group.ts";
import { readProcess } from "../../daemon/upstream/process-table.ts";
import { endOrphans } from "../../daemon/upstream/processes.ts";
import { nextStep, type LadderFacts } from "../../daemon/upstream/stop-ladder.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { alive, connected, DO, eventually, fixture, launch, never, openLink, refusal, scripted, structured } from "./links.ts";

const onGround: LadderFacts = { rung: undefined, sinceMs: 0, graceMs: 100, gone: false, leaderGone: false, hurry: false };

proves("UPS-4", "rung by rung, each after its grace time, and SIGKILL again and again", () => {
  expect(nextStep(onGround)).toEqual({ kind: "climb", rung: "stdin" });
  for (const [rung, next] of [
    ["stdin", "interrupt"],
    ["interrupt", "terminate"],
    ["terminate", "kill"],
    ["kill", "kill"],
  ] as const) {
    expect(nextStep({ ...onGround, rung, sinceMs: 40 })).toEqual({ kind: "wait", ms: 60 });
    expect(nextStep({ ...onGround, rung, sinceMs: 100 })).toEqual({ kind: "climb", rung: next });
  }
});

proves("UPS-4", "survivors of a leader that left are not asked over a pipe they do not read", () => {
  const survivors = { ...onGround, leaderGone: true };
  expect(nextStep(survivors)).toEqual({ kind: "climb", rung: "terminate" });
  for (const rung of ["stdin", "interrupt"] as const) {
    expect(nextStep({ ...survivors, rung, sinceMs: 1 })).toEqual({ kind: "climb", rung: "terminate" });
  }
  expect(nextStep({ ...survivors, rung: "terminate", sinceMs: 1 })).toEqual({ kind: "wait", ms: 99 });
});

proves("UPS-4", "in any state: gone is done, hurry kills, and it never waits longer than a rung", () => {
  const facts = fc.record<LadderFacts>({
    rung: fc.constantFrom(undefined, "stdin", "interrupt", "terminate", "kill"),
    sinceMs: fc.nat(5_000),
    graceMs: fc.nat(3_000),
    gone: fc.boolean(),
    leaderGone: fc.boolean(),
    hurry: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const step = nextStep(given);
      expect(step.kind === "done").toBe(given.gone);
      if (step.kind === "wait") {
        expect(step.ms).toBeGreaterThan(0);
        expect(step.ms).toBeLessThanOrEqual(Math.max(given.graceMs, 100));
        expect(given.hurry && given.rung !== "kill").toBe(false);
      }
      if (step.kind === "climb" && given.hurry) expect(step.rung).toBe("kill");
    }),
  );
});

proves("UPS-3", "a polite server leaves at the end of its stdin, long before the grace time", async () => {
  const log = join(tempFolder(), "log");
  const { link } = await connected(scripted({ log }), { graceMs: 20_000 });
  await link.close("done");
  expect(alive(link.pid)).toBe(false);
  expect(readFileSync(log, "utf8")).toContain('"eof"');
  expect(await link.closed).toEqual({ kind: "asked", reason: "done" });
});

proves("UPS-3", "SIGINT, then SIGTERM, then SIGKILL for one that ignores them", async () => {
  const log = join(tempFolder(), "log");
  const { link } = await connected(scripted({ log, ignoreEof: true, ignoreSigterm: true }));
  await link.close("done");
  expect(alive(link.pid)).toBe(false);
  const events = readFileSync(log, "utf8").matchAll(/"event":"(eof|SIGINT|SIGTERM)"/g);
  expect([...events].map(([, event]) => event)).toEqual(["eof", "SIGINT", "SIGTERM"]);
});

proves("UPS-3", "a wrapper and its grandchild that ignores everything polite are gone when close resolves", async () => {
  const { link } = await connected(launch("wrapper"));
  const { pid, parent } = await structured(link, "whoami");
  expect(parent).toBe(link.pid);
  expect([alive(pid), alive(parent)]).toEqual([true, true]);
  await Promise.all([link.close("done"), link.close("twice")]);
  expect([alive(pid), alive(parent)]).toEqual([false, false]);
  expect(await membersOf(Number(parent))).toEqual([]);
});

proves("UPS-5", "destroy does not wait for manners, also while a close does", async () => {
  const { link } = await connected(launch("wrapper"), { graceMs: 60_000 });
  const { pid } = await structured(link, "whoami");
  const closing = link.close("slowly");
  const pending = refusal(link.callRaw("whoami", {}, { signal: never }));
  await link.destroy("now");
  await closing;
  expect([alive(pid), alive(link.pid)]).toEqual([false, false]);
  expect((await pending).code).toBe("closed");
  expect(await link.closed).toEqual({ kind: "asked", reason: "slowly" });
});

proves("UPS-6", "a leader killed from outside: its grandchild is ended without anybody asking", async () => {
  const { link } = await connected(launch("wrapper"));
  const { pid, parent } = await structured(link, "whoami");
  process.kill(Number(parent), "SIGKILL");
  expect(await link.closed).toEqual({ kind: "exited", exitCode: null, signal: "SIGKILL" });
  await eventually(() => !alive(pid));
});

for (const [where, ...args] of [["in its group"], ["in a session of its own", "escape"]] as const) {
  proves("UPS-6", `the exit is seen although a process ${where} holds stdout, and the last answer still arrives`, async () => {
    const { link } = await connected(launch("leaves-grandchild-holding-stdout", ...args));
    const { pid } = await structured(link, "leave");
    expect(await link.closed).toEqual({ kind: "exited", exitCode: 7, signal: null });
    await link.close("after the fact");
    // One outside the group ends because our end of its pipe is closed.
    await eventually(() => !alive(pid));
  });

  proves("UPS-6", `a call without an answer settles as closed although a process ${where} holds stdout`, async () => {
    const { link } = await connected(launch("leaves-grandchild-holding-stdout", "silent", ...args));
    const error = await refusal(link.callRaw("leave", {}, { signal: never }));
    expect({ code: error.code, details: error.details }).toEqual({ code: "closed", details: { exitCode: 7, signal: null } });
    await link.close("after the fact");
  });
}

proves("UPS-6", "an idle server's end is an event, with exit code or signal", async () => {
  const { link } = await connected(scripted({}));
  process.kill(Number(link.pid), "SIGTERM");
  expect(await link.closed).toEqual({ kind: "exited", exitCode: null, signal: "SIGTERM" });
});

proves("UPS-6", "what a server says right before its end is kept for the person at the machine", async () => {
  const { link } = openLink(launch("exits-at-once"));
  await refusal(link.connect(never));
  await link.close("failed");
  expect(link.stderrTail()).toBe("Error: cannot find module 'left-pad'\n");
});

proves("UPS-7", "the leader in the turn of its start; the wrapper's grandchild once it is found", async () => {
  const { link, seen } = openLink(launch("wrapper"));
  const connecting = link.connect(never);
  await eventually(() => link.pid !== undefined);
  const [leader] = seen.processes;
  expect(leader).toMatchObject({ pid: link.pid, group: link.pid });
  expect(leader).toEqual(ownedNow(link.pid));
  await connecting;
  const { pid } = await structured(link, "whoami");
  await eventually(() => seen.processes.length > 1);
  expect(seen.processes[1]).toEqual(ownedNow(pid));
  expect(seen.processes[1]?.group).toBe(link.pid);
});

proves(
  "UPS-24",
  "twenty starts and ends, by close, by destroy and by themselves: no process is left, every one was reported",
  async () => {
    const leaders = new Set<number>();
    for (let round = 0; round < 20; round++) {
      const { link, seen } = await connected(scripted({ tools: [DO] }));
      leaders.add(seen.processes[0]?.pid ?? 0);
      if (round % 3 === 0) await link.destroy("now");
      else if (round % 3 === 1) await refusal(link.callRaw("do", { steps: [{ exit: 0 }] }, { signal: never }));
      await link.close("done");
    }
    expect([...leaders].filter((pid) => alive(pid))).toEqual([]);
    expect(leaders.size).toBe(20);
  },
);

function ownedNow(pid: unknown): OwnedProcess {
  const row = readProcess(Number(pid));
  if (row === undefined) throw new Error("no such process");
  return owned(row);
}

/** A group as an earlier daemon left it: the leader and, for `wrapper`, its child. */
async function leftBehind(name: string): Promise<{ leader: ChildProcess; processes: readonly OwnedProcess[] }> {
  const leader = spawn(process.execPath, [fixture(name)], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  const group = Number(leader.pid);
  const count = name === "wrapper" ? 2 : 1;
  // A process that has not set its signals aside yet would die politely: it does so before it reads its stdin.
  await eventually(async () => (await membersOf(group)).length === count);
  return { leader, processes: await membersOf(group) };
}

const exited = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("exit", resolve));

proves("UPS-8", "a verified group is ended whole, also by SIGKILL, and reported", async () => {
  const { leader, processes } = await leftBehind("wrapper");
  const report = await endOrphans(processes, { graceMs: 200 });
  expect(report).toEqual({ ended: [leader.pid], gone: [], doubtful: [] });
  await exited(leader);
  expect(processes.map(({ pid }) => alive(pid))).toEqual([false, false]);
});

proves("UPS-8", "the record of a grandchild is enough when the leader is gone", async () => {
  const { leader, processes } = await leftBehind("wrapper");
  const grandchild = processes.find(({ pid }) => pid !== leader.pid);
  leader.kill("SIGKILL");
  await exited(leader);
  const left = await endOrphans(grandchild === undefined ? [] : [grandchild], { graceMs: 200 });
  expect(left.ended).toEqual([leader.pid]);
  expect(alive(grandchild?.pid)).toBe(false);
});

proves("UPS-8", "a stranger under a recorded pid, or in a recorded group, is left alone", async () => {
  const { leader, processes } = await leftBehind("never-answers");
  const [stranger] = processes;
  if (stranger === undefined) throw new Error("no process");
  const recycled = { ...stranger, startedAt: "1" };
  const member = { ...stranger, pid: process.pid, startedAt: ownedNow(process.pid).startedAt };
  expect(await endOrphans([recycled, member], { graceMs: 50 })).toEqual({ ended: [], gone: [], doubtful: [stranger.group] });
  expect(alive(stranger.pid)).toBe(true);
  const earlierBoot = { ...stranger, bootId: "another boot" };
  expect(await endOrphans([earlierBoot], { graceMs: 50 })).toEqual({ ended: [], gone: [stranger.group], doubtful: [] });
  expect(alive(stranger.pid)).toBe(true);
  leader.stdin?.end();
  await exited(leader);
  expect(await endOrphans(processes, { graceMs: 50 })).toEqual({ ended: [], gone: [stranger.group], doubtful: [] });
});

proves("UPS-8", "a record that names us, or no group at all, ends nothing", async () => {
  const self = ownedNow(process.pid);
  const own = { ...self, group: process.pid };
  const report = await endOrphans([own, { ...self, group: 0 }, { ...self, group: 1 }, { ...self, group: -1 }], { graceMs: 50 });
  expect(report.ended).toEqual([]);
  expect(await endOrphans([])).toEqual({ ended: [], gone: [], doubtful: [] });
});
