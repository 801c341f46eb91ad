// What a person at the machine sees and does beside the agents: observing changes nothing, a second signal means now, what is read
// back is what was stored, and a server that floods takes nobody's turn.
import { once } from "node:events";
import { expect } from "vitest";
import type { CallRecord } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { codeOf, fixture, scripted, TestPool } from "../support/pool.ts";

const ECHO = { name: "echo" };

proves("POOL-16", "where a command was looked for is told to the person, not to the model", async () => {
  const pool = await TestPool.start({ servers: { missing: { command: "no-such-command-anywhere", tools: {} } } });
  const lead = await pool.lead();
  const outcome = await lead.connect("missing");
  expect(outcome).toMatchObject({ error: { code: "connect_failed", reason: "spawn_failed", details: { reason: "not_found" } } });
  const folder = (process.env.PATH ?? "").split(":")[0] ?? "";
  expect(folder).not.toBe("");
  expect(JSON.stringify(outcome)).not.toContain(folder);
  expect(JSON.stringify((await pool.server("missing")).lastFailure)).toContain(folder);
  await pool.stop();
});

proves(
  "CORE-5",
  "an observer who reads a session's view keeps neither the session alive nor moves what it was last given",
  async () => {
    const pool = await TestPool.start({
      servers: { alpha: scripted({ tools: [ECHO] }) },
      config: { limits: { versionsInMemory: 2 } },
    });
    const lead = await pool.lead(["alpha"]);
    const { version } = await lead.snapshot();
    for (let n = 0; n < 4; n++) await (await pool.lead(["alpha"])).close();
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version }))).toBe("ok");
    await pool.client.get(`/v1/sessions/${lead.id}/snapshot`);
    await pool.client.get(`/v1/sessions/${lead.id}/snapshot?version=${version}`);
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version }))).toBe("ok");
    // What only the journal has can be read, and the session is not said to be given it.
    await lead.snapshot(1);
    expect(await pool.client.get(`/v1/sessions/${lead.id}`)).toMatchObject({ version });
    expect(codeOf(await lead.call("mcp__alpha__echo", {}, { version }))).toBe("ok");
    await pool.stop();
  },
);

proves("POOL-17", "a reload to one connection a session: the state is that of the connections there are", async () => {
  const one = scripted({ tools: [ECHO] });
  const pool = await TestPool.start({ servers: { one } });
  await pool.client.request("servers.connect", { alias: "one" });
  pool.configure({ one: { ...one, sharing: "session" }, broken: { comand: "x", tools: {} } });
  await pool.client.request("config.reload", {});
  expect(await pool.server("one")).toMatchObject({ state: { kind: "connected" }, connectionId: "one#2", heldByPool: true });
  expect(await pool.client.request("servers.connect", { alias: "one" })).toMatchObject({ state: "connected" });
  expect(await pool.server("broken")).toMatchObject({ state: { kind: "failed" }, lastFailure: { code: "config_invalid" } });
  await pool.stop();
});

proves("POOL-13", "a second signal means now: a server that ignores everything gets none of its grace", async () => {
  const pool = await TestPool.start({
    servers: { deaf: scripted({ tools: [ECHO], ignoreEof: true, ignoreSigterm: true }, { graceMs: 120_000 }) },
  });
  await pool.lead(["deaf"]);
  const closing = new AbortController();
  const watch = pool.client.watch(await pool.version(), { signal: closing.signal })[Symbol.asyncIterator]();
  pool.process.kill("SIGTERM");
  // The stream ends with the word that the daemon is closing: the first signal has arrived.
  for (let event = await watch.next(); event.done !== true && event.value.event !== "closing"; event = await watch.next());
  const exited = once(pool.process, "exit");
  pool.process.kill("SIGTERM");
  await exited;
  closing.abort();
  expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
});

proves("POOL-12", "numbers of a schema that no double can hold are the same digits before and after a restart", async () => {
  const digits = ["9223372036854775807", "18446744073709551615", "12345678901234567891"];
  const schema = `{"type":"object","properties":{"n":{"maximum":${digits[0]},"exclusiveMaximum":${digits[1]},"not":{"const":${digits[2]}}}}}`;
  const script = `{"tools":[{"name":"echo","inputSchema":${schema}}]}`;
  const servers = { alpha: { command: process.execPath, args: [fixture("publishes-text"), script], tools: { echo: "read" } } };
  let pool = await TestPool.start({ servers });
  await pool.lead(["alpha"]);
  const path = `/v1/registry/versions/${await pool.version()}`;
  const before = await pool.client.getText(path);
  for (const number of digits) expect(before).toContain(number);
  await pool.stop();
  pool = await TestPool.start({ servers, folder: pool.folder });
  expect(await pool.client.getText(path)).toBe(before);
  await pool.stop();
});

proves("POOL-5", "a server that floods its stdout with short lines is counted and takes nobody's turn", async () => {
  const pool = await TestPool.start({
    servers: {
      flood: { command: process.execPath, args: [fixture("floods-stdout")], tools: {}, startupTimeoutMs: 3_000, graceMs: 200 },
      alpha: scripted({ tools: [ECHO] }),
    },
  });
  const lead = await pool.lead(["alpha"]);
  const flooding = pool.client.request("servers.connect", { alias: "flood" }).catch((error: unknown) => error);
  while ((await pool.server("flood")).stdoutNoise === 0) await Promise.resolve();
  const version = await pool.version();
  for (let n = 0; n < 50; n++) expect(codeOf(await lead.call("mcp__alpha__echo", { n }, { version }))).toBe("ok");
  // All of that while it still starts.
  expect((await pool.server("flood")).state.kind).toBe("connecting");
  expect(await flooding).toMatchObject({ data: { failure: "startup_timeout" } });
  const records = await pool.client.get<readonly CallRecord[]>("/v1/calls?status=ok&limit=1000");
  expect(records.length).toBe(50);
  await pool.stop();
});
