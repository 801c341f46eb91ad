// Calls in flight: many at once, slow servers, ids that look alike, progress, cancels that meet answers, lost servers.
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import type { CallRecord, OkOutcome, Outcome } from "../../daemon/contract/index.ts";
import { RawClient, rpcBytes } from "../http/daemon.ts";
import { proves } from "../support/promise.ts";
import { codeOf, echoed, fixture, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };
const NAME = "mcp__alpha__echo";

function methods(log: string): readonly string[] {
  return (
    readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      // What is being written at this moment is read next time.
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line) as { message?: { method?: string } })
      .flatMap(({ message }) => (message?.method === undefined ? [] : [message.method]))
  );
}

proves("SHAPE-6", "a hundred calls while it starts reach nobody; a hundred right after get their own answers", async () => {
  const folder = tempFolder();
  const log = join(folder, "events");
  const pool = await TestPool.start({
    folder,
    servers: { alpha: scripted({ tools: [ECHO], log }, { concurrency: 100 }) },
  });
  const lead = await pool.lead();
  const { version } = await lead.snapshot();
  const connecting = lead.connect("alpha");
  const early = await Promise.all(Array.from({ length: 100 }, (_, n) => lead.call(NAME, { n }, { version })));
  expect(new Set(early.map(codeOf))).toEqual(new Set(["unknown_tool/not_in_snapshot"]));
  expect(codeOf(await connecting)).toBe("ok");
  const now = await pool.version();
  const all = await Promise.all(Array.from({ length: 100 }, (_, n) => lead.call(NAME, { n }, { version: now })));
  expect(all.map((outcome) => echoed(outcome).arguments.n)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(methods(log).slice(0, 3)).toEqual(["initialize", "notifications/initialized", "tools/list"]);
  expect(methods(log).filter((method) => method === "tools/call")).toHaveLength(100);
  await pool.stop();
});

proves("SHAPE-6", "one at a time: forty calls wait longer than a call may take, and none times out", async () => {
  const slow = scripted({ tools: [{ name: "slow", does: [{ sleepMs: 50 }] }] }, { concurrency: 1, toolTimeoutMs: 1_500 });
  const serial = { command: process.execPath, args: [fixture("serial")], tools: { work: "read" }, concurrency: 1 };
  const pool = await TestPool.start({ servers: { slow, serial } });
  const lead = await pool.lead(["slow", "serial"]);
  const version = await pool.version();
  const forty = (name: string): Promise<readonly Outcome[]> =>
    Promise.all(Array.from({ length: 40 }, (_, n) => lead.call(name, { n }, { version })));
  const [slowly, oneByOne] = await Promise.all([forty("mcp__slow__slow"), forty("mcp__serial__work")]);
  expect(slowly.map((outcome) => echoed(outcome).arguments.n)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  // The server never had more than the one it works on.
  const depths = oneByOne.map((outcome) => ((outcome as OkOutcome).structured_content as { depth: number }).depth);
  expect(new Set(depths)).toEqual(new Set([1]));
  const records = await pool.client.get<readonly CallRecord[]>("/v1/calls?tool=mcp__slow__slow&limit=100");
  expect(Math.max(...records.map(({ queuedMs }) => queuedMs ?? 0))).toBeGreaterThan(1_500);
  expect(Math.max(...records.map(({ durationMs }) => durationMs ?? 0))).toBeLessThan(1_500);
  await pool.stop();
});

proves("SHAPE-7", '1, "1", 1 again, null and a text: pipelined on one connection, on two, and in one batch', async () => {
  const pool = await TestPool.start({
    servers: { alpha: scripted({ tools: [{ name: "echo", does: [{ sleepMs: "$ms" }] }] }, { concurrency: 100 }) },
  });
  const lead = await pool.lead(["alpha"]);
  const version = await pool.version();
  const ids = [1, "1", 1, null, "01", -1, 1, "1"];
  // The first sleeps longest, so that an answer given to the wrong request would be seen.
  const entries = (who: string): readonly object[] =>
    ids.map((id, n) => ({
      jsonrpc: "2.0",
      id,
      method: "tools.call",
      params: { sessionId: lead.id, version, name: NAME, arguments: { ms: (ids.length - n) * 15, of: `${who}-${n}` } },
    }));
  const read = (answer: unknown): [unknown, unknown] => {
    const { id, result } = answer as { id: unknown; result: Outcome };
    return [id, echoed(result).arguments.of];
  };
  const expected = (who: string): readonly unknown[] => ids.map((id, n) => [id, `${who}-${n}`]);

  const clients = await Promise.all([0, 1].map(() => RawClient.open(connect(pool.discovery.socketPath))));
  for (const [who, client] of clients.entries()) client.send(entries(`pipe${who}`).map(rpcBytes).join(""));
  for (const [who, client] of clients.entries()) {
    await client.receives(`pipe${who}-${ids.length - 1}`);
    const bodies = client.received.split(/(?=HTTP\/1\.1 200)/).map((text) => text.slice(text.indexOf("\r\n\r\n") + 4));
    expect(bodies.map((body) => read(JSON.parse(body)))).toEqual(expected(`pipe${who}`));
    client.destroy();
  }
  const batch = await RawClient.open(connect(pool.discovery.socketPath));
  batch.send(rpcBytes(entries("batch")));
  await batch.receives(`batch-${ids.length - 1}`);
  const answers = JSON.parse(batch.received.slice(batch.received.indexOf("\r\n\r\n") + 4)) as readonly unknown[];
  expect(answers.map(read)).toEqual(expected("batch"));
  batch.destroy();
  await pool.stop();
});

proves(
  "SHAPE-8",
  "progress that does not even grow holds silence off; that of another token does not, and is counted",
  async () => {
    const times = (...steps: readonly object[]): readonly object[] =>
      Array.from({ length: 12 }, () => [...steps, { sleepMs: 100 }]).flat();
    const pool = await TestPool.start({
      servers: {
        alpha: scripted(
          {
            tools: [
              { name: "own", does: times({ progress: { progress: 0 } }) },
              {
                name: "other",
                does: times(
                  { progress: { token: "somebody else's", progress: 1 } },
                  // One that looks like ours, of a call there never was.
                  { progress: { token: 4711, progress: 1 } },
                ),
              },
            ],
          },
          { toolTimeoutMs: 800 },
        ),
      },
    });
    const lead = await pool.lead(["alpha"]);
    expect(codeOf(await lead.call("mcp__alpha__own"))).toBe("ok");
    expect((await pool.server("alpha")).stdoutNoise).toBe(0);
    expect(codeOf(await lead.call("mcp__alpha__other"))).toBe("mcp_timeout");
    expect((await pool.server("alpha")).stdoutNoise).toBeGreaterThan(0);
    await pool.stop();
  },
);

proves(
  "SHAPE-9",
  "two hundred cancels that meet their answers: each call is answered once, with its own or as cancelled",
  async () => {
    const pool = await TestPool.start({ servers: { alpha: scripted({ tools: [ECHO] }, { concurrency: 4 }) } });
    const lead = await pool.lead(["alpha"]);
    const version = await pool.version();
    const seen = new Map<string, number>();
    for (let round = 0; round < 200; round++) {
      const callId = `c${round}`;
      const call = lead.call(NAME, { round }, { version, callId });
      // From "sent in the same breath" to "when the answer is there": a turn of the event loop more in each round.
      for (let turn = 0; turn < round % 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      const [outcome, { cancelled }] = await Promise.all([
        call,
        pool.client.request("tools.cancel", { sessionId: lead.id, callId }),
      ]);
      const code = codeOf(outcome);
      if (code === "ok") expect(echoed(outcome).arguments).toEqual({ round });
      else expect(code).toBe("cancelled");
      // What was not cancelled any more was answered.
      if (!cancelled) expect(code).toBe("ok");
      seen.set(code, (seen.get(code) ?? 0) + 1);
    }
    expect([...seen.keys()].sort()).toEqual(["cancelled", "ok"]);
    expect((await pool.server("alpha")).queue).toEqual({ running: 0, waiting: 0 });
    expect(echoed(await lead.call(NAME, { last: true })).arguments).toEqual({ last: true });
    expect((await pool.server("alpha")).connectionId).toBe("alpha#1");
    const records = await pool.client.get<readonly CallRecord[]>("/v1/calls?limit=1000");
    expect(records.filter(({ status }) => status === "started")).toEqual([]);
    expect(records).toHaveLength(201);
    await pool.stop();
  },
);

proves("SHAPE-9", "a server that ignores every cancel: the callers are answered and their places free", async () => {
  const pool = await TestPool.start({
    servers: {
      alpha: scripted(
        { tools: [{ name: "stuck", does: { never: true } }, { name: "writes", does: { never: true } }, ECHO] },
        { concurrency: 4, tools: { writes: "write" } },
      ),
    },
  });
  const lead = await pool.lead(["alpha"]);
  const version = await pool.version();
  const cancel = (callId: string): Promise<unknown> => pool.client.request("tools.cancel", { sessionId: lead.id, callId });
  const stuck = Array.from({ length: 4 }, (_, n) => lead.call("mcp__alpha__stuck", {}, { version, callId: `s${n}` }));
  const waits = lead.call(NAME, { n: 1 }, { version });
  while ((await pool.server("alpha")).queue.waiting < 1) await Promise.resolve();
  await Promise.all([0, 1, 2, 3].map((n) => cancel(`s${n}`)));
  expect((await Promise.all(stuck)).map(codeOf)).toEqual(["cancelled", "cancelled", "cancelled", "cancelled"]);
  expect(echoed(await waits).arguments).toEqual({ n: 1 });
  const writes = lead.call("mcp__alpha__writes", {}, { version, callId: "w" });
  while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
  await cancel("w");
  expect(await writes).toMatchObject({ error: { code: "cancelled", may_have_run: true } });
  expect(echoed(await lead.call(NAME, { n: 2 })).arguments).toEqual({ n: 2 });
  expect((await pool.server("alpha")).connectionId).toBe("alpha#1");
  await pool.stop();
});

for (const reconnect of ["manual", "backoff"] as const) {
  proves(
    "SHAPE-10",
    `unread in the pipe, or still in the queue, when the server dies (${reconnect}): said as it is, never sent again`,
    async () => {
      const folder = tempFolder();
      const log = join(folder, "events");
      const writes = scripted(
        { log, tools: [{ name: "write", does: [{ hold: "x" }] }, ECHO] },
        { tools: { write: "write", echo: "write" }, reconnect },
      );
      const deaf = {
        command: process.execPath,
        args: [fixture("stops-reading")],
        tools: { lookup: { effect: "write", concurrent: true } },
        reconnect,
        graceMs: 100,
      };
      const pool = await TestPool.start({ folder, servers: { alpha: writes, deaf } });
      const lead = await pool.lead(["alpha", "deaf"]);
      const version = await pool.version();
      const end = async (alias: string): Promise<void> => {
        process.kill((await pool.server(alias)).pid ?? 0, "SIGKILL");
        await pool.until(await pool.version().then((now) => now - 1), ({ removed }) =>
          removed.some((name) => name.includes(alias)),
        );
      };
      const running = lead.call("mcp__alpha__write", {}, { version });
      while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
      const queued = lead.call(NAME, {}, { version });
      while ((await pool.server("alpha")).queue.waiting < 1) await Promise.resolve();
      while (!methods(log).includes("tools/call")) await new Promise((resolve) => setImmediate(resolve));
      await end("alpha");
      expect(await running).toMatchObject({ error: { code: "mcp_connection_lost", may_have_run: true } });
      expect(await queued).toEqual({
        error: { code: "mcp_connection_lost", message: "MCP server connection was lost" },
        server_alias: "alpha",
        status: "error",
        tool: "echo",
      });
      // Its bytes were handed to the pipe; that nobody read them is not known, so it may have run.
      const unread = lead.call("mcp__deaf__lookup", {}, { version });
      while ((await pool.server("deaf")).queue.running < 1) await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      await end("deaf");
      expect(await unread).toMatchObject({ error: { code: "mcp_connection_lost", may_have_run: true } });

      for (const alias of ["alpha", "deaf"]) await lead.connect(alias);
      expect(codeOf(await lead.call(NAME, { again: true }))).toBe("ok");
      const sent = methods(log).filter((method) => method === "tools/call");
      expect(sent).toHaveLength(2);
      await pool.stop();
    },
  );
}
