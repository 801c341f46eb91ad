// Connecting, sharing, leaving: with real processes behind a real daemon.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ManagementOutcome } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { alive, codeOf, echoed, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const one = scripted({ tools: [{ name: "echo" }] });

const events = (file: string): readonly { event: string; message?: { method?: string } }[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string });

proves("POOL-1", "connect and disconnect are one version each, and visible from the next request on", async () => {
  const pool = await TestPool.start({ servers: { alpha: one, beta: one } });
  const lead = await pool.lead();
  const first = await lead.snapshot();
  expect(first.tools.map((tool) => tool.name)).toEqual(["connect_mcp", "disconnect_mcp"]);

  const connected = (await lead.call("connect_mcp", { alias: "alpha" }, { version: first.version })) as ManagementOutcome;
  expect(connected).toEqual({
    server_alias: "alpha",
    state: "connected",
    status: "ok",
    tool: "connect_mcp",
    tools: ["mcp__alpha__echo"],
    version: first.version + 1,
    visible: "next_request",
  });
  // The same reply cannot use it, however often it tries.
  for (let n = 0; n < 3; n++) {
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: first.version }))).toBe("unknown_tool/not_in_snapshot");
  }
  const second = await lead.snapshot();
  expect(second.version).toBe(first.version + 1);
  expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: second.version }))).toBe("ok");
  // Connecting what is attached and connected changes nothing.
  expect(await lead.connect("alpha")).toEqual(connected);

  const gone = (await lead.disconnect("alpha")) as ManagementOutcome;
  expect(gone).toMatchObject({ state: "disconnected", tools: ["mcp__alpha__echo"], version: second.version + 1 });
  expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: second.version }))).toBe("unknown_tool/withdrawn");
  expect(await lead.disconnect("alpha")).toMatchObject({ status: "ok", tools: [], version: gone.version });
  const rows = await pool.versions(first.version);
  expect(rows.map(({ version, added, removed }) => ({ version, added, removed }))).toEqual([
    { version: first.version + 2, added: [], removed: ["mcp__alpha__echo"] },
    { version: first.version + 1, added: ["mcp__alpha__echo"], removed: [] },
  ]);
  expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
});

proves("POOL-2", "two sessions use one process; the first leaving takes nothing, the second closes it", async () => {
  const pool = await TestPool.start({ servers: { alpha: one } });
  const a = await pool.lead(["alpha"]);
  const before = await pool.version();
  const b = await pool.lead(["alpha"]);
  // Attaching to what another holds is a version: its view changes.
  expect(await pool.version()).toBe(before + 1);
  const [pidA, pidB] = [echoed(await a.call("mcp__alpha__echo")).pid, echoed(await b.call("mcp__alpha__echo")).pid];
  expect(pidA).toBe(pidB);
  await a.disconnect("alpha");
  expect(codeOf(await a.call("mcp__alpha__echo", {}, { version: before }))).toBe("unknown_tool/withdrawn");
  expect(echoed(await b.call("mcp__alpha__echo")).pid).toBe(pidB);
  await b.close();
  await pool.until(before, (row) => row.removed.includes("mcp__alpha__echo"));
  await pool.client.request("servers.disconnect", { alias: "alpha" });
  expect(alive(pidB)).toBe(false);
  expect((await pool.server("alpha")).state).toEqual({ kind: "idle" });
  await pool.stop();
});

proves(
  "POOL-2",
  "fifty times on and off leaves no process behind, and each life has a number of its own",
  async () => {
    const folder = tempFolder();
    const log = join(folder, "events");
    const pool = await TestPool.start({ servers: { alpha: scripted({ tools: [{ name: "echo" }], log }) }, folder });
    for (let n = 1; n <= 50; n++) {
      const { state } = await pool.client.request("servers.connect", { alias: "alpha" });
      expect(state).toBe("connected");
      expect((await pool.server("alpha")).connectionId).toBe(`alpha#${n}`);
      expect((await pool.client.request("servers.disconnect", { alias: "alpha" })).state).toBe("idle");
    }
    const started = events(log).filter(({ event }) => event === "start") as unknown as { pid: number }[];
    expect(started).toHaveLength(50);
    expect(started.filter(({ pid }) => alive(pid))).toEqual([]);
    await pool.stop();
  },
  60_000,
);

proves(
  "POOL-2",
  "keepAlive outlives the last session, lingerMs withdraws later in a version of its own, sharing by session gives each its own",
  async () => {
    const pool = await TestPool.start({
      servers: {
        kept: { ...one, keepAlive: true },
        lingering: { ...one, lingerMs: 20 },
        own: { ...one, sharing: "session" },
      },
    });
    const a = await pool.lead(["kept", "lingering", "own"]);
    const b = await pool.lead(["own"]);
    const pids = [echoed(await a.call("mcp__own__echo")).pid, echoed(await b.call("mcp__own__echo")).pid];
    expect(pids[0]).not.toBe(pids[1]);
    expect((await pool.server("own")).connections?.map(({ sessionId }) => sessionId)).toEqual([a.id, b.id]);
    const current = await pool.version();
    const tool = `/v1/registry/versions/${current}/tools/mcp__own__echo`;
    await expect(pool.client.get(tool)).rejects.toMatchObject({ reason: "conflict" });
    expect(await pool.client.get(`${tool}?connection=own%232`)).toMatchObject({ source: { connectionId: "own#2" } });

    const before = await pool.version();
    await a.close();
    const closed = await pool.until(before, (row) => row.cause === "session_end");
    expect(closed.removed).toEqual(["mcp__own__echo"]);
    const lingered = await pool.until(closed.version, (row) => row.removed.includes("mcp__lingering__echo"));
    expect(lingered.version).toBeGreaterThan(closed.version);
    expect((await pool.server("kept")).state.kind).toBe("connected");
    expect(echoed(await b.call("mcp__own__echo")).pid).toBe(pids[1]);
    await pool.stop();
  },
);

proves("POOL-3", "twenty callers at once: one process, one version, everybody attached", async () => {
  const folder = tempFolder();
  const log = join(folder, "events");
  const go = join(folder, "go");
  const pool = await TestPool.start({
    folder,
    servers: { alpha: scripted({ tools: [{ name: "echo" }], log, initialize: { waitFile: go } }) },
  });
  const before = await pool.version();
  const leads = await Promise.all(Array.from({ length: 20 }, () => pool.lead()));
  const connecting = leads.map((lead) => lead.connect("alpha"));
  const leaver = new AbortController();
  const extra = await pool.lead();
  const left = extra.call("connect_mcp", { alias: "alpha" }, { callId: "x", signal: leaver.signal });
  while ((await pool.server("alpha")).state.kind !== "connecting") await Promise.resolve();
  // One who leaves leaves alone.
  leaver.abort();
  await expect(left).rejects.toThrow();
  writeFileSync(go, "");
  expect((await Promise.all(connecting)).map(codeOf)).toEqual(Array.from({ length: 20 }, () => "ok"));
  expect(events(log).filter(({ event }) => event === "start")).toHaveLength(1);
  const rows = await pool.versions(before);
  expect(rows.filter((row) => row.added.length > 0)).toHaveLength(1);
  expect((await pool.server("alpha")).attachedSessions).toHaveLength(20);
  await pool.stop();
});

proves("POOL-3", "when the last caller has left, the start is given up and its process ended", async () => {
  const folder = tempFolder();
  const pool = await TestPool.start({ folder, servers: { alpha: scripted({ tools: [{ name: "echo" }], initialize: "never" }) } });
  const lead = await pool.lead();
  const leave = new AbortController();
  const connecting = lead.call("connect_mcp", { alias: "alpha" }, { signal: leave.signal });
  let pid: number | undefined;
  while ((pid = (await pool.server("alpha")).pid) === undefined) await Promise.resolve();
  leave.abort();
  await expect(connecting).rejects.toThrow();
  // The next start waits until nothing of the last one is left.
  await pool.client.request("servers.disconnect", { alias: "alpha" });
  expect(alive(pid)).toBe(false);
  expect(await pool.server("alpha")).toMatchObject({ state: { kind: "idle" }, stats: { connects: 0, failures: 0 } });
  const [record] = await pool.client.get<readonly { code: string }[]>("/v1/calls");
  expect(record?.code).toBe("cancelled");
  await pool.stop();
});
