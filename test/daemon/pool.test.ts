// The pool's promises around lists, sessions, restarts, routes, secrets, reloads, sizes and records, with a real daemon.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { CallRecord, ErrorOutcome, OkOutcome, RegistrySnapshot, SessionInfo } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { codeOf, echoed, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };
const described = (text: string): object[] => [
  { ...ECHO, description: text },
  { name: "control", does: "arguments" },
];

proves("POOL-6", "two hundred notices with a changed list are one version; the same list again is none", async () => {
  const pool = await TestPool.start({
    servers: { alpha: scripted({ announceAtStart: true, tools: [...described("one")] as never }) },
  });
  const lead = await pool.lead(["alpha"]);
  const before = await pool.version();
  const steps = (...list: object[]): Promise<unknown> => lead.call("mcp__alpha__control", { steps: list });
  await steps({ setTools: described("two") }, { announce: 200 }, { text: "done" });
  const changed = await pool.until(before, (row) => row.changed.length > 0);
  expect(changed).toMatchObject({ version: before + 1, added: [], removed: [], changed: ["mcp__alpha__echo"] });
  // The changed definition is stale for the older tag; the unchanged one still runs by it, on the same connection.
  expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: before }))).toBe("unknown_tool/replaced");
  expect(codeOf(await lead.call("mcp__alpha__control", { steps: [{ text: "x" }] }, { version: before }))).toBe("ok");
  await steps({ announce: 50 }, { text: "same" });
  await steps({ setTools: described("three") }, { announce: 1 }, { text: "done" });
  const third = await pool.until(changed.version, () => true);
  expect(third).toMatchObject({ version: changed.version + 1, changed: ["mcp__alpha__echo"] });
  const { added, removed, changed: diff } = await pool.client.request("registry.diff", { from: before, to: third.version });
  expect([added.length, removed.length, diff.map(({ before: old, after }) => [old.description, after.description])]).toEqual([
    0,
    0,
    [["one", "three"]],
  ]);
  await pool.stop();
});

proves("POOL-6", "a list that no longer matches the policy withdraws the toolset, undeclared notice or not", async () => {
  const pool = await TestPool.start({
    servers: { alpha: scripted({ capabilities: { tools: {} }, tools: [...described("one")] as never }) },
  });
  const lead = await pool.lead(["alpha"]);
  const before = await pool.version();
  const more = [...described("one"), { name: "unreviewed" }];
  await lead.call("mcp__alpha__control", { steps: [{ setTools: more }, { announce: 1 }, { text: "done" }] });
  const row = await pool.until(before, () => true);
  expect(row.removed).toEqual(["mcp__alpha__control", "mcp__alpha__echo"]);
  expect(await pool.server("alpha")).toMatchObject({
    state: { kind: "failed", failure: { code: "policy_mismatch", details: { unreviewed: ["unreviewed"], missing: [] } } },
    toolCount: 0,
  });
  await pool.stop();
});

proves("POOL-6", "a list that cannot be read again keeps the last good toolset and is reported", async () => {
  const pool = await TestPool.start({
    servers: { alpha: scripted({ tools: [...described("one")] as never }, { maxMessageBytes: 20_000 }) },
  });
  const lead = await pool.lead(["alpha"]);
  const before = await pool.version();
  const tooLong = described("x".repeat(30_000));
  await lead.call("mcp__alpha__control", { steps: [{ setTools: tooLong }, { announce: 1 }, { text: "done" }] });
  while ((await pool.server("alpha")).lastFailure?.code !== "list_failed") await Promise.resolve();
  expect(await pool.version()).toBe(before);
  expect((await pool.server("alpha")).state.kind).toBe("connected");
  expect(codeOf(await lead.call("mcp__alpha__echo"))).toBe("ok");
  await pool.stop();
});

proves("POOL-6", "a first list that is empty is asked for again until the tools are there", async () => {
  const folder = tempFolder();
  const listFile = join(folder, "list");
  writeFileSync(listFile, "[]");
  const log = join(folder, "events");
  const pool = await TestPool.start({
    folder,
    servers: { alpha: scripted({ listFile, log, tools: [ECHO] }), none: scripted({ tools: [] }) },
  });
  const lead = await pool.lead();
  const connecting = lead.connect("alpha");
  const lists = (): number => (existsSync(log) ? (readFileSync(log, "utf8").match(/"tools\/list"/g) ?? []) : []).length;
  while ((await pool.server("alpha")).state.kind !== "connecting" || lists() < 2) await Promise.resolve();
  // Whole at once: the server may read it at any moment.
  writeFileSync(`${listFile}.new`, JSON.stringify([ECHO]));
  renameSync(`${listFile}.new`, listFile);
  expect(codeOf(await connecting)).toBe("ok");
  // An empty policy means the server must publish nothing.
  expect(await lead.connect("none")).toMatchObject({ status: "ok", tools: [] });
  await pool.stop();
});

proves(
  "POOL-8",
  "cancelled in flight, before it came, by a lost caller, in the queue: answered at once, and the server is told",
  async () => {
    const folder = tempFolder();
    const log = join(folder, "events");
    const pool = await TestPool.start({
      folder,
      servers: {
        alpha: scripted(
          {
            log,
            tools: [
              { name: "work", does: [{ untilCancelled: true }, { text: "late" }] },
              { name: "write", does: [{ untilCancelled: true }, { text: "late" }] },
              ECHO,
            ],
          },
          { tools: { write: "write" } },
        ),
      },
    });
    const lead = await pool.lead(["alpha"]);
    const version = await pool.version();
    const running = async (count: number): Promise<void> => {
      while ((await pool.server("alpha")).queue.running !== count) await Promise.resolve();
    };
    const cancel = (callId: string): Promise<{ cancelled: boolean }> =>
      pool.client.request("tools.cancel", { sessionId: lead.id, callId });

    const work = lead.call("mcp__alpha__work", {}, { version, callId: "a" });
    await running(1);
    expect(await cancel("a")).toEqual({ cancelled: true });
    expect(await work).toEqual({
      error: { code: "cancelled", message: "The call was cancelled" },
      server_alias: "alpha",
      status: "error",
      tool: "work",
    });
    expect(await cancel("a")).toEqual({ cancelled: false });

    const write = lead.call("mcp__alpha__write", {}, { version, callId: "w" });
    await running(1);
    const queued = lead.call("mcp__alpha__echo", {}, { version, callId: "q" });
    while ((await pool.server("alpha")).queue.waiting < 1) await Promise.resolve();
    expect(await cancel("q")).toEqual({ cancelled: true });
    expect(codeOf(await queued)).toBe("cancelled");
    expect(await cancel("w")).toEqual({ cancelled: true });
    expect(await write).toMatchObject({ error: { code: "cancelled", may_have_run: true } });

    const calls = (): number => (readFileSync(log, "utf8").match(/"tools\/call"/g) ?? []).length;
    const sent = calls();
    expect(await cancel("early")).toEqual({ cancelled: true });
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version, callId: "early" }))).toBe("cancelled");
    expect(calls()).toBe(sent);

    const lost = new AbortController();
    const abandoned = lead.call("mcp__alpha__work", {}, { version, signal: lost.signal });
    await running(1);
    lost.abort();
    await expect(abandoned).rejects.toThrow();
    await running(0);
    // The late replies were dropped, the connection lives, and each cancel reached the server.
    expect(echoed(await lead.call("mcp__alpha__echo", { n: 1 })).arguments).toEqual({ n: 1 });
    expect((readFileSync(log, "utf8").match(/notifications\/cancelled/g) ?? []).length).toBe(3);
    await pool.stop();
  },
);

proves("POOL-10", "a subagent and a teammate see nothing, can do nothing by name, and cannot hold servers", async () => {
  const pool = await TestPool.start({ servers: { alpha: scripted({ tools: [ECHO] }) } });
  const lead = await pool.lead(["alpha"]);
  for (const role of ["subagent", "teammate"] as const) {
    const other = await pool.lead(undefined, { role, parent: lead.id });
    const { tools, version } = await other.snapshot();
    expect(tools).toEqual([]);
    for (const name of ["connect_mcp", "disconnect_mcp", "mcp__alpha__echo"]) {
      expect(await other.call(name, { alias: "alpha" }, { version })).toEqual({
        error: { code: "unknown_tool", latest_version: version, message: `Unknown tool: ${name}`, reason: "not_in_snapshot" },
        status: "error",
        tool: name,
      });
    }
    await expect(pool.client.request("servers.connect", { alias: "alpha", sessionId: other.id })).rejects.toMatchObject({
      reason: "forbidden",
    });
    await expect(pool.client.request("session.open", { role, attach: ["alpha"] })).rejects.toMatchObject({ reason: "forbidden" });
    await expect(pool.client.request("session.open", { parent: other.id })).rejects.toMatchObject({ reason: "forbidden" });
  }
  await pool.stop();
});

proves("POOL-11", "children end with their parent, calls with their session, and an idle session by its limit", async () => {
  const pool = await TestPool.start({ servers: { alpha: scripted({ tools: [{ name: "hold", does: { hold: "x" } }, ECHO] }) } });
  const lead = await pool.lead(["alpha"]);
  const child = await pool.lead(undefined, { role: "subagent", parent: lead.id });
  const held = lead.call("mcp__alpha__hold");
  while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
  await lead.close();
  expect(codeOf(await held)).toBe("cancelled");
  for (const session of [lead, child]) await expect(session.snapshot()).rejects.toMatchObject({ reason: "unknown_session" });

  const keeper = await pool.lead(["alpha"]);
  const idle = await pool.lead(["alpha"], { idleMs: 60 });
  const before = await pool.version();
  const ended = await pool.until(before, (row) => row.cause === "session_end");
  expect(ended.removed).toEqual([]);
  await expect(idle.snapshot()).rejects.toMatchObject({ reason: "unknown_session" });
  // A call in flight keeps its session.
  const busy = await pool.lead(["alpha"], { idleMs: 60 });
  const long = busy.call("mcp__alpha__hold", {}, { callId: "h" });
  while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
  const short = await pool.lead(["alpha"], { idleMs: 60 });
  await pool.until(await pool.version().then((version) => version - 1), (row) => row.cause === "session_end");
  await expect(short.snapshot()).rejects.toMatchObject({ reason: "unknown_session" });
  expect(await pool.client.request("tools.cancel", { sessionId: busy.id, callId: "h" })).toEqual({ cancelled: true });
  expect(codeOf(await long)).toBe("cancelled");
  await keeper.close();
  await pool.stop();
});

proves(
  "POOL-11",
  "a thousand sessions opened and dropped, one too many refused, and the counts are back where they were",
  async () => {
    const pool = await TestPool.start({ servers: { alpha: scripted({ tools: [ECHO] }) }, config: { limits: { sessions: 200 } } });
    const keeper = await pool.lead(["alpha"]);
    const read = async (): Promise<[number, number, number]> => {
      const metrics = await pool.client.getText("/metrics");
      const value = (name: string): number => Number(new RegExp(`^${name} (.*)$`, "m").exec(metrics)?.[1]);
      return [value("toolpool_sessions"), value("process_open_fds"), (await pool.server("alpha")).attachedSessions.length];
    };
    const before = await read();
    // A client of its own, whose connections are gone when it is closed: what is open then is the daemon's.
    const many = pool.tcp();
    for (let round = 0; round < 6; round++) {
      const opened = await Promise.all(Array.from({ length: 199 }, () => many.request("session.open", { attach: ["alpha"] })));
      if (round === 0) {
        await expect(pool.lead()).rejects.toMatchObject({ reason: "too_many_sessions", retryable: true });
        expect(await pool.client.get<readonly SessionInfo[]>("/v1/sessions")).toHaveLength(200);
      }
      await Promise.all(opened.map(({ sessionId }) => many.request("session.close", { sessionId })));
    }
    await many.close();
    await expect.poll(read, { timeout: 30_000 }).toEqual(before);
    expect(codeOf(await keeper.call("mcp__alpha__echo"))).toBe("ok");
    await pool.stop();
  },
  60_000,
);

proves(
  "POOL-12",
  "after a clean stop and after kill -9: versions and ids go on above the old, tags do not mean anything new, history reads",
  async () => {
    const folder = tempFolder();
    const servers = { alpha: scripted({ tools: [ECHO] }) };
    let pool = await TestPool.start({ folder, servers });
    await pool.lead(["alpha"]);
    const seen = await pool.version();
    const old = await pool.client.get<RegistrySnapshot>(`/v1/registry/versions/${seen}`);
    const { poolId } = pool.discovery;
    await pool.stop();

    pool = await TestPool.start({ folder, servers });
    expect(pool.discovery.poolId).toBe(poolId);
    const restarted = await pool.version();
    expect(restarted).toBeGreaterThan(seen);
    const lead = await pool.lead(["alpha"]);
    expect((await pool.server("alpha")).connectionId).toBe("alpha#2");
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: seen }))).toBe("unknown_tool/version_expired");
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: 1_000_000 }))).toBe("unknown_tool/version_unknown");
    expect(await pool.client.get(`/v1/registry/versions/${seen}`)).toEqual(old);
    await expect(pool.client.get("/v1/registry/versions/1000000")).rejects.toMatchObject({ reason: "unknown_version" });
    const before = await pool.version();
    await pool.kill();

    pool = await TestPool.start({ folder, servers });
    expect(await pool.version()).toBeGreaterThan(before);
    // What the dead daemon still offered is listed as gone by the first version of this one.
    const [first] = (await pool.versions(before)).slice(-1);
    expect(first).toMatchObject({ cause: "start", removed: ["mcp__alpha__echo"] });
    await pool.stop();
  },
);

proves("POOL-15", "hidden, denied and unapproved tools are reached by no name, no route and no batch", async () => {
  const folder = tempFolder();
  const count = join(folder, "count");
  const does = [{ count }, { text: "ran" }];
  const pool = await TestPool.start({
    folder,
    servers: {
      alpha: scripted(
        { tools: [{ name: "Secret-Tool", does }, { name: "denied", does }, { name: "asked", does }, ECHO] },
        {
          tools: {
            "Secret-Tool": "hidden",
            denied: { effect: "write", approval: "deny" },
            asked: { effect: "write", approval: "ask" },
          },
        },
      ),
    },
  });
  const lead = await pool.lead(["alpha"]);
  const names = await lead.names();
  expect(names).toEqual(["connect_mcp", "disconnect_mcp", "mcp__alpha__asked", "mcp__alpha__denied", "mcp__alpha__echo"]);
  for (const name of [
    "mcp__alpha__secret_tool",
    "Secret-Tool",
    "mcp__alpha__Secret-Tool",
    "secret_tool",
    "alpha/Secret-Tool",
    "MCP__ALPHA__DENIED",
  ]) {
    expect(codeOf(await lead.call(name))).toBe("unknown_tool/not_in_snapshot");
  }
  const allow = { decision: "allow", by: "test" } as const;
  expect(codeOf(await lead.call("mcp__alpha__denied", {}, { approval: allow }))).toBe("permission_denied");
  expect(codeOf(await lead.call("mcp__alpha__asked"))).toBe("approval_required");
  expect(codeOf(await lead.call("mcp__alpha__echo", {}, { approval: { decision: "deny" } }))).toBe("permission_denied");
  const text = await pool.client.getText(`/v1/registry/versions/${await pool.version()}`);
  expect(text.toLowerCase()).not.toContain("secret");
  expect(codeOf(await lead.call("mcp__alpha__asked", {}, { approval: allow }))).toBe("ok");
  expect(readFileSync(count, "utf8")).toBe("1");
  await pool.stop();
});

proves(
  "POOL-16",
  "canaries in environment, arguments, results, errors and stderr are in no log, status, error or journal",
  async () => {
    const folder = tempFolder();
    const canary = (where: string): string => `canary-${where}-7f3a9c`;
    const places = ["env", "arg", "argument", "result", "error", "stderr", "stdout", "protocol", "expanded"];
    const pool = await TestPool.start({
      folder,
      env: { CANARY_SOURCE: canary("expanded") },
      servers: {
        alpha: scripted(
          {
            name: "s",
            stderr: canary("stderr"),
            stdout: `${canary("stdout")}\n`,
            tools: [
              ECHO,
              { name: "result", does: { text: canary("result") } },
              { name: "fails", does: { toolError: canary("error") } },
              { name: "protocol", does: { error: { code: -32000, message: canary("protocol") } } },
              { name: "dies", does: [{ stderr: canary("stderr") }, { exit: 1 }] },
            ],
          },
          { env: { SECRET: canary("env"), MORE: "${CANARY_SOURCE}" } },
        ),
        broken: { command: process.execPath, args: ["-e", `console.error("${canary("arg")}"); process.exit(1)`], tools: {} },
        missing: { command: `/nowhere/${canary("arg")}`, tools: {} },
      },
    });
    const lead = await pool.lead(["alpha", "broken", "missing"]);
    await lead.call("mcp__alpha__echo", { value: canary("argument") });
    await lead.call("mcp__alpha__result");
    const errors = [
      await lead.call("mcp__alpha__fails"),
      await lead.call("mcp__alpha__protocol"),
      await lead.call("mcp__alpha__dies"),
    ];
    const connects = [await lead.connect("broken"), await lead.connect("missing")];
    const shown = JSON.stringify([errors, connects]);
    const status = await pool.client.getText("/v1/servers");
    const rest = await Promise.all(
      ["/v1/calls", "/v1/sessions", "/v1/registry/versions", "/metrics"].map((path) => pool.client.getText(path)),
    );
    // For the person at the machine, on request, what the server wrote itself.
    expect(await pool.client.getText("/v1/servers/alpha?stderr=1")).toContain(canary("stderr"));
    await pool.stop();
    const files = readdirSync(pool.state).map((name) => readFileSync(join(pool.state, name), "latin1"));
    const everything = [shown, status, ...rest, ...files].join("\n");
    for (const place of places) {
      const text = canary(place);
      for (const form of [text, Buffer.from(text).toString("base64"), encodeURIComponent(text)])
        expect(everything, place).not.toContain(form);
    }
  },
);

proves("POOL-17", "a reload touches what changed, one version a server, and a bad file keeps the old configuration", async () => {
  const same = scripted({ tools: [ECHO] });
  const pool = await TestPool.start({
    servers: { same, changed: scripted({ tools: [ECHO] }), removed: scripted({ tools: [ECHO] }) },
  });
  const lead = await pool.lead(["same", "changed", "removed"]);
  const pid = echoed(await lead.call("mcp__same__echo")).pid;
  const before = await pool.version();
  pool.configure({ same, changed: scripted({ tools: [ECHO, { name: "more" }] }), added: scripted({ tools: [ECHO] }) });
  const { changed, errors } = await pool.client.request("config.reload", {});
  expect([[...changed].sort(), errors]).toEqual([["added", "changed", "removed"], []]);
  const rows = [...(await pool.versions(before))].reverse().map(({ added, removed }) => ({ added, removed }));
  expect(rows.filter(({ added, removed }) => added.length + removed.length > 0)).toHaveLength(3);
  expect(rows).toContainEqual({ added: [], removed: ["mcp__removed__echo"] });
  expect(rows).toContainEqual({ added: [], removed: ["mcp__changed__echo"] });
  expect(rows).toContainEqual({ added: ["mcp__changed__echo", "mcp__changed__more"], removed: [] });
  expect(echoed(await lead.call("mcp__same__echo")).pid).toBe(pid);
  expect(await lead.names()).toContain("mcp__changed__more");
  const { tools } = await lead.snapshot();
  expect(JSON.stringify(tools[0]?.inputSchema)).toContain('["added","changed","same"]');
  await expect(pool.server("removed")).rejects.toMatchObject({ reason: "unknown_alias" });

  const settled = await pool.version();
  writeFileSync(pool.configFile, '{"mcpServers": {"same": ');
  const refused = await pool.client.request("config.reload", {});
  expect(refused.changed).toEqual([]);
  expect(refused.errors.length).toBeGreaterThan(0);
  expect(await pool.version()).toBe(settled);
  expect(echoed(await lead.call("mcp__same__echo")).pid).toBe(pid);
  await pool.stop();
});

proves("POOL-19", "bad arguments reach no server and are answered with pointers; good ones arrive unchanged", async () => {
  const folder = tempFolder();
  const log = join(folder, "events");
  const inputSchema = {
    type: "object",
    properties: { n: { type: "integer", default: 7 }, deep: { type: "object", properties: { s: { type: "string" } } } },
    required: ["n"],
    additionalProperties: false,
  };
  const pool = await TestPool.start({ folder, servers: { alpha: scripted({ log, tools: [{ ...ECHO, inputSchema }] }) } });
  const lead = await pool.lead(["alpha"]);
  const issues = async (args: Record<string, unknown>): Promise<readonly string[]> => {
    const outcome = (await lead.call("mcp__alpha__echo", args)) as ErrorOutcome;
    expect(outcome.error.code).toBe("invalid_arguments");
    return (outcome.error.issues ?? []).map((issue) => issue.pointer);
  };
  expect(await issues({})).toEqual(["/n"]);
  expect(await issues({ n: "5" })).toEqual(["/n"]);
  expect(await issues({ n: 1, extra: true })).toEqual(["/extra"]);
  expect(await issues({ n: 1, deep: { s: 2 } })).toEqual(["/deep/s"]);
  const text = `{"n":12345678901234567890}`;
  const call = { sessionId: lead.id, version: await pool.version(), name: "mcp__alpha__echo", argumentsText: text };
  expect((await pool.client.callTool(call)).outcome).toMatchObject({
    error: { code: "invalid_arguments", issues: [{ pointer: "/n" }] },
  });
  expect(readFileSync(log, "utf8")).not.toContain("tools/call");
  expect(echoed(await lead.call("mcp__alpha__echo", { n: 1, deep: {} })).arguments).toEqual({ n: 1, deep: {} });
  await pool.stop();
});

proves("POOL-20", "62 KB pass, what is over the limit says so, and the connection lives on", async () => {
  const pool = await TestPool.start({
    servers: {
      alpha: scripted(
        { tools: [{ name: "bytes", does: "arguments" }, ECHO] },
        { maxResultBytes: 100_000, maxMessageBytes: 1_000_000 },
      ),
    },
  });
  const lead = await pool.lead(["alpha"]);
  const bytes = (n: number): Promise<unknown> => lead.call("mcp__alpha__bytes", { steps: [{ bytes: n }] });
  expect(((await bytes(62_000)) as OkOutcome).content).toHaveLength(1);
  const large = (await bytes(200_000)) as ErrorOutcome;
  expect(large.error).toMatchObject({ code: "result_too_large", limit_bytes: 100_000 });
  expect(large.error.size_bytes).toBeGreaterThan(200_000);
  const endless = (await bytes(5_000_000)) as ErrorOutcome;
  expect(endless.error).toMatchObject({ code: "result_too_large", limit_bytes: 1_000_000 });
  expect(codeOf(await lead.call("mcp__alpha__echo"))).toBe("ok");
  expect((await pool.server("alpha")).connectionId).toBe("alpha#1");
  await pool.stop();
});

proves("POOL-21", "each call has a record with what was decided, never its text; filters and pages work", async () => {
  const pool = await TestPool.start({
    servers: { alpha: scripted({ tools: [{ name: "fails", does: { toolError: "x" } }, ECHO] }, { tools: { fails: "write" } }) },
  });
  const lead = await pool.lead(["alpha"]);
  const version = await pool.version();
  await lead.call("mcp__alpha__echo", { secret: "value" }, { version, callId: "c1" });
  await lead.call("mcp__alpha__fails", {}, { version, approval: { decision: "allow", by: "me" } });
  await lead.call("mcp__alpha__nothing", {}, { version });
  const records = await pool.client.get<readonly CallRecord[]>(`/v1/calls?session=${lead.id}`);
  expect(
    records.map(({ tool, status, code, reason, effect, decision }) => ({ tool, status, code, reason, effect, decision })),
  ).toEqual([
    {
      tool: "mcp__alpha__nothing",
      status: "error",
      code: "unknown_tool",
      reason: "not_in_snapshot",
      effect: null,
      decision: null,
    },
    {
      tool: "mcp__alpha__fails",
      status: "error",
      code: "mcp_remote_error",
      reason: null,
      effect: "write",
      decision: "approved:me",
    },
    { tool: "mcp__alpha__echo", status: "ok", code: "ok", reason: null, effect: "read", decision: "allow" },
  ]);
  const echo = records[2];
  expect(echo).toMatchObject({
    callId: "c1",
    version,
    alias: "alpha",
    connectionId: "alpha#1",
    sessionId: lead.id,
    argumentsBytes: 18,
  });
  expect(echo?.argumentsDigest).toMatch(/^[0-9a-f]{64}$/);
  expect(Number.isInteger(echo?.durationMs)).toBe(true);
  const page = async (query: string): Promise<readonly number[]> =>
    (await pool.client.get<readonly CallRecord[]>(`/v1/calls?${query}`)).map(({ id }) => id);
  const [newest = 0, second = 0, third = 0] = records.map(({ id }) => id);
  expect(await page(`before=${newest}&limit=1`)).toEqual([second]);
  expect(await page("status=ok")).toEqual([third]);
  expect(await page("tool=mcp__alpha__fails")).toEqual([second]);
  await expect(page("limit=5000")).rejects.toMatchObject({ reason: "invalid_params" });
  await pool.stop();
});

proves("POOL-21", "a write that kills the daemon while it runs has left its record", async () => {
  const folder = tempFolder();
  const started = join(folder, "started");
  const servers = {
    alpha: scripted({ tools: [{ name: "write", does: [{ touch: started }, { never: true }] }] }, { tools: { write: "write" } }),
  };
  const pool = await TestPool.start({ folder, servers });
  const lead = await pool.lead(["alpha"]);
  const call = lead.call("mcp__alpha__write", {}).catch(() => undefined);
  while (!existsSync(started)) await new Promise((resolve) => setImmediate(resolve));
  await pool.kill();
  await call;
  const next = await TestPool.start({ folder, servers });
  const [record] = await next.client.get<readonly CallRecord[]>("/v1/calls");
  expect(record).toMatchObject({ tool: "mcp__alpha__write", status: "started", effect: "write", code: null, mayHaveRun: true });
  await next.stop();
});

proves(
  "POOL-22",
  "the same servers in any order, after restarts and reconnects, give the same tools in the same bytes",
  async () => {
    const names = ["alpha", "beta", "gamma"];
    const servers = Object.fromEntries(names.map((alias) => [alias, scripted({ tools: [{ name: "b" }, { name: "a" }] })]));
    const view = async (order: readonly string[], reconnect?: string): Promise<{ tools: string; digest: string }> => {
      const pool = await TestPool.start({ servers });
      const lead = await pool.lead();
      for (const alias of order) await lead.connect(alias);
      if (reconnect !== undefined) await pool.client.request("servers.restart", { alias: reconnect });
      const { tools, digest } = await lead.snapshot();
      await pool.stop();
      return { tools: JSON.stringify(tools).replaceAll(/#\d+/g, "#n"), digest };
    };
    const [first, second, third] = [await view(names), await view([...names].reverse()), await view(names, "beta")];
    expect(second).toEqual(first);
    // A reconnect is another connection, which the bytes name; nothing else of them moves.
    expect(third.tools).toBe(first.tools);
  },
);
