// What servers publish and how it changes: names, storms, restarts, order, odd schemas, claims. The whole daemon.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Outcome, RegistrySnapshot } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { codeOf, echoed, scripted, TestPool, type ScriptedTool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };
const pidOf = (outcome: Outcome): number => echoed(outcome).pid;

proves("SHAPE-11", "two servers of one package, and aliases that look like one: each name reaches its own process", async () => {
  const same = scripted({ tools: [ECHO, { name: "b__c" }, { name: "_b" }] });
  const pool = await TestPool.start({ servers: { a: same, a_: same, copy: same } });
  const lead = await pool.lead(["a", "a_", "copy"]);
  const pids = new Map<string, number | undefined>();
  for (const alias of ["a", "a_", "copy"]) pids.set(alias, (await pool.server(alias)).pid);
  expect(new Set(pids.values()).size).toBe(3);
  const { tools } = await lead.snapshot();
  for (const { name, source } of tools) {
    if (source.kind !== "mcp") continue;
    const outcome = await lead.call(name);
    expect([name, pidOf(outcome), echoed(outcome).tool]).toEqual([name, pids.get(source.alias), source.tool]);
  }
  // `_b` of `a` and of `a_` stay two names: edges of a tool's name are cut, an alias is never touched.
  expect(tools.map(({ name }) => name).filter((name) => name.endsWith("_b"))).toEqual([
    "mcp__a___b",
    "mcp__a__b",
    "mcp__copy__b",
  ]);
  await pool.stop();
});

proves(
  "SHAPE-11",
  "one name read in two ways: the second server is refused and told whose it is, the first keeps its own",
  async () => {
    const short = scripted({ tools: [{ name: "b__c" }] }, { tools: { b__c: "read" } });
    const long = scripted({ tools: [{ name: "c" }] }, { tools: { c: { effect: "write", approval: "deny" } } });
    for (const [first, second] of [
      ["a", "a__b"],
      ["a__b", "a"],
    ] as const) {
      const pool = await TestPool.start({ servers: { a: short, a__b: long } });
      const lead = await pool.lead([first]);
      const before = await pool.version();
      const refused = await lead.connect(second);
      expect(refused).toMatchObject({
        error: { reason: "name_collision", details: [{ message: `The local name is taken by server "${first}"` }] },
        server_alias: second,
      });
      expect(await pool.version()).toBe(before);
      const tool = (await lead.snapshot()).tools.find(({ name }) => name === "mcp__a__b__c");
      expect(tool).toMatchObject({ effect: first === "a" ? "read" : "write", source: { kind: "mcp", alias: first } });
      // The rule of the one is never applied to the other.
      expect(codeOf(await lead.call("mcp__a__b__c"))).toBe(first === "a" ? "ok" : "permission_denied");
      await pool.stop();
    }
  },
);

proves("SHAPE-11", "one list that gives a name twice, or two that become one, exposes none of its tools", async () => {
  const pool = await TestPool.start({
    servers: {
      twice: scripted({ tools: [ECHO, { ...ECHO, description: "another", inputSchema: { type: "object", required: ["x"] } }] }),
      alike: scripted({ tools: [{ name: "a.b" }, { name: "a_b" }, { name: "A_B" }, ECHO] }),
    },
  });
  const lead = await pool.lead();
  for (const alias of ["twice", "alike"]) expect(codeOf(await lead.connect(alias))).toBe("connect_failed/name_collision");
  const { details } = (await pool.server("alike")).lastFailure ?? {};
  for (const original of ["a.b", "a_b", "A_B"]) expect(JSON.stringify(details)).toContain(`"${original}"`);
  expect(JSON.stringify(details)).not.toContain("echo");
  expect(await lead.names()).toEqual(["connect_mcp", "disconnect_mcp"]);
  await pool.stop();
});

proves("SHAPE-12", "it notifies whenever it is listed: no version, ever fewer listings, calls go on", async () => {
  const folder = tempFolder();
  const log = join(folder, "events");
  const pool = await TestPool.start({
    folder,
    servers: { alpha: scripted({ tools: [ECHO], log, announceOnList: true, announceAtStart: true }) },
  });
  const lead = await pool.lead(["alpha"]);
  const before = await pool.version();
  const lists = (): number => (readFileSync(log, "utf8").match(/"tools\/list"/g) ?? []).length;
  const at: number[] = [];
  // Each call proves that the loop does not hold the server; the pauses between listings grow.
  for (let calls = 0; at.length < 6; calls++) {
    expect(echoed(await lead.call("mcp__alpha__echo", { calls })).arguments).toEqual({ calls });
    while (lists() > at.length) at.push(performance.now());
  }
  const pauses = at.slice(1).map((time, n) => time - (at[n] ?? 0));
  expect(pauses.at(-1)).toBeGreaterThan(2 * (pauses[1] ?? 0));
  expect(await pool.version()).toBe(before);
  await pool.stop();
});

const described = (description: string, more: Partial<ScriptedTool> = {}): ScriptedTool => ({ ...ECHO, description, ...more });

proves(
  "SHAPE-13",
  "changed across a restart of the server: listed anew, one version each way, no old tag runs by it",
  async () => {
    const folder = tempFolder();
    const listFile = join(folder, "list");
    writeFileSync(listFile, JSON.stringify([described("first")]));
    const pool = await TestPool.start({
      folder,
      servers: { alpha: { ...scripted({ listFile, tools: [ECHO] }), reconnect: "backoff" } },
    });
    const lead = await pool.lead(["alpha"]);
    const description = async (): Promise<string | undefined> =>
      (await lead.snapshot()).tools.find(({ name }) => name === "mcp__alpha__echo")?.description;
    const first = (await lead.snapshot()).version;
    writeFileSync(listFile, JSON.stringify([described("second")]));
    // No notice, no word: it dies and comes back with other tools.
    process.kill((await pool.server("alpha")).pid ?? 0, "SIGKILL");
    const back = await pool.until(first, (row) => row.added.includes("mcp__alpha__echo"));
    expect(back.version).toBe(first + 2);
    expect(await description()).toBe("second");
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: first }))).toBe("unknown_tool/withdrawn");
    expect(codeOf(await lead.call("mcp__alpha__echo"))).toBe("ok");
    // The next time it comes back with a tool nobody has reviewed: nothing of it is exposed.
    writeFileSync(listFile, JSON.stringify([described("third"), { name: "unreviewed" }]));
    await expect(pool.client.request("servers.restart", { alias: "alpha" })).rejects.toMatchObject({
      data: { failure: "policy_mismatch", details: { unreviewed: ["unreviewed"] } },
    });
    expect(await description()).toBeUndefined();
    await pool.stop();
  },
);

proves(
  "SHAPE-13",
  "changed across a restart of the daemon: the old version reads as it was, and its tag runs nothing",
  async () => {
    const folder = tempFolder();
    const listFile = join(folder, "list");
    writeFileSync(listFile, JSON.stringify([described("first")]));
    const servers = { alpha: scripted({ listFile, tools: [ECHO] }) };
    let pool = await TestPool.start({ folder, servers });
    await pool.lead(["alpha"]);
    const old = await pool.version();
    await pool.stop();
    writeFileSync(listFile, JSON.stringify([described("second", { inputSchema: { type: "object", required: ["must"] } })]));
    pool = await TestPool.start({ folder, servers });
    const lead = await pool.lead(["alpha"]);
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version: old }))).toBe("unknown_tool/version_expired");
    expect(codeOf(await lead.call("mcp__alpha__echo"))).toBe("invalid_arguments");
    const was = await pool.client.get<RegistrySnapshot>(`/v1/registry/versions/${old}`);
    expect(was.tools.map(({ description }) => description)).toEqual(["first"]);
    const { changed } = await pool.client.request("registry.diff", { from: old, to: await pool.version() });
    expect(changed.map(({ before, after }) => [before.description, after.description])).toEqual([["first", "second"]]);
    await pool.stop();
  },
);

proves(
  "SHAPE-13",
  "changed between snapshot and call, also while the call waits in the queue: refused, with the version that holds",
  async () => {
    const control = { name: "control", does: "arguments" };
    const pool = await TestPool.start({
      servers: {
        alpha: scripted(
          { capabilities: {}, tools: [described("first"), control] as never },
          { tools: { echo: "write", control: "read" } },
        ),
      },
    });
    const lead = await pool.lead(["alpha"]);
    const { version } = await lead.snapshot();
    const steps = [{ setTools: [described("second"), control] }, { announce: 1 }, { waitFile: join(pool.folder, "go") }];
    const changing = lead.call("mcp__alpha__control", { steps }, { version });
    while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
    // The re-listing stands in the line already; this call stands behind it and was bound before it.
    while ((await pool.server("alpha")).queue.waiting < 1) await Promise.resolve();
    const queued = lead.call("mcp__alpha__echo", {}, { version });
    while ((await pool.server("alpha")).queue.waiting < 2) await Promise.resolve();
    writeFileSync(join(pool.folder, "go"), "");
    expect(codeOf(await changing)).toBe("ok");
    expect(await queued).toEqual({
      error: {
        code: "unknown_tool",
        latest_version: version + 1,
        message: "Unknown tool: mcp__alpha__echo",
        reason: "replaced",
      },
      status: "error",
      tool: "mcp__alpha__echo",
    });
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version }))).toBe("unknown_tool/replaced");
    expect(codeOf(await lead.call("mcp__alpha__echo"))).toBe("ok");
    await pool.stop();
  },
);

proves(
  "SHAPE-14",
  "ten starts, four servers that come up in a random order each time: one and the same text",
  async () => {
    const aliases = ["delta", "alpha", "charlie", "bravo"];
    const seen = new Set<string>();
    const orders = new Set<string>();
    for (let start = 0; start < 10; start++) {
      const folder = tempFolder();
      const gate = (alias: string): string => join(folder, `go-${alias}`);
      const tools = [
        { name: "Zeta", inputSchema: { type: "object", properties: { b: { type: "string" }, a: { type: "number" } } } },
        { name: "eta" },
        { name: "a-b" },
      ];
      const servers = Object.fromEntries(
        aliases.map((alias) => [alias, scripted({ tools, initialize: { waitFile: gate(alias) } })]),
      );
      const pool = await TestPool.start({ folder, servers });
      const order = aliases
        .map((alias) => ({ alias, at: Math.random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ alias }) => alias);
      const lead = await pool.lead();
      for (const alias of order) {
        const connecting = lead.connect(alias);
        writeFileSync(gate(alias), "");
        expect(codeOf(await connecting)).toBe("ok");
      }
      orders.add(order.join());
      const text = await pool.client.getText(`/v1/sessions/${lead.id}/snapshot`);
      seen.add(text);
      await pool.stop();
    }
    expect(orders.size).toBeGreaterThan(1);
    expect(seen.size).toBe(1);
  },
  120_000,
);

proves(
  "SHAPE-15",
  "twenty good tools and one of each bad kind: the report names each bad one, no good one, and nothing is shown",
  async () => {
    const good = Array.from({ length: 20 }, (_, n) => ({ name: `good_${n}` }));
    const bad = [
      { name: "untyped", inputSchema: {} },
      { name: "array", inputSchema: { type: "array" } },
      { name: "yes", inputSchema: true },
      { name: "nothing", inputSchema: null },
      { name: "text", inputSchema: "object" },
      { name: "output_array", outputSchema: { type: "array" } },
    ];
    const pool = await TestPool.start({
      servers: { alpha: scripted({ tools: [...good, ...bad] }) },
    });
    const lead = await pool.lead();
    const outcome = await lead.connect("alpha");
    expect(codeOf(outcome)).toBe("connect_failed/schema_rejected");
    const { details } = (await pool.server("alpha")).lastFailure ?? {};
    const named = (details as readonly { tool: string; pointer: string; message: string }[]).map(({ tool }) => tool);
    expect([...new Set(named)].sort()).toEqual(["array", "nothing", "text", "untyped", "yes"]);
    expect(await lead.names()).toEqual(["connect_mcp", "disconnect_mcp"]);
    await pool.stop();
  },
);

proves("SHAPE-16", "hints that lie, contradict each other and change: effect, approval, order and version stay", async () => {
  const folder = tempFolder();
  const listFile = join(folder, "list");
  const go = join(folder, "go");
  const harmless = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
  const terrible = { readOnlyHint: false, destructiveHint: true };
  const list = (first: object, second: object): readonly object[] => [
    { name: "moves_money", annotations: first, does: { waitFile: go } },
    { name: "pays", annotations: first },
    { name: "reads", annotations: second, does: { waitFile: go } },
    { name: "control", does: "arguments" },
  ];
  writeFileSync(listFile, JSON.stringify(list(harmless, terrible)));
  const pool = await TestPool.start({
    folder,
    servers: {
      alpha: scripted(
        { listFile },
        {
          tools: { moves_money: "write", pays: { effect: "external", approval: "ask" }, reads: "read", control: "read" },
        },
      ),
    },
  });
  const lead = await pool.lead(["alpha"]);
  const { version, tools, digest } = await lead.snapshot();
  const effects = Object.fromEntries(tools.map(({ name, effect }) => [name, effect]));
  expect(effects).toMatchObject({ mcp__alpha__moves_money: "write", mcp__alpha__pays: "external", mcp__alpha__reads: "read" });
  expect(JSON.stringify(tools)).not.toMatch(/Hint|annotations/);
  expect(codeOf(await lead.call("mcp__alpha__pays"))).toBe("approval_required");
  // Readers overlap though hinted destructive; the writer runs alone though hinted read-only, and is not overtaken.
  const calls: Promise<Outcome>[] = [];
  for (const [tool, running, waiting] of [
    ["reads", 1, 0],
    ["reads", 2, 0],
    ["moves_money", 2, 1],
    ["reads", 2, 2],
  ] as const) {
    calls.push(lead.call(`mcp__alpha__${tool}`, {}, { version }));
    const reached = async (): Promise<boolean> => {
      const { queue } = await pool.server("alpha");
      return queue.running === running && queue.waiting === waiting;
    };
    while (!(await reached())) await Promise.resolve();
  }
  writeFileSync(go, "");
  expect((await Promise.all(calls)).map(codeOf)).toEqual(["ok", "ok", "ok", "ok"]);

  writeFileSync(listFile, JSON.stringify(list(terrible, { readOnlyHint: true, destructiveHint: true, idempotentHint: "maybe" })));
  await lead.call("mcp__alpha__control", { steps: [{ announce: 1 }, { text: "done" }] });
  // A second change, of a description, comes after the first was looked at: it is the very next version.
  const renamed = [...list(harmless, terrible).slice(0, 3), { name: "control", does: "arguments", description: "changed" }];
  writeFileSync(listFile, JSON.stringify(renamed));
  await lead.call("mcp__alpha__control", { steps: [{ announce: 1 }, { text: "done" }] });
  const next = await pool.until(version, () => true);
  expect(next).toMatchObject({ version: version + 1, changed: ["mcp__alpha__control"] });
  expect((await lead.snapshot(version)).digest).toBe(digest);
  await pool.stop();
});
