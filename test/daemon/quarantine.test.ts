// A server that nobody has reviewed is looked at and never used: no route starts it, a look publishes nothing and leaves nothing.
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { alive, codeOf, scripted, TestPool } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { entryOf, lookAt } from "./reviewed.ts";

function unreviewed(
  script: Parameters<typeof scripted>[0],
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { tools: _, ...entry } = scripted(script, more);
  return entry;
}

/** The pids of every process that wrote itself into a scripted server's log. */
function started(log: string): readonly number[] {
  if (!existsSync(log)) return [];
  // What stands behind the last line end is still being written.
  const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as { event: string; pid?: number })
    .flatMap(({ event, pid }) => (event === "start" && pid !== undefined ? [pid] : []));
}

/** Resolves once a server has written itself into its log. */
async function untilStarted(folder: string, log: string): Promise<void> {
  const stop = new AbortController();
  const seen = new Promise<void>((resolve) => {
    watch(folder, { signal: stop.signal }, () => {
      if (started(log).length > 0) resolve();
    });
    if (started(log).length > 0) resolve();
  });
  await seen;
  stop.abort();
}

proves("PIN-5", "no route starts it, and all of them say how it is reviewed", async () => {
  const folder = tempFolder();
  const log = join(folder, "log");
  const pool = await TestPool.start({
    servers: { alpha: unreviewed({ tools: [{ name: "echo" }], log }), beta: scripted({}) },
    folder,
  });
  const lead = await pool.lead();
  const { tools } = await lead.snapshot();
  expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toContain("alpha");
  expect(codeOf(await lead.connect("alpha"))).toBe("invalid_arguments");
  for (const method of ["servers.connect", "servers.restart"] as const) {
    await expect(pool.client.request(method, { alias: "alpha" })).rejects.toMatchObject({
      reason: "connect_failed",
      data: { failure: "config_invalid" },
    });
  }
  const opened = await pool.client.request("session.open", { attach: ["alpha", "beta"] });
  expect(opened).toMatchObject({ attached: ["beta"], failed: [{ alias: "alpha", code: "config_invalid" }] });
  const { errors } = await pool.client.request("config.reload", {});
  expect(errors).toMatchObject([{ alias: "alpha", pointer: "/mcpServers/alpha/tools", message: expect.any(String) as unknown }]);
  expect(JSON.stringify(await pool.server("alpha"))).toContain("toolpool review alpha");
  expect(started(log)).toEqual([]);
  await pool.stop();
});

proves(
  "PIN-6",
  "a look gives what the server publishes and why it would be refused; no version, no process, no name is left",
  async () => {
    const folder = tempFolder();
    const log = join(folder, "log");
    const published = [
      {
        name: "good",
        description: "d",
        inputSchema: { type: "object", properties: { a: { default: 1 }, n: { maximum: 1e21 } } },
      },
      { name: "bad", inputSchema: { type: "array" } },
      { name: "x".repeat(80) },
      { name: "twice" },
      { name: "twice" },
      { name: "" },
    ];
    const pool = await TestPool.start({
      servers: { alpha: unreviewed({ tools: published, log, stderr: "hello person" }) },
      folder,
    });
    const before = await pool.version();
    const { inspection } = await lookAt(pool, "alpha");
    expect(inspection).toMatchObject({
      alias: "alpha",
      serverInfo: { name: "scripted", version: "1.0.0" },
      stderrTail: "hello person",
    });
    const byName = new Map(inspection.tools.map((tool) => [tool.name, tool]));
    expect(byName.get("good")).toMatchObject({ refusals: [], digest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown });
    expect(byName.get("good")?.definition).not.toContain("default");
    expect(byName.get("bad")?.refusals).toMatchObject([{ code: "schema_rejected", pointer: "/inputSchema/type" }]);
    expect(byName.get("x".repeat(80))?.refusals).toMatchObject([{ code: "name_rejected" }]);
    expect(byName.get("twice")?.refusals).toMatchObject([{ code: "name_collision" }]);
    expect(inspection.refusals).toMatchObject([{ code: "name_rejected", tool: "#5" }]);
    expect(await pool.version()).toBe(before);
    expect(started(log).filter(alive)).toEqual([]);
    expect((await pool.server("alpha")).stats).toMatchObject({ connects: 0, failures: 0 });
    await pool.stop();
  },
);

proves("PIN-6", "a launch that was not read is not started: the one shown must be the one in force", async () => {
  const folder = tempFolder();
  const log = join(folder, "log");
  const pool = await TestPool.start({ servers: { alpha: unreviewed({ log }) }, folder });
  const shown = (await entryOf(pool, "alpha")).launchDigest;
  pool.configure({ alpha: unreviewed({ log, name: "swapped" }) });
  await pool.client.request("config.reload", {});
  for (const launchDigest of [shown, "0"]) {
    await expect(pool.client.request("servers.inspect", { alias: "alpha", launchDigest })).rejects.toMatchObject({
      reason: "conflict",
    });
  }
  await expect(pool.client.request("servers.inspect", { alias: "nobody", launchDigest: shown })).rejects.toMatchObject({
    reason: "unknown_alias",
  });
  expect(started(log)).toEqual([]);
  await pool.stop();
});

proves("PIN-6", "a failed look says why, and the end of stderr is there for the person", async () => {
  const servers = {
    silent: unreviewed({ initialize: "never", stderr: "waiting for a database" }, { startupTimeoutMs: 200 }),
    gone: unreviewed({ initialize: "exit", stderr: "no key" }),
    absent: { command: "no-such-program-anywhere" },
  };
  const pool = await TestPool.start({ servers });
  const failureOf = async (alias: string): Promise<unknown> => {
    const { launchDigest } = await entryOf(pool, alias);
    return pool.client
      .request("servers.inspect", { alias, launchDigest })
      .catch((error: unknown) => (error as { data: unknown }).data);
  };
  expect(await failureOf("silent")).toMatchObject({ failure: "startup_timeout", details: { limitMs: 200 } });
  expect(await failureOf("gone")).toMatchObject({ failure: "handshake_failed" });
  expect(await failureOf("absent")).toMatchObject({ failure: "spawn_failed" });
  const seen = await pool.client.get<{ stderrTail: string }>("/v1/servers/silent?stderr=1");
  expect(seen.stderrTail).toBe("waiting for a database");
  await pool.stop();
});

proves("PIN-6", "a caller who leaves and a daemon that closes end the look, and nothing of it is left", async () => {
  for (const how of ["caller", "daemon"] as const) {
    const folder = tempFolder();
    const log = join(folder, "log");
    const pool = await TestPool.start({ servers: { alpha: unreviewed({ initialize: "never", log }) }, folder });
    const { launchDigest } = await entryOf(pool, "alpha");
    const leaving = new AbortController();
    const look = pool.client
      .request("servers.inspect", { alias: "alpha", launchDigest }, { signal: leaving.signal })
      .catch((error: unknown) => error);
    await untilStarted(folder, log);
    if (how === "caller") leaving.abort();
    else await pool.client.request("daemon.shutdown", { drainMs: 0 });
    expect(await look).toBeInstanceOf(Error);
    expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
    expect(started(log).filter(alive)).toEqual([]);
  }
});

/** A package runner of ours, first on the PATH of the child: it takes a lock that only one may hold, and then is the server. */
function runner(folder: string): Record<string, string> {
  const program = join(folder, "npx");
  writeFileSync(
    program,
    `#!/bin/sh\nmkdir "$CACHE" 2>/dev/null || { echo overlap >> "$CACHE.overlap"; exit 9; }\n` +
      `"$NODE" -e ""\nrmdir "$CACHE"\nexec "$NODE" "$@"\n`,
    { mode: 0o755 },
  );
  return { PATH: `${folder}:${process.env.PATH ?? ""}`, CACHE: join(folder, "cache"), NODE: process.execPath };
}

proves("PIN-11", "runners that share a cache never enter it together; a server without a runner passes them", async () => {
  const folder = tempFolder();
  const env = runner(folder);
  const viaRunner = (script: Parameters<typeof scripted>[0]): Record<string, unknown> => ({
    ...scripted(script),
    command: "npx",
    env,
  });
  const names = ["a", "b", "c", "d"];
  const pool = await TestPool.start({
    servers: { ...Object.fromEntries(names.map((name) => [name, viaRunner({ tools: [{ name }] })])), plain: scripted({}) },
    folder,
  });
  const opened = await pool.client.request("session.open", { attach: [...names, "plain"] });
  expect(opened.failed).toEqual([]);
  expect(existsSync(join(folder, "cache.overlap"))).toBe(false);
  await pool.stop();
});

proves(
  "PIN-10",
  "a start through a runner outlives the start time by its install budget, each attempt anew, and is shown",
  async () => {
    const folder = tempFolder();
    const ready = join(folder, "installed");
    const log = join(folder, "log");
    const slow = scripted({ tools: [{ name: "echo" }], initialize: { waitFile: ready }, log }, { startupTimeoutMs: 100 });
    // What a known runner starts has minutes by default.
    const servers = { alpha: { ...slow, command: "npx", env: runner(folder) }, short: { ...slow, installTimeoutMs: 100 } };
    const pool = await TestPool.start({ servers, folder });
    const connecting = pool.client.request("servers.connect", { alias: "alpha" });
    // The short one runs out of its whole budget first, twice the same.
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(pool.client.request("servers.connect", { alias: "short" })).rejects.toMatchObject({
        data: { failure: "startup_timeout", details: { limitMs: 200 } },
      });
    }
    expect((await pool.server("alpha")).state.kind).toBe("connecting");
    writeFileSync(ready, "");
    expect((await connecting).state).toBe("connected");
    await pool.stop();
  },
);
