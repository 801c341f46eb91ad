// up, down, status, logs and the foreground, with the real program and the real daemon.
import { existsSync, readFileSync, renameSync, writeFileSync, appendFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { once } from "node:events";
import { afterEach, expect } from "vitest";
import { alive, scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { Workplace } from "./toolpool.ts";

const places: Workplace[] = [];
function workplace(...given: ConstructorParameters<typeof Workplace>): Workplace {
  const place = new Workplace(...given);
  places.push(place);
  return place;
}
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

const alpha = { alpha: scripted({ name: "alpha", tools: [{ name: "lookup" }], stderr: "words on stderr\n" }) };

proves("CMD-14", "the second up finds the first one's daemon; both say where it listens", async () => {
  const place = workplace();
  const first = await place.toolpool(["up", "--port", "0"]);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const again = await place.json<Record<string, unknown>>("up");
  expect(again).toMatchObject({ started: false, stateFolder: place.state, configFile: place.configFile, contractVersion: 1 });
  for (const part of [
    `pid ${String(again.pid)}, started`,
    String(again.url),
    String(again.socketPath),
    place.state,
    place.configFile,
  ]) {
    expect(first.stdout).toContain(part);
  }
});

proves("CMD-14", "eight ups at once: one daemon, eight successes", async () => {
  const place = workplace();
  const all = await Promise.all(
    Array.from({ length: 8 }, () => place.json<{ pid: number; started: boolean }>("up", "--port", "0")),
  );
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
  expect(all.filter(({ started }) => started)).toHaveLength(1);
});

proves("CMD-14", "after kill -9 the next up starts a new daemon beside the files of the old one", async () => {
  const place = workplace();
  const first = await place.up();
  process.kill(first.pid, "SIGKILL");
  while (alive(first.pid)) await new Promise((resolve) => setImmediate(resolve));
  expect(existsSync(join(place.state, "daemon.json"))).toBe(true);
  const second = await place.up();
  expect(second.pid).not.toBe(first.pid);
  expect((await place.json<{ running: boolean }>("status")).running).toBe(true);
});

proves("CMD-14", "another configuration or port than the running one is refused", async () => {
  const place = workplace();
  await place.up();
  const config = await place.toolpool(["up", "--config", "other.json"]);
  expect(config).toMatchObject({ code: 1, stdout: "" });
  expect(config.stderr).toContain(`another configuration: ${place.configFile}`);
  const port = await place.toolpool(["up", "--port", "1"]);
  expect(port.code).toBe(1);
  expect(port.stderr).toContain("toolpool down");
});

proves(
  "CMD-14",
  "a refused configuration is exit code 2 with the place of the fault; a taken port names the way out",
  async () => {
    const place = workplace();
    writeFileSync(place.configFile, '{"mcpServers": {}, "mcpServer": {}}');
    const refused = await place.toolpool(["up", "--port", "0"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/toolpool\.json:1:\d+/);
    expect(refused.stderr).toContain("toolpool check");
    place.configure({});
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const taken = await place.toolpool(["up", "--port", String(port)]);
    server.close();
    expect(taken.code).toBe(3);
    expect(taken.stderr).toContain(`Port ${String(port)}`);
    expect(taken.stderr).toContain("--port 0");
    expect(taken.stderr).not.toMatch(/\n\s+at /);
  },
);

proves(
  "CMD-15",
  "down names what it closed; afterwards process, children and socket are gone, and the files of a clean stop remain",
  async () => {
    // Only SIGKILL ends it, at the end of the ladder: time enough for a `down` that does not wait to be found out.
    const place = workplace({ alpha: scripted({ tools: [{ name: "lookup" }], ignoreEof: true, ignoreSigterm: true }) });
    const { pid } = await place.up();
    await place.ok("connect", "alpha");
    const [server] = await place.json<{ pid: number }[]>("servers");
    await place.withClient((client) => client.request("session.open", {}));
    const { code, stdout } = await place.toolpool(["down"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Toolpool is stopped (pid ${String(pid)}): closed 1 server (alpha) and 1 session\n`,
    });
    expect([pid, server?.pid ?? 0].map(alive)).toEqual([false, false]);
    expect(place.stateFiles()).toEqual(["daemon.log", "pool.db", "token"]);
  },
);

proves("CMD-15", "with nothing running, and with the file of a dead daemon that names a living stranger", async () => {
  const place = workplace();
  expect(await place.toolpool(["down"])).toEqual({ code: 0, stdout: "Toolpool is not running\n", stderr: "" });
  const { pid, socketPath } = await place.up();
  const file = join(place.state, "daemon.json");
  const published = readFileSync(file, "utf8");
  await place.close();
  writeFileSync(file, published.replace(String(pid), String(process.pid)), { mode: 0o600 });
  expect(existsSync(socketPath)).toBe(false);
  expect(await place.json("down")).toEqual({ stopped: false });
});

proves("CMD-16", "it says where it listens, shows the log, ends at one Ctrl-C, and leaves nothing", async () => {
  const place = workplace(alpha);
  const running = place.start(["up", "--foreground", "--port", "0"]);
  await running.until(/info +ready/);
  const { pid } = await place.json<{ pid: number }>("up");
  running.process.kill("SIGINT");
  const { code, stdout } = await running.ended;
  expect(code).toBe(0);
  expect(stdout).toContain("in the foreground");
  expect(stdout).toContain("closed reason=signal");
  expect(alive(pid)).toBe(false);
  expect(place.stateFiles()).toEqual(["daemon.log", "pool.db", "token"]);
});

proves("CMD-16", "a start that fails passes the daemon's words and exit code through", async () => {
  const place = workplace();
  writeFileSync(place.configFile, "{");
  const refused = await place.toolpool(["up", "--foreground"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("toolpool.json");
  place.configure({});
  await place.up();
  const second = await place.toolpool(["up", "--foreground"]);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain("toolpool down");
});

proves("CMD-18", "without a daemon, status is exit code 3 and says how to start; programs get it as JSON", async () => {
  const place = workplace();
  const person = await place.toolpool(["status"]);
  expect(person).toMatchObject({ code: 3, stdout: "" });
  expect(person.stderr).toContain("Start it: toolpool up");
  const program = await place.toolpool(["status", "--json"]);
  expect(program.code).toBe(3);
  expect(JSON.parse(program.stdout)).toEqual({ running: false, stateFolder: place.state });
  expect(JSON.parse(program.stderr)).toMatchObject({
    error: { exitCode: 3, reason: "not_running", next: "Start it: toolpool up" },
  });
  expect(place.stateFiles()).toEqual([]);
});

proves("CMD-18", "status shows daemon, servers, sessions and the last versions; servers <alias> shows stderr", async () => {
  const place = workplace({
    ...alpha,
    off: { command: "x", tools: {}, disabled: true },
    bad: { command: "x", tools: {}, comand: 1 },
  });
  await place.up();
  await place.ok("connect", "alpha");
  await place.withClient((client) => client.request("session.open", { label: "somebody", attach: ["alpha"] }));
  const page = await place.ok("status");
  expect(page).toMatch(/^1 of 3 servers connected \(1 failed\), 1 tool, version 3\n/);
  expect(page).toMatch(/● alpha +connected +\d+ s +1 +\d+ +\d+ MiB +– +– +– +– +1 session, the pool/);
  expect(page).toMatch(/bad +failed[^]*config_invalid/);
  expect(page).toMatch(/off +disabled/);
  expect(page).toMatch(/lead .* alpha +somebody/);
  expect(page).toMatch(/2 .*connect alpha#1 +1 tool added: mcp__alpha__lookup/);
  const all = await place.json<Record<string, unknown>>("status");
  expect(all).toMatchObject({ running: true, daemon: { configFile: place.configFile }, registry: { toolCount: 1 } });
  const one = await place.ok("servers", "alpha");
  expect(one).toContain("words on stderr");
  expect(one).toMatch(/held by +s_.*, the pool/);
  const failed = await place.ok("servers", "bad");
  expect(failed).toContain("/mcpServers/bad/comand");
  const unknown = await place.toolpool(["servers", "nobody"]);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain("toolpool servers");
});

proves("CMD-18", "logs are readable, exact for programs, and there without a daemon", async () => {
  const place = workplace();
  const none = await place.toolpool(["logs"]);
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("Start the daemon: toolpool up");
  await place.up();
  await place.close();
  expect(await place.ok("logs")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info +ready url=http/m);
  const exact = await place.ok("logs", "--json", "-n", "1");
  expect(exact).toBe(`${readFileSync(join(place.state, "daemon.log"), "utf8").trimEnd().split("\n").at(-1) ?? ""}\n`);
});

proves("CMD-18", "following a log survives its rotation and shows no line twice, and controls in it are visible", async () => {
  const place = workplace();
  await place.up();
  await place.close();
  const file = join(place.state, "daemon.log");
  const following = place.start(["logs", "-f", "-n", "1"]);
  await following.until(/closed/);
  const entry = (msg: string): string => `${JSON.stringify({ level: 30, time: "2026-01-01T00:00:00.000Z", msg })}\n`;
  appendFileSync(file, entry("first") + entry("sec\u001bond").slice(0, -5));
  await following.until(/first/);
  appendFileSync(file, entry("sec\u001bond").slice(-5));
  await following.until(/sec\\u001bond/);
  renameSync(file, `${file}.1`);
  writeFileSync(file, entry("third"));
  await following.until(/third/);
  writeFileSync(file, "");
  appendFileSync(file, "no json at all\n");
  await following.until(/no json at all/);
  following.process.kill("SIGINT");
  const { code, stdout } = await following.ended;
  expect(code).toBe(130);
  for (const word of ["first", "ond", "third", "no json at all"]) expect(stdout.split(word)).toHaveLength(2);
});
