// How a server and how the daemon come to their end while things are under way: the whole daemon.
import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { RawClient } from "../http/daemon.ts";
import { proves } from "../support/promise.ts";
import { alive, codeOf, echoed, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };

proves("SHAPE-5", "disconnected in mid-call: new calls are refused at once, what runs to its end is answered", async () => {
  const folder = tempFolder();
  const go = join(folder, "go");
  const pool = await TestPool.start({
    folder,
    servers: { alpha: scripted({ tools: [{ name: "wait", does: { waitFile: go } }, ECHO] }), beta: scripted({ tools: [ECHO] }) },
  });
  const lead = await pool.lead(["alpha", "beta"]);
  const version = await pool.version();
  const running = lead.call("mcp__alpha__wait", { n: 1 }, { version });
  while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
  const disconnecting = lead.disconnect("alpha");
  await pool.until(version, (row) => row.removed.includes("mcp__alpha__wait"));
  expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version }))).toBe("unknown_tool/withdrawn");
  expect(codeOf(await lead.call("mcp__beta__echo", {}, { version }))).toBe("ok");
  writeFileSync(go, "");
  expect(echoed(await running).arguments).toEqual({ n: 1 });
  expect(codeOf(await disconnecting)).toBe("ok");
  await pool.stop();
});

proves(
  "SHAPE-5",
  "disconnected while a call hangs: after the deadline it is lost, and may have run only if it is no read",
  async () => {
    const pool = await TestPool.start({
      servers: {
        alpha: scripted(
          {
            tools: [
              { name: "reads", does: { hold: "x" } },
              { name: "writes", does: { hold: "x" } },
            ],
          },
          { tools: { writes: { effect: "write", concurrent: true } } },
        ),
      },
    });
    const lead = await pool.lead(["alpha"]);
    const version = await pool.version();
    const calls = ["reads", "writes"].map((tool) => lead.call(`mcp__alpha__${tool}`, {}, { version }));
    while ((await pool.server("alpha")).queue.running < 2) await Promise.resolve();
    const { pid = 0 } = await pool.server("alpha");
    expect(codeOf(await lead.disconnect("alpha"))).toBe("ok");
    expect(alive(pid)).toBe(false);
    const [reads, writes] = await Promise.all(calls);
    expect(reads).toEqual({
      error: { code: "mcp_connection_lost", message: "MCP server connection was lost" },
      server_alias: "alpha",
      status: "error",
      tool: "reads",
    });
    expect(writes).toMatchObject({ error: { code: "mcp_connection_lost", may_have_run: true } });
    await pool.stop();
  },
);

proves(
  "SHAPE-5",
  "event streams read and unread, idle and half-open sockets, a call without end: the daemon still ends",
  async () => {
    const pool = await TestPool.start({
      config: { limits: { drainMs: 300 } },
      servers: { alpha: scripted({ tools: [{ name: "hold", does: { hold: "x" } }, ECHO] }, { graceMs: 200 }) },
    });
    const lead = await pool.lead(["alpha"]);
    const version = await pool.version();
    const { socketPath, url } = pool.discovery;
    const port = Number(new URL(url).port);
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const open = (): Promise<RawClient> => RawClient.open(connect(socketPath));

    const watching = await open();
    watching.send(get("/v1/registry/watch"));
    await watching.receives(": watching");
    const unread = await open();
    unread.socket.pause();
    unread.send(get(`/v1/registry/watch?since=0`));
    const idle = await open();
    idle.send(get("/livez"));
    await idle.receives("200 OK");
    const half = await open();
    half.send("POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    const silent = await RawClient.open(connect(port, "127.0.0.1"));
    const held = lead.call("mcp__alpha__hold", {}, { version });
    while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();

    const from = performance.now();
    const left = await pool.stop();
    // 300 ms for the calls, a rung of 200 ms for the server, 1 s for HTTP: far below this, also on a slow machine.
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(left).toEqual(["daemon.log", "pool.db", "token"]);
    expect(pool.process.exitCode).toBe(0);
    expect(codeOf(await held)).toBe("cancelled");
    expect(await watching.ends()).toContain("event: closing");
    unread.socket.resume();
    for (const client of [unread, idle, half, silent]) await client.ends();
    expect(existsSync(socketPath)).toBe(false);
  },
);

proves("SHAPE-5", "a second signal ends it now, however long its servers may take", async () => {
  const pool = await TestPool.start({
    config: { limits: { drainMs: 600_000 } },
    servers: {
      alpha: scripted(
        { tools: [{ name: "hold", does: { hold: "x" } }], ignoreEof: true, ignoreSigterm: true },
        { graceMs: 60_000 },
      ),
    },
  });
  const lead = await pool.lead(["alpha"]);
  const { pid = 0 } = await pool.server("alpha");
  const version = await pool.version();
  const held = lead.call("mcp__alpha__hold", {}, { version });
  while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
  pool.process.kill("SIGTERM");
  const outcome = held.then(codeOf, () => "cut off");
  // It drains: alive, and refusing.
  const ready = (): Promise<unknown> => pool.client.get("/readyz").catch(() => undefined);
  while ((await ready()) !== undefined) await Promise.resolve();
  await expect(lead.call("mcp__alpha__hold", {}, { version })).rejects.toMatchObject({ reason: "shutting_down" });
  expect(alive(pid)).toBe(true);
  expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
  expect(["cancelled", "cut off"]).toContain(await outcome);
  expect(alive(pid)).toBe(false);
});
