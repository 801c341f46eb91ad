import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, vi } from "vitest";
import type { Discovery } from "../../daemon/contract/index.ts";
import { publishDiscovery, unpublishDiscovery } from "../../daemon/lifecycle/discovery.ts";
import { onSignals } from "../../daemon/lifecycle/signals.ts";
import { claimSocketPath } from "../../daemon/lifecycle/socket-claim.ts";
import { claimFolder, tightenFiles } from "../../daemon/lifecycle/state-folder.ts";
import { claimToken } from "../../daemon/lifecycle/token.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const mode = (path: string): number => statSync(path).mode & 0o777;

proves(
  "STA-8",
  "a new folder is 0700; an open one of ours is tightened with its files; links, files in the way and foreign tokens are refused",
  () => {
    const folder = join(tempFolder(), "a/b");
    claimFolder(folder);
    expect(mode(folder)).toBe(0o700);
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "pool.db"), "", { mode: 0o644 });
    mkdirSync(join(folder, "else"), { mode: 0o755 });
    claimFolder(folder);
    tightenFiles(folder);
    expect([mode(folder), mode(join(folder, "pool.db")), mode(join(folder, "else"))]).toEqual([0o700, 0o600, 0o755]);
    symlinkSync(folder, join(folder, "link"));
    expect(() => claimFolder(join(folder, "link"))).toThrow("is not a folder");
    expect(() => claimFolder(join(folder, "pool.db/x"))).toThrow("cannot be made");

    const token = claimToken(join(folder, "token"));
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(mode(join(folder, "token"))).toBe(0o600);
    expect(claimToken(join(folder, "token"))).toBe(token);
    writeFileSync(join(folder, "token"), "short");
    expect(() => claimToken(join(folder, "token"))).toThrow("holds no token");
    expect(() => claimToken(join(folder, "else"))).toThrow("is not a plain file");
  },
);

proves("STA-9", "a successor's discovery file stays, a stale socket goes, anything else in its place is refused", async () => {
  const folder = tempFolder();
  const file = join(folder, "daemon.json");
  const mine: Discovery = { pid: 1, startedAt: "a", poolId: "p", version: "1", contractVersion: 1, socketPath: "/s", url: "u" };
  publishDiscovery(file, mine);
  expect([JSON.parse(readFileSync(file, "utf8")), mode(file)]).toEqual([mine, 0o600]);
  publishDiscovery(file, { ...mine, startedAt: "b" });
  unpublishDiscovery(file, mine);
  expect(existsSync(file)).toBe(true);
  unpublishDiscovery(file, { ...mine, startedAt: "b" });
  unpublishDiscovery(file, mine);
  expect(existsSync(file)).toBe(false);

  const path = join(folder, "s.sock");
  claimSocketPath(path);
  const holder = spawn(process.execPath, [
    "-e",
    `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`,
  ]);
  await once(holder.stdout, "data");
  holder.kill("SIGKILL");
  await once(holder, "close");
  expect(existsSync(path)).toBe(true);
  claimSocketPath(path);
  expect(existsSync(path)).toBe(false);
  const server = createServer().listen(path);
  await once(server, "listening");
  server.close();
  writeFileSync(path, "mine");
  expect(() => claimSocketPath(path)).toThrow("is no socket");
});

proves("STA-10", "close, then destroy; reload on SIGHUP; no listener stays", () => {
  const before = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => process.listenerCount(signal));
  const actions = { close: vi.fn(), destroy: vi.fn(), reload: vi.fn() };
  const off = onSignals(actions);
  process.emit("SIGHUP", "SIGHUP");
  process.emit("SIGTERM", "SIGTERM");
  expect([actions.close.mock.calls.length, actions.destroy.mock.calls.length, actions.reload.mock.calls.length]).toEqual([
    1, 0, 1,
  ]);
  process.emit("SIGINT", "SIGINT");
  expect([actions.close.mock.calls.length, actions.destroy.mock.calls.length]).toEqual([1, 1]);
  off();
  expect(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => process.listenerCount(signal))).toEqual(before);
});

proves("STA-10", "a process whose stderr reader has gone reports its fault once and ends", async () => {
  const folder = tempFolder();
  const report = join(folder, "report");
  const contents = `
    import { appendFileSync } from "node:fs";
    import { onLastResort } from "./daemon/lifecycle/last-resort.ts";
    onLastResort({
      report(error) {
        appendFileSync(${JSON.stringify(report)}, error.message + "\\n");
        process.stderr.write("x".repeat(200_000));
        throw new Error("the report itself faults");
      },
      end: () => process.exit(1),
    });
    process.stdin.once("data", () => {
      process.stderr.write("x".repeat(200_000));
      setImmediate(() => { Promise.reject(new Error("first")); throw new Error("second"); });
    });
    console.log("up");`;
  const outfile = join(folder, "program.mjs");
  buildSync({
    stdin: { contents, resolveDir: join(import.meta.dirname, "../..") },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
  });
  const child = spawn(process.execPath, [outfile], { stdio: ["pipe", "pipe", "pipe"] });
  await once(child.stdout, "data");
  child.stderr.destroy();
  child.stdin.write("go");
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(1);
  expect(readFileSync(report, "utf8").trim().split("\n")).toHaveLength(1);
});
