// A real daemon for a measurement: its own state folder and configuration, started as the client starts it, ended with SIGTERM.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PoolClient } from "../../client/pool-client.ts";
import type { Discovery, StartReport } from "../../daemon/contract/index.ts";

/** The checkout: this file runs from test/bench/ and, bundled, from .cache/bench/. */
export const root = join(import.meta.dirname, "../..");

/** As CONTRACT section 3. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly tools: Readonly<Record<string, string>>;
  readonly [option: string]: unknown;
}

export interface DaemonProcess {
  readonly pid: number;
  readonly discovery: Discovery;
  readonly token: string;
  /** From the spawn to the word that it is ready (ms). */
  readonly readyMs: number;
  readonly stateFolder: string;
  /** Over the Unix socket. */
  client(): PoolClient;
  /** The process has ended and its folder is removed. Returns its exit code. */
  stop(): Promise<number | null>;
}

export async function startDaemonProcess(
  mcpServers: Readonly<Record<string, ServerEntry>>,
  limits: Readonly<Record<string, number>> = {},
): Promise<DaemonProcess> {
  const folder = mkdtempSync(join(tmpdir(), "tpb-"));
  const configFile = join(folder, "toolpool.json");
  const stateFolder = join(folder, "s");
  writeFileSync(configFile, JSON.stringify({ mcpServers, limits }));
  const from = performance.now();
  const child = spawn(process.execPath, [join(root, "dist/daemon.js"), "--port", "0"], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, TOOLPOOL_STATE: stateFolder, TOOLPOOL_CONFIG: configFile },
    cwd: folder,
  });
  const ended = once(child, "exit").then(() => child.exitCode);
  const discovery = await firstWord(child);
  const readyMs = performance.now() - from;
  const clients: PoolClient[] = [];
  return {
    pid: discovery.pid,
    discovery,
    token: readFileSync(join(stateFolder, "token"), "utf8").trim(),
    readyMs,
    stateFolder,
    client: () => {
      const client = new PoolClient({ kind: "socket", socketPath: discovery.socketPath });
      clients.push(client);
      return client;
    },
    stop: async () => {
      await Promise.all(clients.map((client) => client.close()));
      child.kill("SIGTERM");
      const code = await ended;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

function firstWord(child: ChildProcess): Promise<Discovery> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) =>
      reject(new Error(`the daemon ended with ${String(code ?? signal)} before it was ready`)),
    );
    child.once("error", reject);
    child.once("message", (report: StartReport) => {
      if ("ready" in report) resolve(report.ready);
      else reject(new Error(report.failed.message));
    });
  });
}
