// Which daemon is this: what a former one or a stranger left in the state folder, and many starters at once. Real daemons.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { Discovery } from "../../daemon/contract/index.ts";
import { Workplace } from "../commands/toolpool.ts";
import { proves } from "../support/promise.ts";
import { alive, codeOf, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const servers = { alpha: scripted({ tools: [{ name: "echo" }] }) };

proves("SHAPE-23", "killed, with its files left to name a living stranger: the next starts, and neither harms him", async () => {
  const stranger = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "ignore" });
  const folder = tempFolder();
  const first = await TestPool.start({ folder, servers });
  await first.lead(["alpha"]);
  const { pid: left = 0 } = await first.server("alpha");
  await first.kill();
  const file = join(first.state, "daemon.json");
  expect([existsSync(file), existsSync(first.discovery.socketPath)]).toEqual([true, true]);
  writeFileSync(file, JSON.stringify({ ...first.discovery, pid: stranger.pid }));

  const second = await TestPool.start({ folder, servers });
  expect((JSON.parse(readFileSync(file, "utf8")) as Discovery).pid).toBe(second.process.pid);
  expect(alive(left)).toBe(false);
  expect(codeOf(await (await second.lead(["alpha"])).call("mcp__alpha__echo"))).toBe("ok");
  expect(await second.stop()).toEqual(["daemon.log", "pool.db", "token"]);
  expect(stranger.exitCode).toBeNull();
  expect(stranger.signalCode).toBeNull();
  stranger.kill("SIGKILL");
  await once(stranger, "exit");
});

for (const [what, kept] of [
  ["only what held the lock", ["pool.db", "pool.db-wal", "pool.db-shm"]],
  ["only the dead socket", ["toolpool.sock"]],
  ["only the discovery file", ["daemon.json"]],
] as const) {
  proves("SHAPE-23", `${what} is left of a killed daemon: the next one starts`, async () => {
    const folder = tempFolder();
    const first = await TestPool.start({ folder, servers });
    await first.lead(["alpha"]);
    // The server goes with its journal's record of it, or by itself when its input ends.
    await first.kill();
    for (const name of ["daemon.json", "daemon.log", "token", "toolpool.sock", "pool.db", "pool.db-wal", "pool.db-shm"]) {
      if (!(kept as readonly string[]).includes(name)) rmSync(join(first.state, name), { force: true });
    }
    const second = await TestPool.start({ folder, servers });
    expect(second.discovery.pid).toBe(second.process.pid);
    expect((await second.client.request("pool.hello", { client: { name: "t", version: "1" }, contractVersion: 1 })).pid).toBe(
      second.process.pid,
    );
    expect(await second.stop()).toEqual(["daemon.log", "pool.db", "token"]);
  });
}

proves("SHAPE-23", "ten daemons at once on one folder: one is ready, nine say so and leave it alone", async () => {
  const folder = tempFolder();
  const starts = await Promise.allSettled(Array.from({ length: 10 }, () => TestPool.start({ folder, servers })));
  const ready = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const refused = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
  try {
    expect(ready).toHaveLength(1);
    for (const reason of refused) expect(reason).toMatch(/"code":"(journal_)?locked"/);
    const [pool] = ready;
    expect((JSON.parse(readFileSync(join(folder, "state/daemon.json"), "utf8")) as Discovery).pid).toBe(pool?.process.pid);
    expect((await pool?.client.request("servers.connect", { alias: "alpha" }))?.state).toBe("connected");
  } finally {
    for (const pool of ready) await pool.stop();
  }
});

proves(
  "SHAPE-23",
  "a state folder whose path is too long for a socket works like any other, and leaves nothing either",
  async () => {
    const folder = join(tempFolder(), "a-long-name-".repeat(6), "and-another-".repeat(6));
    mkdirSync(folder, { recursive: true });
    const pool = await TestPool.start({ folder, servers });
    const { socketPath } = pool.discovery;
    expect(Buffer.byteLength(join(pool.state, "toolpool.sock"))).toBeGreaterThan(107);
    expect(Buffer.byteLength(socketPath)).toBeLessThan(108);
    expect([statSync(socketPath).mode & 0o777, statSync(dirname(socketPath)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(codeOf(await (await pool.lead(["alpha"])).call("mcp__alpha__echo"))).toBe("ok");
    expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
    expect(existsSync(socketPath)).toBe(false);
  },
);

proves(
  "SHAPE-23",
  "ten `up`s at once after a kill -9: one daemon, ten successes; `down` ends that one alone",
  async () => {
    const place = new Workplace(servers);
    const stranger = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "ignore" });
    try {
      const { pid } = await place.up();
      process.kill(pid, "SIGKILL");
      while (alive(pid)) await new Promise((resolve) => setImmediate(resolve));
      const file = join(place.state, "daemon.json");
      const published = JSON.parse(readFileSync(file, "utf8")) as Discovery;
      writeFileSync(file, JSON.stringify({ ...published, pid: stranger.pid }));
      const all = await Promise.all(Array.from({ length: 10 }, () => place.up()));
      expect(new Set(all.map((one) => one.pid)).size).toBe(1);
      expect(all[0]?.pid).not.toBe(stranger.pid);
      await place.ok("down");
      expect(place.stateFiles()).toEqual(["daemon.log", "pool.db", "token"]);
      expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
    } finally {
      stranger.kill("SIGKILL");
      await once(stranger, "exit");
      await place.close();
    }
  },
  60_000,
);
