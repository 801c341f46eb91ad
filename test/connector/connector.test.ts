// The connector against a stand-in daemon: finding, starting, racing, refusing. Every daemon that was started is shut down.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { connectToPool, type Connected, type ConnectOptions } from "../../client/connector.ts";
import { DaemonUnavailable } from "../../client/daemon-unavailable.ts";
import { probeDaemon } from "../../client/probe.ts";
import { markProcess, processEnd } from "../../client/process-end.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const standin = join(import.meta.dirname, "../../.cache/fixtures/standin-daemon.js");
const signal = AbortSignal.timeout(60_000);
const used = new Set<string>();

function options(folder: string, manner = "", more: Partial<ConnectOptions> = {}): ConnectOptions {
  used.add(folder);
  const place = { stateFolder: folder, socketPath: join(folder, "toolpool.sock"), uid: process.getuid?.() };
  return { start: true, place, daemonProgram: standin, env: { ...process.env, STANDIN: manner }, signal, ...more };
}

const starts = (folder: string): string[] => readFileSync(join(folder, "starts"), "utf8").trim().split("\n");

/** Asks whatever still runs in the folder to end, and waits for it. */
async function stop(folder: string): Promise<void> {
  const probe = await probeDaemon(options(folder).place, signal, true);
  if (!("client" in probe)) return;
  const mark = markProcess(probe.hello.pid);
  await probe.client.request("daemon.shutdown", {}).catch(() => undefined);
  await probe.client.close();
  if (mark !== undefined) await processEnd(mark, signal);
}

afterEach(async () => {
  for (const folder of used) await stop(folder);
  used.clear();
});

async function failure(attempt: Promise<Connected>): Promise<DaemonUnavailable> {
  const end = await attempt.then(
    async ({ client }) => client.close(),
    (error: unknown) => error,
  );
  if (!(end instanceof DaemonUnavailable)) throw new Error(`expected a failure, got ${String(end)}`);
  return end;
}

proves("CMD-6", "a daemon is started once, found again by its file, and confirmed by its own hello", async () => {
  const folder = tempFolder();
  const first = await connectToPool(options(folder, "", { port: 0, configFile: "/some/config.json" }));
  expect(first).toMatchObject({ started: true, discovery: { pid: first.hello.pid, poolId: first.hello.poolId } });
  const second = await connectToPool(options(folder, "", { start: false }));
  expect(second).toMatchObject({ started: false, hello: { poolId: first.hello.poolId } });
  expect(starts(folder)).toEqual([`${String(first.hello.pid)} --config /some/config.json --port 0`]);
  await Promise.all([first.client.close(), second.client.close()]);
});

proves("CMD-6", "without a daemon and without leave to start one it says how to start it", async () => {
  const folder = tempFolder();
  const end = await failure(connectToPool(options(folder, "", { start: false })));
  expect(end).toMatchObject({ code: "not_running", exitCode: 3, next: "Start it: toolpool up" });
  expect(existsSync(join(folder, "starts"))).toBe(false);
});

proves("CMD-6", "a file left by a dead daemon, with the pid of a living stranger, stops nobody from starting", async () => {
  const folder = tempFolder();
  const stranger = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "ignore" });
  const stale = { pid: stranger.pid, startedAt: "2020-01-01T00:00:00.000Z", poolId: "old", version: "0", contractVersion: 1 };
  const content = { ...stale, socketPath: join(folder, "toolpool.sock"), url: "http://127.0.0.1:1" };
  writeFileSync(join(folder, "daemon.json"), JSON.stringify(content), { mode: 0o600 });
  expect((await failure(connectToPool(options(folder, "", { start: false })))).code).toBe("not_running");
  const { client, hello, started } = await connectToPool(options(folder));
  expect(started).toBe(true);
  expect(hello.pid).not.toBe(stranger.pid);
  expect(stranger.exitCode).toBeNull();
  stranger.kill("SIGKILL");
  await once(stranger, "exit");
  await client.close();
});

proves("CMD-6", "a socket left by a killed daemon, a broken file, and a file that names another daemon", async () => {
  const folder = tempFolder();
  const first = await connectToPool(options(folder));
  await first.client.close();
  const mark = markProcess(first.hello.pid);
  process.kill(first.hello.pid, "SIGKILL");
  if (mark !== undefined) await processEnd(mark, signal);
  expect(existsSync(join(folder, "toolpool.sock"))).toBe(true);
  expect((await failure(connectToPool(options(folder, "", { start: false })))).code).toBe("not_running");
  writeFileSync(join(folder, "daemon.json"), '{"pid": 1');
  expect((await failure(connectToPool(options(folder, "", { start: false })))).code).toBe("not_running");

  const other = tempFolder();
  const second = await connectToPool(options(other));
  await second.client.close();
  const file = join(other, "daemon.json");
  const published = readFileSync(file, "utf8");
  writeFileSync(file, JSON.stringify({ ...second.discovery, poolId: "somebody-else" }));
  const end = await failure(connectToPool(options(other, "", { start: false, deadlineMs: 300 })));
  expect(end.code).toBe("not_answering");
  expect(end.message).toContain(String(second.hello.pid));
  writeFileSync(file, published);
});

proves("CMD-6", "a daemon that answers and has not published itself yet is waited for, not doubled", async () => {
  const folder = tempFolder();
  const child = spawn(process.execPath, [standin], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { ...process.env, STANDIN: "unpublished", TOOLPOOL_STATE: folder },
  });
  const [report] = (await once(child, "message")) as [{ ready: object }];
  const exited = once(child, "exit");
  const pending = connectToPool(options(folder));
  const probe = await probeDaemon(options(folder).place, signal);
  expect(probe.kind).toBe("unpublished");
  if ("client" in probe) await probe.client.close();
  writeFileSync(join(folder, "daemon.json"), JSON.stringify(report.ready), { mode: 0o600 });
  const { client, started, hello } = await pending;
  expect({ started, pid: hello.pid, starts: starts(folder).length }).toEqual({ started: false, pid: child.pid, starts: 1 });
  await client.close();
  await stop(folder);
  await exited;
});

proves("CMD-7", "ten starters at once: one daemon, ten connections to it", async () => {
  const folder = tempFolder();
  const all = await Promise.all(Array.from({ length: 10 }, () => connectToPool(options(folder, "slow"))));
  expect(new Set(all.map(({ hello }) => hello.poolId)).size).toBe(1);
  expect(all.filter(({ started }) => started)).toHaveLength(1);
  await Promise.all(all.map(({ client }) => client.close()));
});

proves("CMD-7", "a starter that meets a closing daemon starts its successor", async () => {
  const folder = tempFolder();
  // Only the lock is held: nothing answers. It is released while the starter waits.
  writeFileSync(join(folder, "lock"), "");
  const pending = connectToPool(options(folder));
  while (!existsSync(join(folder, "starts"))) await new Promise((resolve) => setImmediate(resolve));
  rmSync(join(folder, "lock"));
  const { client, started } = await pending;
  expect(started).toBe(true);
  await client.close();
});

proves("CMD-8", "both versions and the way out are named; the other daemon goes on", async () => {
  const folder = tempFolder();
  const end = await failure(connectToPool(options(folder, "contract")));
  expect(end.code).toBe("contract_mismatch");
  expect(end.message).toMatch(/speaks contract 1; the daemon \(pid \d+, version 0\.0\.1\) speaks contract 2/);
  expect(end.next).toContain("toolpool down");
  const probe = await probeDaemon(options(folder).place, signal, true);
  expect(probe.kind).toBe("running");
  if ("client" in probe) await probe.client.close();
  expect(starts(folder)).toHaveLength(1);
});

proves("CMD-9", "another user's folder is refused before anything is asked or started", async () => {
  const folder = tempFolder();
  const place = { ...options(folder).place, uid: (process.getuid?.() ?? 0) + 1 };
  const end = await failure(connectToPool(options(folder, "", { place })));
  expect(end).toMatchObject({ code: "foreign_owner", exitCode: 3 });
  expect(end.message).toContain(`The state folder ${folder} belongs to another user`);
  expect(existsSync(join(folder, "starts"))).toBe(false);
});

proves("CMD-9", "another user's socket is refused, wherever the discovery file says it is", async () => {
  const folder = tempFolder();
  const socketPath = join(tempFolder(), "theirs.sock");
  const server = createServer((socket) => void socket.destroy());
  server.listen(socketPath);
  await once(server, "listening");
  const { uid } = statSync(folder);
  // Only root can make a socket of somebody else's; for others this shows that their own one is not refused.
  if (uid === 0) chownSync(socketPath, 65_534, 65_534);
  const content = {
    pid: 1,
    startedAt: "a",
    poolId: "p",
    version: "1",
    contractVersion: 1,
    socketPath,
    url: "http://127.0.0.1:1",
  };
  writeFileSync(join(folder, "daemon.json"), JSON.stringify(content));
  const attempt = connectToPool(options(folder, "", { start: false, deadlineMs: 500 }));
  const end = await failure(attempt);
  expect(end.code).toBe(uid === 0 ? "foreign_owner" : "not_answering");
  if (uid === 0) expect(end.message).toContain(`The socket ${socketPath} belongs to another user (uid 65534`);
  used.delete(folder);
  await new Promise((resolve) => server.close(resolve));
});

proves(
  "CMD-10",
  "a refused configuration is exit code 2 in the daemon's own words; a silent death says how it died",
  async () => {
    const refused = await failure(connectToPool(options(tempFolder(), "config")));
    expect(refused).toMatchObject({ code: "start_failed", exitCode: 2 });
    expect(refused.message).toContain("/mcpServers/x");
    expect(refused.next).toContain("toolpool check");
    const died = await failure(connectToPool(options(tempFolder(), "dies")));
    expect(died).toMatchObject({ code: "start_failed", exitCode: 3 });
    expect(died.message).toContain("exit code 7");
    expect(died.next).toContain("toolpool up --foreground");
  },
);

proves("CMD-10", "a daemon that never gets ready is given up after the deadline, with one notice, and ended", async () => {
  const folder = tempFolder();
  const notices: string[] = [];
  const onProgress = (notice: string): void => void notices.push(notice);
  const end = await failure(connectToPool(options(folder, "mute", { deadlineMs: 500, noticeMs: 50, onProgress })));
  expect(end).toMatchObject({ code: "start_timeout", exitCode: 3 });
  expect(notices).toEqual(["The daemon is still starting…"]);
  expect(markProcess(Number(starts(folder)[0]?.split(" ")[0]))).toBeUndefined();
});

proves("CMD-10", "an interrupt ends the wait at once and the half-started daemon with it", async () => {
  const folder = tempFolder();
  const controller = new AbortController();
  const pending = connectToPool(options(folder, "mute", { signal: controller.signal }));
  while (!existsSync(join(folder, "starts"))) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new Error("Ctrl-C"));
  await expect(pending).rejects.toThrow("Ctrl-C");
  expect(markProcess(Number(starts(folder)[0]?.split(" ")[0]))).toBeUndefined();
});

proves("CMD-10", "something that accepts and answers nonsense is reported, not replaced", async () => {
  const folder = tempFolder();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"));
  });
  server.listen(join(folder, "toolpool.sock"));
  await once(server, "listening");
  const end = await failure(connectToPool(options(folder, "", { deadlineMs: 300 })));
  expect(end.code).toBe("start_timeout");
  expect(end.message).toContain("not as a daemon does");
  expect(existsSync(join(folder, "starts"))).toBe(false);
  used.delete(folder);
  await new Promise((resolve) => server.close(resolve));
});
