// What connections may do to the daemon: nonsense, halves, silence, haste. None of it costs anybody else anything.
import { expect } from "vitest";
import { WATCH_PATH } from "../../daemon/http/app.ts";
import type { Patience } from "../../daemon/http/listeners.ts";
import { proves } from "../support/promise.ts";
import { rpcBytes, start, type Running } from "./daemon.ts";
import { call } from "./json-rpc.ts";

const hold = (id = 1): object => call(id, "hold");

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
