// How the daemon begins and ends to listen, and what connections may do to it meanwhile.
import { spawnSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { connect } from "node:net";
import { expect } from "vitest";
import { WATCH_PATH } from "../../daemon/http/app.ts";
import { createHttp } from "../../daemon/http/http.ts";
import { PortInUse, type Patience } from "../../daemon/http/listeners.ts";
import { SocketInUse } from "../../daemon/http/socket-file.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { rpcBytes, start, TOKEN, type Running } from "./daemon.ts";
import { FakePorts, VERSION } from "./fake-ports.ts";

const quiet = { error: () => undefined, debug: () => undefined };
const fresh = (): ReturnType<typeof createHttp> => createHttp(new FakePorts(), { token: TOKEN, programVersion: "0", log: quiet });
const hold = (id = 1): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools.call",
  params: { sessionId: "s1", version: VERSION, name: "hold" },
});

const refuses = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => {
      socket.destroy();
      resolve("connected");
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
  });

const listening = (server: Server, where: string | number): Promise<void> =>
  new Promise((resolve) => {
    if (typeof where === "string") server.listen(where, resolve);
    else server.listen(where, "127.0.0.1", resolve);
  });
const closed = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));

function modeOfNewFile(): number {
  const file = join(tempFolder(), "f");
  writeFileSync(file, "");
  return statSync(file).mode;
}

proves("HTTP-4", "TCP is on 127.0.0.1 alone, and the socket's file is ours only", async () => {
  const modeBefore = modeOfNewFile();
  const daemon = await start();
  expect(daemon.url).toBe(`http://127.0.0.1:${String(daemon.port)}`);
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
    .filter((address) => address !== "127.0.0.1" && !address.startsWith("fe80"));
  for (const address of [...others, "127.0.0.2"]) expect(await refuses(address, daemon.port), address).not.toBe("connected");
  expect(statSync(daemon.socketPath).mode & 0o777).toBe(0o600);
  expect(modeOfNewFile()).toBe(modeBefore);
});

proves("HTTP-4", "a port in use is an error that names it, and the socket is not made", async () => {
  const holder = createServer();
  await listening(holder, 0);
  const address = holder.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const socketPath = join(tempFolder(), "t.sock");
  const http = fresh();
  const error: unknown = await http.listen({ socketPath, port }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PortInUse);
  expect(error).toMatchObject({ code: "port_in_use", port });
  expect(String(error)).toContain(String(port));
  expect(existsSync(socketPath)).toBe(false);
  await http.close(100);
  await closed(holder);
});

proves("HTTP-4", "a socket that lives, or something else in its place, is left alone, and TCP is let go", async () => {
  const socketPath = join(tempFolder(), "t.sock");
  const holder = createServer((socket) => socket.destroy());
  await listening(holder, socketPath);
  const http = fresh();
  await expect(http.listen({ socketPath, port: 0 })).rejects.toThrow(SocketInUse);
  expect(existsSync(socketPath)).toBe(true);
  await http.close(100);
  await closed(holder);
  writeFileSync(socketPath, "somebody's file");
  const again = fresh();
  await expect(again.listen({ socketPath, port: 0 })).rejects.toMatchObject({ code: "socket_in_use", socketPath });
  await again.close(100);
  expect(statSync(socketPath).size).toBe(15);
});

proves("HTTP-4", "the socket of a program that died is taken over", async () => {
  const socketPath = join(tempFolder(), "t.sock");
  const program = `require("node:net").createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, "SIGKILL"))`;
  expect(spawnSync(process.execPath, ["-e", program]).signal).toBe("SIGKILL");
  expect(existsSync(socketPath)).toBe(true);
  const http = fresh();
  await http.listen({ socketPath, port: 0 });
  expect(await refuses(socketPath, 0)).not.toBe("connected");
  await http.close(100);
  expect(existsSync(socketPath)).toBe(false);
});

proves(
  "HTTP-22",
  "idle connections, used and never used, do not hold up the close, and nobody can connect any more",
  async () => {
    const daemon = await start();
    const used = await daemon.raw("unix");
    used.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await used.receives('{"status":"ok"}');
    const idle = [used, await daemon.raw("unix"), await daemon.raw("tcp")];
    await expect.poll(() => daemon.http.counts().connections).toBe(3);
    // A deadline that no test outlasts: only what ends by itself lets this resolve.
    await daemon.http.close(3_600_000);
    for (const client of idle) await client.ends();
    expect(await refuses("127.0.0.1", daemon.port)).toBe("ECONNREFUSED");
    expect(existsSync(daemon.socketPath)).toBe(false);
  },
);

proves("HTTP-22", "a call in flight is answered, its connection then ended; later requests on it are not begun", async () => {
  const daemon = await start();
  const client = await daemon.raw("unix");
  client.send(rpcBytes(hold()));
  await daemon.ports.until(() => daemon.ports.held.length === 1);
  const closing = daemon.http.close(3_600_000);
  daemon.ports.held[0]?.answer('{"late":true}');
  const received = await client.ends();
  expect(received).toContain('"result":{"late":true}');
  expect(received.toLowerCase()).toContain("connection: close");
  await closing;
});

proves("HTTP-22", "every watch hears closing and ends, also one that is opened while closing", async () => {
  const daemon = await start();
  const client = await daemon.raw("unix");
  client.send(`GET ${WATCH_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await client.receives(": watching");
  const busy = await daemon.raw("unix");
  busy.send(rpcBytes(hold()));
  await daemon.ports.until(() => daemon.ports.held.length === 1);
  const closing = daemon.http.close(3_600_000);
  busy.send(`GET ${WATCH_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  expect(await client.ends()).toContain("event: closing\ndata: {}\n\n");
  daemon.ports.held[0]?.answer("{}");
  await busy.ends();
  await closing;
  expect(daemon.ports.watches.size).toBe(0);
});

proves(
  "HTTP-22",
  "at the deadline what is left is ended, and its calls are cancelled; a second close is the same one",
  async () => {
    const daemon = await start();
    const client = await daemon.raw("unix");
    client.send(rpcBytes(hold()));
    await daemon.ports.until(() => daemon.ports.held.length === 1);
    await Promise.all([daemon.http.close(20), daemon.http.close(3_600_000)]);
    expect(await client.ends()).toBe("");
    expect(daemon.ports.held[0]?.signal.aborted).toBe(true);
    expect(daemon.http.counts()).toEqual({ connections: 0, requests: 0, watches: 0 });
  },
);

proves("HTTP-22", "destroy ends everything now, also in the middle of a close", async () => {
  const daemon = await start();
  const client = await daemon.raw("tcp");
  client.send(
    rpcBytes(hold()).replace("Host: localhost", `Host: 127.0.0.1:${String(daemon.port)}\r\nAuthorization: Bearer ${TOKEN}`),
  );
  await daemon.ports.until(() => daemon.ports.held.length === 1);
  const closing = daemon.http.close(3_600_000);
  await daemon.http.destroy();
  await closing;
  await client.ends();
  expect(daemon.ports.held[0]?.signal.aborted).toBe(true);
});

async function expectAlive(daemon: Running): Promise<void> {
  expect((await daemon.unix({ path: "/livez" })).text).toBe('{"status":"ok"}');
}

proves("HTTP-23", "what is no HTTP is answered 400 and ended, headers without measure 431", async () => {
  const daemon = await start();
  const malformed = [
    "nonsense\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost localhost\r\n\r\n",
    "\u0016\u0003\u0001\u0002\u0000\u0001",
    "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ];
  for (const bytes of malformed) {
    const client = await daemon.raw("unix");
    client.send(bytes);
    const received = await client.ends();
    expect(received, bytes).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(received).toContain('{"error":{"reason":"invalid_request"');
  }
  const client = await daemon.raw("unix");
  client.send(`GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(64 * 1024)}\r\n\r\n`);
  expect(await client.ends()).toMatch(/^HTTP\/1\.1 431 /);
  await expectAlive(daemon);
  expect(daemon.errors).toEqual([]);
});

proves("HTTP-23", "nonsense behind a call in flight ends the connection and is not answered in the call's place", async () => {
  const daemon = await start();
  const client = await daemon.raw("unix");
  client.send(rpcBytes(hold()));
  await daemon.ports.until(() => daemon.ports.held.length === 1);
  client.send("nonsense\r\n\r\n");
  expect(await client.ends()).toBe("");
  expect(daemon.ports.held[0]?.signal.aborted).toBe(true);
  await expectAlive(daemon);
});

proves("HTTP-23", "pipelined requests are answered in their order", async () => {
  const daemon = await start();
  const client = await daemon.raw("unix");
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  client.send(rpcBytes(hold(7)) + get("/livez") + get("/nowhere") + get("/readyz"));
  await daemon.ports.until(() => daemon.ports.held.length === 1);
  daemon.ports.held[0]?.answer("{}");
  const received = await client.receives('"ready"');
  const places = ['"id":7', '"ok"', '"not_found"', '"ready"'].map((part) => received.indexOf(part));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  client.destroy();
});

const IMPATIENT: Patience = { headersMs: 50, requestMs: 100, keepAliveMs: 50, checkEveryMs: 10 };

proves(
  "HTTP-23",
  "who says nothing, half a request, or half a body is ended in bounded time; a call and a watch are not",
  async () => {
    const daemon = await start({ patience: IMPATIENT });
    const call = await daemon.raw("unix");
    call.send(rpcBytes(hold()));
    const watch = await daemon.raw("unix");
    watch.send(`GET ${WATCH_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await watch.receives(": watching");
    const silent = await daemon.raw("unix");
    const half = await daemon.raw("unix");
    half.send("GET /livez HTTP/1.1\r\nHo");
    const halfBody = await daemon.raw("unix");
    halfBody.send(rpcBytes(hold(2)).slice(0, -10));
    const idle = await daemon.raw("unix");
    idle.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await silent.ends();
    expect(await half.ends()).toMatch(/^HTTP\/1\.1 408 /);
    expect(await halfBody.ends()).toMatch(/^HTTP\/1\.1 408 /);
    expect(await idle.ends()).toMatch(/^HTTP\/1\.1 200 /);
    expect(daemon.ports.held).toHaveLength(1);
    daemon.ports.held[0]?.answer('{"patient":true}');
    await call.receives('"patient":true');
    for (const port of daemon.ports.watches) port.push({ kind: "lagging", version: 7 });
    await watch.receives("event: lagging");
    call.destroy();
    watch.destroy();
  },
);

proves("HTTP-23", "a thousand connections opened and dropped, in every state, leave nothing", async () => {
  const daemon = await start();
  const beginnings = ["", "GET /li", "nonsense", rpcBytes(hold()).slice(0, -3), "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"];
  const connections = (count: number): Promise<void> =>
    expect.poll(() => daemon.http.counts().connections, { interval: 1, timeout: 10_000 }).toBe(count);
  for (let round = 0; round < 20; round++) {
    const clients = await Promise.all(Array.from({ length: 50 }, () => daemon.raw("unix")));
    await connections(50);
    for (const [index, client] of clients.entries()) {
      client.send(beginnings[index % beginnings.length] ?? "");
      client.destroy();
    }
    await connections(0);
  }
  await expect.poll(() => daemon.http.counts()).toEqual({ connections: 0, requests: 0, watches: 0 });
  await expectAlive(daemon);
  expect(daemon.errors).toEqual([]);
});
