// The folder, the files in it, the signals and the end of a daemon.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, vi } from "vitest";
import type { Discovery } from "../../daemon/contract/index.ts";
import { closeInOrder, type CloseStep } from "../../daemon/lifecycle/close-order.ts";
import { publishDiscovery, unpublishDiscovery } from "../../daemon/lifecycle/discovery.ts";
import { onSignals } from "../../daemon/lifecycle/signals.ts";
import { claimSocketPath } from "../../daemon/lifecycle/socket-claim.ts";
import { StartError } from "../../daemon/lifecycle/start-error.ts";
import { claimFolder, tightenFiles } from "../../daemon/lifecycle/state-folder.ts";
import { claimToken } from "../../daemon/lifecycle/token.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const mode = (path: string): number => statSync(path).mode & 0o777;

proves("STA-8", "a new folder is 0700; an open one of ours is tightened with its files, and only with those", () => {
  const folder = join(tempFolder(), "a/b");
  claimFolder(folder);
  expect(mode(folder)).toBe(0o700);
  chmodSync(folder, 0o755);
  const elsewhere = join(tempFolder(), "elsewhere");
  writeFileSync(elsewhere, "", { mode: 0o644 });
  writeFileSync(join(folder, "pool.db"), "", { mode: 0o644 });
  chmodSync(join(folder, "pool.db"), 0o644);
  mkdirSync(join(folder, "else"), { mode: 0o755 });
  symlinkSync(elsewhere, join(folder, "link"));
  claimFolder(folder);
  tightenFiles(folder);
  expect([mode(folder), mode(join(folder, "pool.db")), mode(join(folder, "else"))]).toEqual([0o700, 0o600, 0o755]);
  expect(mode(elsewhere)).toBe(0o644);
});

proves("STA-8", "our own link to our own folder is followed; what is a stranger's, or no folder, is refused", () => {
  const folder = tempFolder();
  const real = join(folder, "real");
  mkdirSync(real, { mode: 0o755 });
  symlinkSync(real, join(folder, "link"));
  claimFolder(join(folder, "link"));
  expect(mode(real)).toBe(0o700);
  writeFileSync(join(folder, "file"), "");
  symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
  for (const bad of ["file", "file/x", "dangling"]) expect(() => claimFolder(join(folder, bad)), bad).toThrow(StartError);
  expect(() => claimFolder(join(folder, "file"))).toThrow("is not a folder");
  // Root may give things away; anybody else finds root's.
  if (process.getuid?.() === 0) {
    lchownSync(join(folder, "link"), 54_321, 54_321);
    expect(() => claimFolder(join(folder, "link"))).toThrow("belongs to another user");
    chownSync(real, 54_321, 54_321);
    expect(() => claimFolder(real)).toThrow("belongs to another user");
    writeFileSync(join(folder, "token"), "x".repeat(43));
    chownSync(join(folder, "token"), 54_321, 54_321);
    expect(() => claimToken(join(folder, "token"))).toThrow("belongs to another user");
  } else expect(() => claimFolder("/")).toThrow("belongs to another user");
});

proves("STA-8", "a token is made once, whole and 0600; one that cannot be trusted is refused by name", () => {
  const folder = tempFolder();
  const file = join(folder, "token");
  // What a sudden death in the middle of writing could have left.
  writeFileSync(`${file}.new`, "half", { mode: 0o644 });
  writeFileSync(file, "");
  const token = claimToken(file);
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect([mode(file), readdirSync(folder)]).toEqual([0o600, ["token"]]);
  expect(claimToken(file)).toBe(token);
  writeFileSync(file, "short");
  expect(() => claimToken(file)).toThrow("holds no token");
  expect(readFileSync(file, "utf8")).toBe("short");
  expect(() => claimToken(folder)).toThrow("is not a plain file");
  expect(() => claimToken(join(folder, "missing/token"))).toThrow(StartError);
});

proves("STA-11", "every step has its turn and its deadline, whatever became of those before it", async () => {
  const turns: string[] = [];
  const step = (name: string, close: () => unknown, deadlineMs = 30_000): CloseStep => ({
    name,
    deadlineMs,
    close: () => {
      turns.push(name);
      return close();
    },
  });
  let failLater: (error: Error) => void = () => undefined;
  const faults = await closeInOrder([
    step("fine", () => Promise.resolve()),
    step("throws", () => {
      throw new Error("at once");
    }),
    step("rejects", () => Promise.reject(new Error("later"))),
    step("hangs", () => new Promise((_, reject) => (failLater = reject)), 20),
    step("last", () => undefined),
  ]);
  failLater(new Error("much later: nobody waits any more"));
  expect(turns).toEqual(["fine", "throws", "rejects", "hangs", "last"]);
  expect(faults.map((fault) => fault.step)).toEqual(["throws", "rejects", "hangs"]);
  expect(faults[2]?.error).toMatchObject({ code: "close_late", message: "hangs was not closed within 20 ms" });
});

proves("STA-9", "a successor's discovery file stays, a stale socket goes, anything else in its place is refused", async () => {
  const folder = tempFolder();
  const file = join(folder, "daemon.json");
  const mine: Discovery = { pid: 1, startedAt: "a", poolId: "p", version: "1", contractVersion: 1, socketPath: "/s", url: "u" };
  // A draft that a sudden death left, made to lead elsewhere.
  symlinkSync(join(folder, "elsewhere"), `${file}.new`);
  publishDiscovery(file, mine);
  expect(readdirSync(folder)).toEqual(["daemon.json"]);
  expect([JSON.parse(readFileSync(file, "utf8")), mode(file)]).toEqual([mine, 0o600]);
  publishDiscovery(file, { ...mine, startedAt: "b" });
  for (const other of [mine, { ...mine, startedAt: "b", pid: 2 }, { ...mine, startedAt: "b", poolId: "q" }]) {
    unpublishDiscovery(file, other);
    expect(existsSync(file)).toBe(true);
  }
  unpublishDiscovery(file, { ...mine, startedAt: "b" });
  expect(existsSync(file)).toBe(false);
  unpublishDiscovery(file, mine);
  for (const text of ["null", "not JSON"]) {
    writeFileSync(file, text);
    unpublishDiscovery(file, mine);
    expect(readFileSync(file, "utf8")).toBe(text);
  }
  expect(() => publishDiscovery(join(folder, "missing/daemon.json"), mine)).toThrow(StartError);

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
