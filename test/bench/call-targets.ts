// The roads to one echo server that the call measurement compares. Each target has a server process of its own; the HTTP ones
// share one driver (the client's own exchange over undici), so that only what stands behind the socket differs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Pool } from "undici";
import { exchange } from "../../client/exchange.ts";
import { startDaemonProcess } from "./daemon-process.ts";

export interface Target {
  readonly name: string;
  /** The process between us and the server; undefined when there is none. */
  readonly gatewayPid: number | undefined;
  readonly serverPid: number;
  /** The text that came back. */
  readonly call: (text: string) => Promise<string>;
}

export interface Targets {
  readonly targets: readonly Target[];
  readonly close: () => Promise<void>;
}

const sockets = 64;

/** `{"content":[{"type":"text","text":…}]}` and the pool's outcome share this member. */
interface Answered {
  readonly content: readonly { readonly text: string }[];
}
const textOf = (answer: Answered): string => answer.content[0]?.text ?? "";

type Reach = { readonly socketPath: string } | { readonly url: string };
const poolFor = (reach: Reach): Pool =>
  "socketPath" in reach
    ? new Pool("http://localhost", { socketPath: reach.socketPath, connections: sockets })
    : new Pool(reach.url, { connections: sockets });

export async function openTargets(serverFile: string): Promise<Targets> {
  const parts: Targets[] = [];
  try {
    for (const open of [direct, passThrough, daemon]) parts.push(await open(serverFile));
  } catch (error) {
    await Promise.all(parts.map((part) => part.close()));
    throw error;
  }
  return {
    targets: parts.flatMap((part) => part.targets),
    close: async () => {
      for (const part of parts) await part.close();
    },
  };
}

async function direct(serverFile: string): Promise<Targets> {
  const client = new Client({ name: "direct", version: "1.0.0" });
  const transport = new StdioClientTransport({ command: process.execPath, args: [serverFile] });
  await client.connect(transport);
  const call = async (text: string): Promise<string> =>
    textOf((await client.callTool({ name: "echo", arguments: { text } })) as unknown as Answered);
  return {
    targets: [{ name: "direct", gatewayPid: undefined, serverPid: transport.pid ?? 0, call }],
    close: () => client.close(),
  };
}

async function passThrough(serverFile: string): Promise<Targets> {
  const folder = mkdtempSync(join(tmpdir(), "tpb-"));
  const socketPath = join(folder, "s");
  const child = spawn(process.execPath, [join(import.meta.dirname, "pass-through.js"), serverFile, socketPath], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const [said] = (await once(child, "message")) as [{ url: string; serverPid: number }];
  const pools: Pool[] = [];
  const target = (name: string, reach: Reach): Target => {
    const pool = poolFor(reach);
    pools.push(pool);
    const headers = { "content-type": "application/json" };
    const call = async (text: string): Promise<string> => {
      const body = JSON.stringify({ name: "echo", arguments: { text } });
      return textOf(JSON.parse((await exchange(pool, { method: "POST", path: "/call", headers, body })).text) as Answered);
    };
    return { name, gatewayPid: child.pid, serverPid: said.serverPid, call };
  };
  return {
    targets: [target("pass-through, socket", { socketPath }), target("pass-through, TCP", { url: said.url })],
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function daemon(serverFile: string): Promise<Targets> {
  const running = await startDaemonProcess({
    echo: { command: process.execPath, args: [serverFile], tools: { echo: "read" }, concurrency: sockets },
  });
  const control = running.client();
  const { sessionId } = await control.request("session.open", { attach: ["echo"] });
  const { version } = await control.request("registry.snapshot", { sessionId });
  const { pid: serverPid = 0 } = await control.request("servers.get", { alias: "echo" });
  const pools: Pool[] = [];
  let id = 0;
  const target = (name: string, reach: Reach): Target => {
    const pool = poolFor(reach);
    pools.push(pool);
    const headers = { "content-type": "application/json", authorization: `Bearer ${running.token}` };
    const call = async (text: string): Promise<string> => {
      const params = { sessionId, version, name: "mcp__echo__echo", arguments: { text } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tools.call", params });
      const answer = await exchange(pool, { method: "POST", path: "/rpc", headers, body });
      return textOf((JSON.parse(answer.text) as { result: Answered }).result);
    };
    return { name, gatewayPid: running.pid, serverPid, call };
  };
  const { socketPath, url } = running.discovery;
  return {
    targets: [target("toolpool, socket", { socketPath }), target("toolpool, TCP", { url })],
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
      await running.stop();
    },
  };
}
