// How the daemon begins and ends to listen.
import { spawnSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { connect } from "node:net";
import { expect } from "vitest";
import { WATCH_PATH } from "../../daemon/http/app.ts";
import { createHttp } from "../../daemon/http/http.ts";
import { PortInUse } from "../../daemon/http/listeners.ts";
import { SocketInUse } from "../../daemon/http/socket-file.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { rpcBytes, start, TOKEN } from "./daemon.ts";
import { FakePorts } from "./fake-ports.ts";
import { call } from "./json-rpc.ts";

const quiet = { error: () => undefined, debug: () => undefined };
const fresh = (): ReturnType<typeof createHttp> => createHttp(new FakePorts(), { token: TOKEN, programVersion: "0", log: quiet });
const hold = (id = 1): object => call(id, "hold");

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

proves("HTTP-22", "a large answer that is still on its way arrives whole", async () => {
  const daemon = await start();
  const client = await daemon.raw("unix");
  client.send(rpcBytes(hold()));
  await daemon.ports.until(() => daemon.ports.held.length === 1);
  client.socket.pause();
  const size = 8 * 1024 * 1024;
  daemon.ports.held[0]?.answer(JSON.stringify("x".repeat(size)));
  await new Promise(setImmediate);
  const closing = daemon.http.close(3_600_000);
  client.socket.resume();
  const received = await client.ends();
  expect(received.length - received.indexOf('"result":"')).toBe(size + '"result":""}'.length);
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
