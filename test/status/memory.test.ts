// What the daemon counts for the page: calls of the last minute, and the memory of process trees.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterEach, expect } from "vitest";
import { Statistics } from "../../daemon/connections/statistics.ts";
import type { ServerStatus } from "../../daemon/contract/index.ts";
import { readProcesses, type ProcessRow } from "../../daemon/upstream/process-table.ts";
import { memoryIn, residentMemory } from "../../daemon/upstream/resident-memory.ts";
import { echoed, fixture, scripted, TestPool } from "../support/pool.ts";
import { proves } from "../support/promise.ts";

proves("PAGE-9", "the window slides by the clock: calls leave it after a minute, and a long silence empties it", () => {
  let now = 123_456;
  const statistics = new Statistics(() => now);
  const perMinute = (): number => statistics.read().callsPerMinute;
  expect(perMinute()).toBe(0);
  for (let second = 0; second < 300; second++) {
    statistics.call(1);
    statistics.call(1);
    now += 1_000;
    expect(perMinute()).toBe(Math.min(2 * (second + 1), 118));
  }
  now += 30_000;
  expect(perMinute()).toBe(58);
  now += 3_600_000;
  expect(perMinute()).toBe(0);
  statistics.call(1);
  expect(statistics.read()).toMatchObject({ calls: 601, callsPerMinute: 1 });
});

const row = (pid: number, parent: number, group: number, residentBytes: number): ProcessRow => ({
  ...{ pid, parent, group, residentBytes },
  startedAt: "1",
  zombie: false,
});

proves(
  "PAGE-10",
  "a tree is the group, its children in other groups, and orphans of the group; a stranger's number is not",
  () => {
    const rows = [
      row(1, 0, 1, 1_000_000),
      row(10, 5, 10, 1),
      row(11, 10, 10, 2),
      // Made a group of its own, and has a child there.
      row(12, 11, 12, 4),
      row(13, 12, 12, 8),
      // Its parent has ended; the group tells whose it is.
      row(14, 1, 10, 16),
      row(20, 5, 20, 32),
      // Not ours: the number was given to somebody else.
      row(30, 1, 30, 64),
      row(31, 30, 30, 128),
    ];
    expect(memoryIn(rows, [10, 20, 30, 40], 5)).toEqual(
      new Map([
        [10, 31],
        [20, 32],
      ]),
    );
  },
);

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
});

proves("PAGE-10", "what the process table tells is what the kernel says of the process", async () => {
  const child = spawn(process.execPath, ["-e", "process.stdout.write('up'); setInterval(() => {}, 1e6)"], { detached: true });
  children.push(child);
  await once(child.stdout, "data");
  const pid = child.pid ?? 0;
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8")) ?? [];
  const told = (await residentMemory([pid])).get(pid) ?? 0;
  // The kernel keeps both by itself and brings them together now and then.
  expect(Math.abs(told / 1_024 - Number(kibibytes))).toBeLessThan(4_096);
  expect((await readProcesses()).find((process) => process.pid === pid)?.parent).toBe(process.pid);
  expect(await residentMemory([])).toEqual(new Map());
});

const get = <T>(pool: TestPool, path: string): Promise<T> => pool.client.get<T>(path);

proves(
  "PAGE-10",
  "the daemon tells it on request only: with grandchildren, for each connection, absent where nothing lives",
  async () => {
    const tools = [{ name: "spawn", does: { spawn: true } }, { name: "lookup" }];
    const servers = {
      tree: scripted({ tools }),
      own: scripted({ tools: [{ name: "lookup" }] }, { sharing: "session" }),
      wrapped: {
        ...scripted({ tools: [{ name: "lookup" }] }),
        command: "/bin/sh",
        args: ["-c", `"${process.execPath}" "${fixture("scripted-server")}" '{"tools":[{"name":"lookup"}]}'; true`],
      },
      idle: scripted({}),
    };
    const pool = await TestPool.start({ servers });
    const [one, two] = [await pool.lead(["tree", "own", "wrapped"]), await pool.lead(["own"])];
    const read = async (): Promise<Record<string, ServerStatus>> =>
      Object.fromEntries((await get<ServerStatus[]>(pool, "/v1/servers?memory=1")).map((server) => [server.alias, server]));
    const before = await read();
    const node = 20 * 1_024 * 1_024;
    expect(before.tree?.memoryBytes).toBeGreaterThan(node);
    // The shell that is its leader is small; the server is its child.
    expect(before.wrapped?.memoryBytes).toBeGreaterThan(node);
    const each = before.own?.connections?.map(({ memoryBytes = 0 }) => memoryBytes) ?? [];
    expect(each).toHaveLength(2);
    for (const bytes of each) expect(bytes).toBeGreaterThan(node);
    expect(before.own?.memoryBytes).toBe(each.reduce((sum, bytes) => sum + bytes, 0));
    expect(before.idle).not.toHaveProperty("memoryBytes");
    await one.call("mcp__tree__spawn");
    expect((await read()).tree?.memoryBytes).toBeGreaterThan((before.tree?.memoryBytes ?? 0) + node / 2);
    expect(await get<ServerStatus>(pool, "/v1/servers/tree?memory=1")).toHaveProperty("memoryBytes");
    for (const path of ["/v1/servers", "/v1/servers?memory=0"]) {
      for (const server of await get<ServerStatus[]>(pool, path)) expect(server).not.toHaveProperty("memoryBytes");
    }
    const outcome = await two.call("mcp__own__lookup");
    expect(echoed(outcome).calls).toBe(1);
    expect((await pool.server("own")).stats.callsPerMinute).toBe(1);
    await pool.stop();
  },
);
