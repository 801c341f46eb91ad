// Servers that end at odd moments, crash loops, and what is alive after restarts and reloads: the whole daemon.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { alive, codeOf, echoed, fixture, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };

/** The pids a scripted server's log tells, in the order of their starts. */
function startedPids(log: string): readonly number[] {
  if (!existsSync(log)) return [];
  return (
    readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      // What is being written at this moment is read next time.
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line) as { event: string; pid?: number })
      .flatMap(({ event, pid }) => (event === "start" && pid !== undefined ? [pid] : []))
  );
}

proves("SHAPE-1", "ended before the first write, deaf after the greeting, deaf after a call: the others go on", async () => {
  const node = process.execPath;
  const pool = await TestPool.start({
    servers: {
      healthy: scripted({ tools: [ECHO] }),
      gone: { command: node, args: ["-e", "process.exit(0)"], tools: {} },
      killed: { command: node, args: ["-e", "process.kill(process.pid, 'SIGKILL')"], tools: {} },
      deaf: { command: node, args: [fixture("closes-stdin")], tools: { lookup: "read" }, startupTimeoutMs: 2_000, graceMs: 100 },
      later: scripted({ tools: [{ name: "deafen", does: [{ closeStdin: true }, { text: "deaf" }] }, ECHO] }),
    },
  });
  const lead = await pool.lead(["healthy"]);
  const { pid } = await pool.server("healthy");
  for (let round = 0; round < 5; round++) {
    const connects = ["gone", "killed", "deaf"].map((alias) => lead.connect(alias));
    expect(codeOf(await lead.call("mcp__healthy__echo", { round }))).toBe("ok");
    const [gone, killed, deaf] = (await Promise.all(connects)).map(codeOf);
    expect([gone, killed]).toEqual(["connect_failed/handshake_failed", "connect_failed/handshake_failed"]);
    // Its pipe breaks at the first write after it closed it; what was written before is never answered.
    expect(["connect_failed/handshake_failed", "connect_failed/startup_timeout"]).toContain(deaf);

    expect(codeOf(await lead.connect("later"))).toBe("ok");
    const before = await pool.version();
    expect(codeOf(await lead.call("mcp__later__deafen"))).toBe("ok");
    expect(codeOf(await lead.call("mcp__later__echo", {}, { version: before }))).toBe("mcp_connection_lost");
    expect((await pool.versions(before)).map(({ removed }) => removed)).toEqual([["mcp__later__deafen", "mcp__later__echo"]]);
  }
  expect(echoed(await lead.call("mcp__healthy__echo")).pid).toBe(pid);
  expect(pool.process.exitCode).toBeNull();
  expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
  expect(pool.process.exitCode).toBe(0);
});

proves("SHAPE-1", "with nobody at its stderr the daemon goes through every kind of failure and still ends well", async () => {
  const pool = await TestPool.start({
    stderr: "pipe",
    servers: {
      alpha: scripted({ tools: [{ name: "dies", does: { exit: 1 } }, ECHO], stderr: "x".repeat(100_000) }),
      bad: scripted({ tools: [ECHO], initialize: "exit" }),
    },
  });
  pool.process.stderr?.destroy();
  const lead = await pool.lead(["alpha"]);
  expect(codeOf(await lead.connect("bad"))).toBe("connect_failed/handshake_failed");
  expect(codeOf(await lead.call("mcp__alpha__dies"))).toBe("mcp_connection_lost");
  writeFileSync(pool.configFile, "{");
  expect((await pool.client.request("config.reload", {})).errors).not.toEqual([]);
  expect(codeOf(await lead.connect("alpha"))).toBe("ok");
  expect(codeOf(await lead.call("mcp__alpha__echo"))).toBe("ok");
  await pool.stop();
  expect(pool.process.exitCode).toBe(0);
});

proves("SHAPE-2", "two rounds of a crash loop: every call to the healthy server is answered by the same process", async () => {
  const folder = tempFolder();
  const crash = join(folder, "crash");
  const loop = scripted({ tools: [ECHO] });
  const run = [process.execPath, ...(loop.args as string[])].map((word) => `'${word}'`).join(" ");
  const pool = await TestPool.start({
    folder,
    servers: {
      healthy: scripted({ tools: [ECHO] }),
      loop: { ...loop, command: "sh", args: ["-c", `test -e ${crash} && exit 1; exec ${run}`], reconnect: "backoff" },
    },
  });
  const lead = await pool.lead(["healthy", "loop"]);
  const { pid } = await pool.server("healthy");
  const version = await pool.version();
  writeFileSync(crash, "");
  process.kill((await pool.server("loop")).pid ?? 0, "SIGKILL");
  const seen = new Set<string>();
  for (;;) {
    // By the tag of before the crash, and by the newest one.
    expect(echoed(await lead.call("mcp__healthy__echo", {}, { version })).pid).toBe(pid);
    expect(echoed(await lead.call("mcp__healthy__echo")).pid).toBe(pid);
    const { state } = await pool.server("loop");
    seen.add(state.kind);
    if (state.kind === "pending" && state.attempt === 3) break;
  }
  expect(seen.has("pending")).toBe(true);
  const rows = await pool.versions(version);
  expect(rows.map(({ added, removed }) => [...added, ...removed])).toEqual([["mcp__loop__echo"]]);
  expect((await pool.server("loop")).lastFailure?.code).toBe("handshake_failed");
  expect((await pool.server("healthy")).stats.failures).toBe(0);
  await pool.stop();
});

proves("SHAPE-3", "restarts while a start is pending: one process in the end, and everybody was answered", async () => {
  const folder = tempFolder();
  const log = join(folder, "events");
  const go = join(folder, "go");
  const pool = await TestPool.start({
    folder,
    servers: { alpha: scripted({ tools: [ECHO], log, initialize: { waitFile: go } }) },
  });
  const before = await pool.version();
  const leads = await Promise.all([pool.lead(), pool.lead(), pool.lead()]);
  const connecting = leads.map((lead) => lead.connect("alpha"));
  while ((await pool.server("alpha")).pid === undefined) await Promise.resolve();
  const restarts = Array.from({ length: 3 }, () =>
    pool.client.request("servers.restart", { alias: "alpha" }).then(({ state }) => state),
  );
  while (startedPids(log).length < 1) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(go, "");
  // Who waited for the start that a restart gave up gets the one that follows.
  expect((await Promise.all(connecting)).map(codeOf)).toEqual(["ok", "ok", "ok"]);
  expect(await Promise.all(restarts)).toEqual(["connected", "connected", "connected"]);
  expect((await pool.versions(before)).map(({ added }) => added)).toContainEqual(["mcp__alpha__echo"]);
  const { pid, attachedSessions } = await pool.server("alpha");
  expect(attachedSessions).toHaveLength(3);
  expect(startedPids(log).filter(alive)).toEqual([pid]);
  await pool.stop();
  expect(startedPids(log).filter(alive)).toEqual([]);
});

proves(
  "SHAPE-3",
  "a reload that alters a server while it starts: who waits gets the new one, or hears that there is none",
  async () => {
    const folder = tempFolder();
    const log = join(folder, "events");
    const hangs = scripted({ tools: [ECHO], log, initialize: "never" });
    const silent = scripted({ tools: [ECHO], initialize: "never" });
    const pool = await TestPool.start({ folder, servers: { alpha: hangs, removed: silent, disabled: silent } });
    const lead = await pool.lead();
    const connecting = lead.connect("alpha");
    const others = ["removed", "disabled"].map((alias) => lead.connect(alias));
    for (const alias of ["removed", "disabled"]) while ((await pool.server(alias)).pid === undefined) await Promise.resolve();
    const pids = await Promise.all(["removed", "disabled"].map(async (alias) => (await pool.server(alias)).pid ?? 0));
    while (startedPids(log).length < 1) await new Promise((resolve) => setImmediate(resolve));
    pool.configure({
      alpha: scripted({ tools: [ECHO], log, version: "2.0.0" }),
      disabled: { ...silent, disabled: true },
    });
    const { changed } = await pool.client.request("config.reload", {});
    expect([...changed].sort()).toEqual(["alpha", "disabled", "removed"]);
    expect(codeOf(await connecting)).toBe("ok");
    expect((await Promise.all(others)).map(codeOf)).toEqual(["cancelled", "connect_failed/disabled"]);
    expect(pids.filter(alive)).toEqual([]);
    expect(startedPids(log).filter(alive)).toEqual([(await pool.server("alpha")).pid]);
    expect((await pool.server("alpha")).serverInfo?.version).toBe("2.0.0");
    await pool.stop();
  },
);

proves(
  "SHAPE-3",
  "removed, added again and altered, ten times over, while it is held: no process but the one the status names",
  async () => {
    const folder = tempFolder();
    const log = join(folder, "events");
    const alpha = (version: number): object => scripted({ tools: [ECHO], log, version: `${version}.0.0` });
    const beta = scripted({ tools: [ECHO] });
    const pool = await TestPool.start({ folder, servers: { alpha: alpha(0), beta } });
    const lead = await pool.lead(["alpha", "beta"]);
    const betaPid = (await pool.server("beta")).pid;
    const living = (): readonly number[] => startedPids(log).filter(alive);
    for (let round = 1; round <= 10; round++) {
      pool.configure({ alpha: alpha(round), beta });
      expect((await pool.client.request("config.reload", {})).changed).toEqual(["alpha"]);
      expect(living()).toEqual([(await pool.server("alpha")).pid]);
      pool.configure({ alpha: { ...alpha(round), disabled: true }, beta });
      await pool.client.request("config.reload", {});
      expect(living()).toEqual([]);
      pool.configure({ beta });
      await pool.client.request("config.reload", {});
      expect(living()).toEqual([]);
      pool.configure({ alpha: alpha(round), beta });
      await pool.client.request("config.reload", {});
      expect(codeOf(await lead.connect("alpha"))).toBe("ok");
      expect(living()).toEqual([(await pool.server("alpha")).pid]);
    }
    expect((await pool.server("beta")).pid).toBe(betaPid);
    await pool.stop();
    expect(living()).toEqual([]);
  },
  60_000,
);

proves(
  "SHAPE-25",
  "banner, colour, JSON that is none of ours, 256 KB of stderr: counted, cut, and every call is right",
  async () => {
    const lines = ["\u001b[32mready\u001b[0m", "", "{}", "123", "[]", "not json"];
    const noise = `\ufeff${lines.join("\r\n")}\r\n`;
    const pool = await TestPool.start({
      servers: {
        alpha: scripted({
          stdout: noise,
          tools: [
            { name: "noisy", does: [{ raw: `${lines.join("\n")}\n` }] },
            { name: "floods", does: [{ stderr: 256 * 1024 }, { stderr: "the end\n" }] },
            ECHO,
          ],
        }),
      },
    });
    const lead = await pool.lead(["alpha"]);
    for (let n = 1; n <= 3; n++) {
      expect(echoed(await lead.call("mcp__alpha__noisy", { n })).arguments).toEqual({ n });
      expect(echoed(await lead.call("mcp__alpha__floods", { n })).arguments).toEqual({ n });
    }
    const status = await pool.client.get<{ stdoutNoise: number; stderrTail?: string }>("/v1/servers/alpha?stderr=1");
    // Six lines at the start and six for each noisy call; the blank one is noise as well.
    expect(status.stdoutNoise).toBe(24);
    expect(await pool.client.getText("/metrics")).toContain('toolpool_stdout_noise_total{alias="alpha"} 24');
    expect(Buffer.byteLength(status.stderrTail ?? "")).toBeLessThanOrEqual(64 * 1024);
    expect((await pool.server("alpha")).connectionId).toBe("alpha#1");
    expect(JSON.stringify(await pool.server("alpha"))).not.toContain("the end");
    await pool.stop();
  },
);
