// Servers that die, hang, lie or crash-loop, behind a real daemon.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ErrorOutcome, ServerStatus } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { alive, codeOf, echoed, fixture, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };

proves("POOL-4", "killed while idle: the version without its tools comes by itself, and the session's tag is stale", async () => {
  const pool = await TestPool.start({
    servers: { alpha: scripted({ tools: [ECHO, { name: "two" }] }), beta: scripted({ tools: [ECHO] }) },
  });
  const lead = await pool.lead(["alpha", "beta"]);
  const before = await pool.version();
  const { pid } = await pool.server("alpha");
  process.kill(pid ?? 0, "SIGKILL");
  const row = await pool.until(before, () => true);
  expect(row).toMatchObject({ version: before + 1, added: [], removed: ["mcp__alpha__echo", "mcp__alpha__two"] });
  expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: before }))).toBe("unknown_tool/withdrawn");
  expect(codeOf(await lead.call("mcp__beta__echo"))).toBe("ok");
  expect((await pool.server("alpha")).state).toMatchObject({
    kind: "failed",
    failure: { code: "connection_lost", details: { signal: "SIGKILL" } },
  });
  // The attachment survives: connected again by whomever, the session sees the tools at the new version, by a new connection.
  await pool.client.request("servers.connect", { alias: "alpha" });
  expect(await lead.names()).toContain("mcp__alpha__echo");
  expect((await pool.server("alpha")).connectionId).toBe("alpha#2");
  expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: before }))).toBe("unknown_tool/withdrawn");
  expect(codeOf(await lead.call("mcp__alpha__echo"))).toBe("ok");
  await pool.stop();
});

proves(
  "POOL-4",
  "it exits in a call: the call is lost, its siblings too, and the alias is withdrawn in one version",
  async () => {
    const pool = await TestPool.start({
      servers: {
        alpha: scripted(
          { tools: [{ name: "exit", does: { exit: 7 } }, { name: "hold", does: { hold: "never" } }, ECHO] },
          { tools: { exit: { effect: "write", concurrent: true } } },
        ),
      },
    });
    const lead = await pool.lead(["alpha"]);
    const before = await pool.version();
    const held = lead.call("mcp__alpha__hold", {}, { version: before });
    while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
    const exited = (await lead.call("mcp__alpha__exit", {}, { version: before })) as ErrorOutcome;
    expect(exited).toEqual({
      error: { code: "mcp_connection_lost", may_have_run: true, message: "MCP server connection was lost" },
      server_alias: "alpha",
      status: "error",
      tool: "exit",
    });
    // A read that was sent has run or not, without effect: nothing is said of it.
    expect(await held).toMatchObject({ error: { code: "mcp_connection_lost", message: "MCP server connection was lost" } });
    expect(JSON.stringify(await held)).not.toContain("may_have_run");
    const rows = await pool.versions(before);
    expect(rows.map((row) => row.removed.length)).toEqual([3]);
    await pool.stop();
  },
);

proves("POOL-4", "silence ends the call and the connection; progress holds silence off, but never the total", async () => {
  const folder = tempFolder();
  const pool = await TestPool.start({
    folder,
    servers: {
      alpha: scripted(
        {
          tools: [
            { name: "never", does: { never: true } },
            {
              name: "steps",
              does: Array.from({ length: 12 }, () => [{ progress: 1 }, { sleepMs: 100 }]).flat(),
            },
            { name: "endless", does: Array.from({ length: 400 }, () => [{ progress: 1 }, { sleepMs: 10 }]).flat() },
          ],
        },
        {
          toolTimeoutMs: 5_000,
          toolTotalMs: 5_000,
          tools: {
            never: { effect: "write", timeoutMs: 100 },
            // Less than all its steps take.
            steps: { effect: "read", timeoutMs: 800 },
            endless: { effect: "read", timeoutMs: 2_000 },
          },
        },
      ),
    },
  });
  const lead = await pool.lead(["alpha"]);
  const before = await pool.version();
  expect(codeOf(await lead.call("mcp__alpha__steps"))).toBe("ok");
  const outcome = await lead.call("mcp__alpha__never");
  expect(outcome).toMatchObject({ error: { code: "mcp_timeout", message: "MCP server did not answer in time" } });
  // Withdrawn before the caller was told.
  expect((await pool.versions(before)).map((row) => row.removed.length)).toEqual([3]);
  expect((await pool.server("alpha")).state).toMatchObject({ kind: "failed", failure: { code: "call_timeout" } });

  await lead.connect("alpha");
  // The caller's own cap is a total: progress every 10 ms does not extend it.
  expect(codeOf(await lead.call("mcp__alpha__endless", {}, { timeoutMs: 150 }))).toBe("mcp_timeout");
  await pool.stop();
});

proves(
  "POOL-5",
  "healthy, exits at once, never answers, bad schema, wrong policy, not found: each by its own reason, the healthy one works",
  async () => {
    const pool = await TestPool.start({
      servers: {
        healthy: scripted({ tools: [ECHO] }),
        exits: scripted({ tools: [ECHO], initialize: "exit" }),
        hangs: scripted({ tools: [ECHO], initialize: "never" }, { startupTimeoutMs: 1_500 }),
        schema: scripted({ tools: [ECHO, { name: "bad", inputSchema: { type: "array" } }] }),
        policy: { ...scripted({ tools: [ECHO, { name: "new" }] }), tools: { echo: "read", gone: "read" } },
        missing: { command: "no-such-command-anywhere", tools: {} },
        unset: { command: "${NO_SUCH_VARIABLE_HERE}", tools: {} },
        off: { ...scripted({ tools: [ECHO] }), disabled: true },
      },
    });
    const opened = pool.client.request("session.open", {
      attach: ["healthy", "exits", "hangs", "schema", "policy", "missing", "unset", "off"],
    });
    // Healthy tools are published while the others still fail.
    await pool.until(0, (row) => row.added.includes("mcp__healthy__echo"));
    const { sessionId, attached, failed } = await opened;
    expect(attached).toEqual(["healthy"]);
    expect(failed).toEqual([
      { alias: "exits", code: "handshake_failed" },
      { alias: "hangs", code: "startup_timeout" },
      { alias: "schema", code: "schema_rejected" },
      { alias: "policy", code: "policy_mismatch" },
      { alias: "missing", code: "spawn_failed" },
      { alias: "unset", code: "config_invalid" },
      { alias: "off", code: "disabled" },
    ]);
    const failure = async (alias: string): Promise<ServerStatus["lastFailure"]> => (await pool.server(alias)).lastFailure;
    expect(await failure("policy")).toMatchObject({ details: { unreviewed: ["new"], missing: ["gone"] } });
    expect(await failure("schema")).toMatchObject({ details: [{ tool: "bad" }] });
    expect((await pool.server("unset")).state).toMatchObject({ kind: "failed", failure: { code: "config_invalid" } });
    expect(JSON.stringify((await pool.server("unset")).state)).toContain("NO_SUCH_VARIABLE_HERE");
    const call = { sessionId, version: await pool.version(), name: "mcp__healthy__echo" };
    expect((await pool.client.callTool(call)).outcome.status).toBe("ok");
    // Of all of them only the healthy one is offered or known to the registry.
    expect((await pool.client.get<{ toolCount: number }>("/v1/registry")).toolCount).toBe(1);
    await pool.stop();
  },
);

proves("POOL-5", "a connect that fails tells the model the reason and nothing of the server's", async () => {
  const pool = await TestPool.start({
    servers: {
      alpha: scripted({ tools: [ECHO], initialize: "error", stderr: "private words" }),
      beta: scripted({ tools: [ECHO], list: "error" }),
    },
  });
  const lead = await pool.lead();
  const [alpha, beta] = [await lead.connect("alpha"), await lead.connect("beta")];
  expect(alpha).toMatchObject({
    error: { code: "connect_failed", message: "Could not connect MCP server", reason: "handshake_failed" },
    server_alias: "alpha",
    status: "error",
    tool: "connect_mcp",
  });
  expect(codeOf(beta)).toBe("connect_failed/list_failed");
  expect(JSON.stringify([alpha, beta])).not.toContain("private");
  await expect(pool.client.request("servers.connect", { alias: "alpha" })).rejects.toMatchObject({
    reason: "connect_failed",
    data: { failure: "handshake_failed" },
  });
  await pool.stop();
});

proves(
  "POOL-9",
  "a counter that counts and dies before it replies is reached once; later calls use the new connection",
  async () => {
    const folder = tempFolder();
    const count = join(folder, "count");
    const pool = await TestPool.start({
      folder,
      servers: {
        alpha: scripted(
          {
            tools: [
              { name: "add", does: [{ count }, { exit: 1 }] },
              { name: "bad", does: [{ count }, { error: { code: -32602, message: "x" } }] },
              ECHO,
            ],
          },
          {
            tools: { add: "write", bad: "write" },
          },
        ),
      },
    });
    const lead = await pool.lead(["alpha"]);
    expect(await lead.call("mcp__alpha__add")).toMatchObject({ error: { code: "mcp_connection_lost", may_have_run: true } });
    expect(readFileSync(count, "utf8")).toBe("1");
    await lead.connect("alpha");
    // A plain error of the server is not taken for a fault of the transport, and not tried again either.
    expect(codeOf(await lead.call("mcp__alpha__bad"))).toBe("mcp_remote_error");
    expect(readFileSync(count, "utf8")).toBe("2");
    expect((await pool.server("alpha")).state.kind).toBe("connected");
    await pool.stop();
  },
);

proves("POOL-18", "with backoff a lost server comes back by itself as a new connection; by default it stays lost", async () => {
  const pool = await TestPool.start({
    servers: { again: { ...scripted({ tools: [ECHO] }), reconnect: "backoff" }, manual: scripted({ tools: [ECHO] }) },
  });
  const lead = await pool.lead(["again", "manual"]);
  const before = await pool.version();
  for (const alias of ["again", "manual"]) process.kill((await pool.server(alias)).pid ?? 0, "SIGKILL");
  const lost = await pool.until(before, (row) => row.removed.includes("mcp__again__echo"));
  expect((await pool.server("again")).state).toMatchObject({ kind: "pending", attempt: 1, failure: { code: "connection_lost" } });
  await pool.until(lost.version, (row) => row.added.includes("mcp__again__echo"));
  expect((await pool.server("again")).connectionId).toBe("again#2");
  expect(codeOf(await lead.call("mcp__again__echo"))).toBe("ok");
  expect((await pool.server("manual")).state.kind).toBe("failed");
  // What waits for its next attempt is let go when nobody holds it any more.
  process.kill((await pool.server("again")).pid ?? 0, "SIGKILL");
  await pool.until(await pool.version().then((version) => version - 1), (row) => row.removed.includes("mcp__again__echo"));
  await lead.close();
  expect((await pool.server("again")).state.kind).toBe("idle");
  await pool.stop();
});

proves("POOL-14", "kill -9: the next start ends wrapper and stubborn grandchild, and leaves a stranger alone", async () => {
  const folder = tempFolder();
  const pidFile = join(folder, "grandchild");
  const servers = {
    alpha: {
      command: process.execPath,
      args: [fixture("wraps-stubborn-grandchild"), pidFile],
      graceMs: 200,
      tools: { echo: "read" },
    },
  };
  const pool = await TestPool.start({ folder, servers });
  await pool.lead(["alpha"]);
  const { pid } = await pool.server("alpha");
  const grandchild = Number(readFileSync(pidFile, "utf8"));
  expect([alive(pid ?? 0), alive(grandchild)]).toEqual([true, true]);
  await pool.kill();
  expect(alive(grandchild)).toBe(true);
  const next = await TestPool.start({ folder, servers });
  expect([alive(pid ?? 0), alive(grandchild)]).toEqual([false, false]);
  expect(await next.stop()).toEqual(["daemon.log", "pool.db", "token"]);
});

for (const end of ["disconnect", "crash", "timeout", "shutdown"] as const) {
  proves("POOL-13", `a wrapper with a grandchild that ignores EOF and SIGTERM is gone after ${end}`, async () => {
    const folder = tempFolder();
    const pidFile = join(folder, "grandchild");
    const pool = await TestPool.start({
      folder,
      servers: {
        alpha: {
          command: process.execPath,
          args: [fixture("wraps-stubborn-grandchild"), pidFile],
          graceMs: 200,
          toolTimeoutMs: 150,
          tools: { echo: "read" },
        },
      },
    });
    const lead = await pool.lead(["alpha"]);
    const { pid = 0 } = await pool.server("alpha");
    const grandchild = Number(readFileSync(pidFile, "utf8"));
    const before = await pool.version();
    if (end === "disconnect") await lead.disconnect("alpha");
    if (end === "crash") process.kill(pid, "SIGKILL");
    if (end === "timeout") expect(codeOf(await lead.call("mcp__alpha__echo", { hang: true }))).toBe("mcp_timeout");
    if (end !== "shutdown") {
      await pool.until(before, (row) => row.removed.includes("mcp__alpha__echo"));
      // A disconnect waits until the group is verified gone.
      await lead.close();
      await pool.client.request("servers.disconnect", { alias: "alpha" });
      expect([alive(pid), alive(grandchild)]).toEqual([false, false]);
    }
    await pool.stop();
    expect([alive(pid), alive(grandchild)]).toEqual([false, false]);
  });
}

proves(
  "POOL-13",
  "calls in flight are drained to the deadline, new ones refused, and idle connections do not hold the daemon",
  async () => {
    const folder = tempFolder();
    const go = join(folder, "go");
    const pool = await TestPool.start({
      folder,
      servers: {
        alpha: scripted({
          tools: [
            { name: "wait", does: { waitFile: go } },
            { name: "hold", does: { hold: "x" } },
          ],
        }),
      },
    });
    const lead = await pool.lead(["alpha"]);
    const idle = pool.tcp();
    expect(await idle.get("/readyz")).toEqual({ status: "ready" });
    const version = await pool.version();
    const drained = lead.call("mcp__alpha__wait", {}, { version });
    const held = lead.call("mcp__alpha__hold", {}, { version });
    while ((await pool.server("alpha")).queue.running < 2) await Promise.resolve();
    await pool.client.request("daemon.shutdown", { drainMs: 1_000 });
    await expect(lead.call("mcp__alpha__wait", {}, { version })).rejects.toMatchObject({ reason: "shutting_down" });
    writeFileSync(go, "");
    expect(codeOf(await drained)).toBe("ok");
    expect(codeOf(await held)).toBe("cancelled");
    expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
    expect(existsSync(pool.discovery.socketPath)).toBe(false);
    expect(pool.process.exitCode).toBe(0);
    await idle.close();
  },
);

proves("POOL-7", "two clients, the same call ids, replies in reverse: each gets its own answer", async () => {
  const pool = await TestPool.start({
    servers: {
      alpha: scripted(
        {
          tools: [
            { name: "hold", does: { hold: "$key" } },
            { name: "go", does: { release: "$key" } },
          ],
        },
        { concurrency: 50 },
      ),
    },
  });
  const [one, two] = await Promise.all([pool.lead(["alpha"]), pool.lead(["alpha"])]);
  const version = await pool.version();
  const calls = [one, two].flatMap((lead, who) =>
    Array.from({ length: 10 }, (_, n) => lead.call("mcp__alpha__hold", { key: `${who}-${n}` }, { version, callId: String(n) })),
  );
  while ((await pool.server("alpha")).queue.running < 20) await Promise.resolve();
  const order = Array.from({ length: 10 }, (_, n) => [1, 0].map((who) => `${who}-${9 - n}`)).flat();
  for (const key of order) await one.call("mcp__alpha__go", { key }, { version });
  const keys = (await Promise.all(calls)).map((outcome) => echoed(outcome).arguments.key);
  expect(keys).toEqual([0, 1].flatMap((who) => Array.from({ length: 10 }, (_, n) => `${who}-${n}`)));
  // One id in flight twice in one session is refused, not overwritten; in another session it is another call.
  const held = one.call("mcp__alpha__hold", { key: "last" }, { version, callId: "same" });
  while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
  await expect(one.call("mcp__alpha__go", { key: "x" }, { version, callId: "same" })).rejects.toMatchObject({
    reason: "conflict",
  });
  expect(codeOf(await two.call("mcp__alpha__go", { key: "last" }, { version, callId: "same" }))).toBe("ok");
  expect(echoed(await held).arguments.key).toBe("last");
  await pool.stop();
});
