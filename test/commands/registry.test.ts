// connect, disconnect, restart, tools, versions, diff, calls, watch and call against one real daemon with scripted servers.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { CallRecord, RegistryDiff, RegistrySnapshot, SessionInfo, VersionRow } from "../../daemon/contract/index.ts";
import { scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { Workplace } from "./toolpool.ts";

let place: Workplace;
let log: string;

const text = (name: string): object => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });

beforeAll(async () => {
  place = new Workplace();
  log = join(place.folder, "slow.log");
  place.configure({
    alpha: scripted({
      tools: [
        { name: "lookup", description: "Finds\u001b[31m things", inputSchema: text("q") },
        { name: "fail", does: { toolError: "private words" } },
        { name: "exact", does: { rawResult: '{"content":[],"structuredContent":{"n":12345678901234567890}}' } },
      ],
    }),
    beta: scripted({ tools: [{ name: "change" }] }, { tools: { change: { effect: "write", approval: "ask" } } }),
    slow: scripted({ log, tools: [{ name: "wait", does: { untilCancelled: true } }] }, { tools: { wait: "external" } }),
    odd: scripted({ tools: [{ name: "a" }, { name: "b" }] }, { tools: { b: undefined, c: "read" } }),
    gone: { command: "no-such-program-anywhere", tools: {} },
    mute: scripted({ initialize: "never" }, { startupTimeoutMs: 400 }),
  });
  await place.up();
  await place.ok("connect", "alpha");
});
afterAll(() => place.close());

const sessions = (): Promise<readonly SessionInfo[]> => place.withClient((client) => client.get("/v1/sessions"));
const version = async (): Promise<number> => (await place.json<VersionRow[]>("versions", "--limit", "1"))[0]?.version ?? 0;

proves("CMD-19", "connect, restart and disconnect are one version each way and name the tools", async () => {
  const before = await version();
  const connected = await place.json("connect", "beta");
  expect(connected).toEqual({ alias: "beta", state: "connected", version: before + 1, tools: ["mcp__beta__change"] });
  expect(await place.ok("restart", "beta")).toBe(
    `beta is connected: 1 tool at version ${String(before + 3)}\n  mcp__beta__change\n`,
  );
  expect(await place.ok("disconnect", "beta")).toBe(`beta is idle (version ${String(before + 4)})\n`);
});

proves("CMD-19", "what a session still holds stays, and disconnect says so", async () => {
  await place.ok("connect", "beta");
  await place.withClient(async (client) => {
    const { sessionId } = await client.request("session.open", { attach: ["beta"] });
    expect(await place.ok("disconnect", "beta")).toBe("The pool no longer holds beta; it stays connected for 1 session\n");
    expect(await place.ok("tools")).toContain("mcp__beta__change");
    await client.request("session.close", { sessionId });
  });
  expect(await place.ok("tools")).not.toContain("mcp__beta__change");
});

proves("CMD-13", "what the pool refused is explained with what was found and what to do", async () => {
  const ask = async (alias: string): Promise<string> => {
    const { code, stdout, stderr } = await place.toolpool(["connect", alias]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    return stderr;
  };
  expect(await ask("odd")).toMatch(/policy_mismatch[^]*not in the policy: b\n[^]*not published: c\n[^]*mcpServers\.odd\.tools/);
  expect(await ask("gone")).toMatch(/spawn_failed[^]*looked in: [^]*PATH/);
  expect(await ask("mute")).toMatch(/startup_timeout[^]*400[^]*toolpool servers mute/);
  expect(await ask("nobody")).toMatch(/no server "nobody"[^]*toolpool servers/);
  const program = await place.toolpool(["connect", "odd", "--json"]);
  expect(JSON.parse(program.stderr)).toMatchObject({ error: { exitCode: 1, reason: "policy_mismatch" } });
});

proves(
  "CMD-20",
  "tools now and at a version; descriptions cannot touch the terminal; programs get the snapshot itself",
  async () => {
    const page = await place.ok("tools");
    expect(page).toMatch(/mcp__alpha__lookup +read +alpha#1 +Finds\\u001b\[31m things/);
    expect(page).not.toContain("\u001b");
    const snapshot = await place.json<RegistrySnapshot>("tools");
    expect(snapshot.tools.map(({ name }) => name)).toEqual(["mcp__alpha__exact", "mcp__alpha__fail", "mcp__alpha__lookup"]);
    expect(await place.ok("tools", "--version", "1")).toContain("No tools are published");
    const future = await place.toolpool(["tools", "--version", "9999"]);
    expect(future.code).toBe(1);
    expect(future.stderr).toMatch(/latest is \d+[^]*toolpool versions/);
  },
);

proves("CMD-20", "versions newest first, and the difference of two, forwards and backwards", async () => {
  const rows = await place.json<VersionRow[]>("versions", "--since", "1", "--limit", "1000");
  expect(rows.at(-1)).toMatchObject({ version: 2, cause: "connect alpha#1" });
  expect(await place.ok("versions")).toMatch(/2 +[\d-]+ [\d:]+ +connect alpha#1 +\+3 +mcp__alpha__exact, /);
  const diff = await place.json<RegistryDiff>("diff", "1", "2");
  expect(diff.added.map(({ name }) => name)).toEqual(["mcp__alpha__exact", "mcp__alpha__fail", "mcp__alpha__lookup"]);
  expect(await place.ok("diff", "1", "2")).toContain("+ mcp__alpha__exact  read");
  expect(await place.ok("diff", "2", "1")).toContain("- mcp__alpha__exact\n");
  expect(await place.ok("diff", "2", "2")).toContain("No tool differs");
});

proves("CMD-21", "an outcome comes out letter by letter, and the session of the call is gone", async () => {
  const outcome =
    '{"content":[],"server_alias":"alpha","status":"ok","structured_content":{"n":12345678901234567890},"tool":"exact"}\n';
  expect(await place.ok("call", "mcp__alpha__exact", "--json")).toBe(outcome);
  expect(await place.ok("call", "mcp__alpha__exact")).toBe(outcome);
  expect(await sessions()).toEqual([]);
});

proves("CMD-21", "arguments from the command line and from stdin; what is no JSON object never reaches the daemon", async () => {
  expect(await place.ok("call", "mcp__alpha__lookup", '{"q":"ü"}')).toContain('"arguments":{"q":"ü"}');
  const piped = await place.toolpool(["call", "mcp__alpha__lookup", "-"], { input: '{"q": "piped"}\n' });
  expect(piped.stdout).toContain('"q":"piped"');
  const before = (await place.json<CallRecord[]>("calls")).length;
  for (const given of ["{", "[]", "7", '{"q":1}}']) {
    const { code, stdout, stderr } = await place.toolpool(["call", "mcp__alpha__lookup", given]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("toolpool call <tool>");
  }
  expect(await place.json<CallRecord[]>("calls")).toHaveLength(before);
});

proves("CMD-21", "an error outcome is exit code 1: a remote error, invalid arguments, an old version", async () => {
  const failed = await place.toolpool(["call", "mcp__alpha__fail"]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('"code":"mcp_remote_error"');
  expect(failed.stdout + failed.stderr).not.toContain("private words");
  expect(failed.stderr).toContain("Error [mcp_remote_error]: MCP server reported a tool error");
  const invalid = await place.toolpool(["call", "mcp__alpha__lookup", '{"q":1}', "--json"]);
  expect(invalid).toMatchObject({ code: 1, stderr: "" });
  expect(JSON.parse(invalid.stdout)).toMatchObject({ error: { code: "invalid_arguments", issues: [{ pointer: "/q" }] } });
  const old = await place.toolpool(["call", "mcp__alpha__exact", "--version", "1"]);
  expect(old.code).toBe(1);
  expect(JSON.parse(old.stdout)).toMatchObject({ error: { code: "unknown_tool" } });
  const unheard = await place.toolpool(["call", "never_heard_of", "--version", "9999"]);
  expect(JSON.parse(unheard.stdout)).toMatchObject({ error: { code: "unknown_tool", reason: "version_unknown" } });
});

proves("CMD-21", "management tools work as for any lead", async () => {
  const outcome = JSON.parse(await place.ok("call", "connect_mcp", '{"alias":"beta"}')) as object;
  expect(outcome).toMatchObject({ status: "ok", state: "connected", tools: ["mcp__beta__change"], visible: "next_request" });
  const failed = await place.toolpool(["call", "connect_mcp", '{"alias":"gone"}']);
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({ error: { code: "connect_failed", reason: "spawn_failed" } });
});

proves(
  "CMD-22",
  "a tool that was withdrawn names its server; one that was never there names the servers to choose from",
  async () => {
    await place.ok("connect", "beta");
    await place.ok("disconnect", "beta");
    const withdrawn = await place.toolpool(["call", "mcp__beta__change"]);
    expect(withdrawn).toMatchObject({ code: 1, stdout: "" });
    expect(withdrawn.stderr).toMatch(/beta did until version \d+[^]*toolpool connect beta\n/);
    const never = await place.toolpool(["call", "mcp__slow__wait"]);
    expect(never.stderr).toContain("toolpool connect <");
    expect(never.stderr).toContain("slow");
    expect(never.stderr).not.toContain("toolpool connect slow\n");
  },
);

proves("CMD-23", "without a terminal and without --yes nothing runs; with --yes the journal says who allowed it", async () => {
  await place.ok("connect", "beta");
  const asked = await place.toolpool(["call", "mcp__beta__change"]);
  expect(asked.code).toBe(1);
  expect(asked.stdout).toContain('"code":"approval_required"');
  expect(asked.stderr).toContain("--yes");
  expect(await place.ok("call", "mcp__beta__change", "--yes")).toContain('"calls":1');
  const [row] = await place.json<CallRecord[]>("calls", "--tool", "mcp__beta__change", "--limit", "1");
  expect(row).toMatchObject({ decision: "approved:command line", effect: "write", status: "ok" });
  await place.ok("disconnect", "beta");
});

proves("CMD-20", "calls are filtered by tool, status and session, and shown with decision and outcome", async () => {
  const failures = await place.json<CallRecord[]>("calls", "--status", "error", "--tool", "mcp__alpha__fail");
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.every(({ code, tool }) => code === "mcp_remote_error" && tool === "mcp__alpha__fail")).toBe(true);
  const { sessionId = "" } = failures[0] ?? {};
  expect(await place.json<CallRecord[]>("calls", "--session", sessionId)).toHaveLength(1);
  expect(await place.ok("calls", "--limit", "50")).toMatch(/mcp__alpha__fail +read +mcp_remote_error/);
  expect(await place.ok("calls", "--session", "nobody")).toBe("No calls\n");
  const wrong = await place.toolpool(["calls", "--status", "maybe"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("started, ok, error");
});

proves("CMD-24", "Ctrl-C during a call: 130, the server is told, the session is gone", async () => {
  await place.ok("connect", "slow");
  const running = place.start(["call", "mcp__slow__wait"]);
  const seen = (word: string): boolean => existsSync(log) && readFileSync(log, "utf8").includes(word);
  while (!seen("tools/call")) await new Promise((resolve) => setImmediate(resolve));
  running.process.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: "", stderr: "toolpool: Interrupted\n" });
  while (!seen("notifications/cancelled")) await new Promise((resolve) => setImmediate(resolve));
  expect(await sessions()).toEqual([]);
  const [row] = await place.json<CallRecord[]>("calls", "--tool", "mcp__slow__wait");
  expect(row).toMatchObject({ code: "cancelled", mayHaveRun: true });
  await place.ok("disconnect", "slow");
});

proves("CMD-20", "watch shows each version as it comes, from a version on, and ends with the daemon", async () => {
  const since = await version();
  const people = place.start(["watch"]);
  await people.until(/Ctrl-C/);
  const programs = place.start(["watch", "--since", "1", "--json"]);
  await programs.until(/"version":2,/);
  await place.ok("connect", "beta");
  await people.until(new RegExp(`${String(since + 1)} .*connect beta#\\d+ +\\+1 +mcp__beta__change`));
  people.process.kill("SIGINT");
  expect((await people.ended).code).toBe(130);
  await place.close();
  const { code, stdout } = await programs.ended;
  expect(code).toBe(0);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as VersionRow);
  expect(rows.slice(0, since).map((row) => row.version)).toEqual(Array.from({ length: since }, (_, at) => at + 2));
  await place.up();
});

proves("CMD-12", "a reader that leaves early is no failure", async () => {
  const running = place.start(["watch", "--since", "1", "--json"]);
  running.process.stdout?.destroy();
  expect((await running.ended).code).toBe(0);
});

proves("CMD-28", "an entry that changed, one with a fault, a file that cannot be read, and the same file again", async () => {
  const own = new Workplace({ one: scripted({ tools: [{ name: "a" }] }) });
  try {
    await own.up();
    await own.ok("connect", "one");
    expect(await own.ok("reload")).toBe("Nothing has changed\n");
    own.configure({ one: scripted({ tools: [{ name: "a" }, { name: "b" }] }), two: { command: "x", toolz: {} } });
    const changed = await own.toolpool(["reload"]);
    expect([changed.code, changed.stdout]).toEqual([0, "Changed: one, two\n"]);
    expect(changed.stderr).toMatch(/toolpool\.json:\d+:\d+: \/mcpServers\/two\/toolz: /);
    expect(await own.ok("tools")).toContain("mcp__one__b");
    writeFileSync(own.configFile, '{"mcpServers": {');
    const refused = await own.toolpool(["reload"]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("The old configuration stays");
    expect(await own.ok("tools")).toContain("mcp__one__b");
  } finally {
    await own.close();
  }
});
