// The watch over real sockets: events, ends, a reader that does not read, a hundred that leave.
import { expect } from "vitest";
import { WATCH_PATH } from "../../daemon/http/app.ts";
import type { WatchEvent } from "../../daemon/http/ports.ts";
import { proves } from "../support/promise.ts";
import { start, TOKEN, type RawClient, type Running } from "./daemon.ts";
import { row, VERSION } from "./fake-ports.ts";

async function watch(daemon: Running, query = "", headers = "", way: "tcp" | "unix" = "unix"): Promise<RawClient> {
  const client = await daemon.raw(way);
  const own = `Host: localhost:${String(daemon.port)}\r\nAuthorization: Bearer ${TOKEN}\r\n`;
  client.send(`GET ${WATCH_PATH}${query} HTTP/1.1\r\n${own}${headers}\r\n`);
  return client;
}

type Watched = Running["ports"]["watches"] extends Set<infer W> ? W : never;

async function watched(daemon: Running, count = 1): Promise<Watched> {
  await daemon.ports.until(() => daemon.ports.watches.size >= count);
  const last = [...daemon.ports.watches].at(-1);
  if (last === undefined) throw new Error("no watch");
  return last;
}

proves("HTTP-20", "the head comes at once, then each version with its number as id", async () => {
  const daemon = await start();
  const client = await watch(daemon, "?since=3");
  const head = await client.receives("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/);
  expect(head).toMatch(/\r\ncache-control: no-store\r\n/);
  const port = await watched(daemon);
  expect(port.since).toBe(3);
  port.push({ kind: "version", row: row(4) }, { kind: "version", row: row(5) });
  await client.receives(`id: 5\nevent: version\ndata: ${JSON.stringify(row(5))}\n\n`);
  expect(client.received).toContain(`id: 4\nevent: version\ndata: ${JSON.stringify(row(4))}\n\n`);
  client.destroy();
});

proves("HTTP-20", "it begins after Last-Event-ID, else after since, else now", async () => {
  const daemon = await start();
  const cases: readonly (readonly [query: string, headers: string, since: number])[] = [
    ["?since=2", "Last-Event-ID: 5\r\n", 5],
    ["?since=0", "", 0],
    ["", "", VERSION],
  ];
  for (const [query, headers, since] of cases) {
    const client = await watch(daemon, query, headers);
    expect((await watched(daemon)).since).toBe(since);
    client.destroy();
    await daemon.ports.until(() => daemon.ports.watches.size === 0);
  }
});

proves("HTTP-20", "lagging carries the version and no id, closing ends the stream and leaves the connection usable", async () => {
  const daemon = await start();
  const client = await watch(daemon);
  const port = await watched(daemon);
  port.push({ kind: "lagging", version: 9 }, { kind: "closing" }, { kind: "version", row: row(99) });
  await client.receives("\r\n0\r\n\r\n");
  const events = client.received.split("\r\n\r\n").slice(1).join("");
  expect(events).toContain('event: lagging\ndata: {"version":9}\n\n');
  expect(events).toContain("event: closing\ndata: {}\n\n");
  expect(events).not.toContain("id:");
  await daemon.ports.until(() => daemon.ports.watches.size === 0);
  expect(daemon.http.counts()).toEqual({ connections: 1, requests: 0, watches: 0 });
  client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await client.receives('{"status":"ok"}');
  client.destroy();
});

proves("HTTP-20", "comments beat while nothing happens, for every watch", async () => {
  const daemon = await start({ heartbeatMs: 5 });
  const clients = [await watch(daemon), await watch(daemon)];
  for (const client of clients) await client.receives(": beat\n\n");
  clients[0]?.destroy();
  await expect.poll(() => daemon.http.counts().watches).toBe(1);
  const seen = clients[1]?.received.length ?? 0;
  await expect.poll(() => (clients[1]?.received.length ?? 0) > seen).toBe(true);
  clients[1]?.destroy();
});

proves("HTTP-20", "a fault in the registry's stream ends it and is logged; the text of it is not sent", async () => {
  const daemon = await start();
  daemon.ports.registry.watch = () => {
    return (async function* (): AsyncIterable<WatchEvent> {
      yield await Promise.resolve({ kind: "version" as const, row: row(8) });
      throw new Error("canary");
    })();
  };
  const client = await watch(daemon);
  const received = await client.receives("\r\n0\r\n\r\n");
  expect(received).not.toContain("canary");
  expect(received).not.toContain("event: closing");
  expect(daemon.errors).toMatchObject([{ fields: { where: "registry.watch" } }]);
  client.destroy();
});

proves(
  "HTTP-21",
  "while the reader does not read, nothing is taken from the registry; when it reads, all of it comes",
  async () => {
    const daemon = await start();
    const client = await watch(daemon);
    const port = await watched(daemon);
    client.socket.pause();
    const wide = { ...row(8), cause: "x".repeat(16 * 1024) };
    const events = Array.from({ length: 400 }, (_, index) => ({ kind: "version" as const, row: { ...wide, version: index } }));
    port.push(...events);
    // What the socket's buffers hold is taken; it stops well before the 6 MB that are there.
    let before = -1;
    await expect
      .poll(
        () => {
          const steady = port.taken > 0 && port.taken === before;
          before = port.taken;
          return steady;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(port.taken).toBeLessThan(200);
    client.socket.resume();
    await client.receives("id: 399\n");
    expect(port.taken).toBe(400);
    client.destroy();
  },
);

proves("HTTP-21", "a reader that leaves, or only says so, while it is waited for is let go", async () => {
  const daemon = await start();
  const leaving = await watch(daemon);
  const left = await watched(daemon);
  leaving.socket.pause();
  left.push(
    ...Array.from({ length: 100 }, () => ({ kind: "version" as const, row: { ...row(8), cause: "x".repeat(256 * 1024) } })),
  );
  await expect.poll(() => left.taken).toBeGreaterThan(0);
  leaving.socket.end();
  await daemon.ports.until(() => daemon.ports.watches.size === 0);
  leaving.destroy();
  const client = await watch(daemon, "", "", "tcp");
  const port = await watched(daemon);
  client.socket.pause();
  port.push(
    ...Array.from({ length: 100 }, () => ({ kind: "version" as const, row: { ...row(8), cause: "x".repeat(256 * 1024) } })),
  );
  await expect.poll(() => port.taken).toBeGreaterThan(0);
  client.socket.resetAndDestroy();
  await daemon.ports.until(() => daemon.ports.watches.size === 0);
  await expect.poll(() => daemon.http.counts()).toEqual({ connections: 0, requests: 0, watches: 0 });
});

proves("HTTP-21", "of a hundred watches opened and dropped, by end, reset and destruction, nothing is left", async () => {
  const daemon = await start({ heartbeatMs: 5 });
  for (let round = 0; round < 2; round++) {
    const clients = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const client = await watch(daemon, "", "", index % 2 === 0 ? "unix" : "tcp");
        await client.receives(": watching");
        return client;
      }),
    );
    expect(daemon.http.counts()).toEqual({ connections: 50, requests: 50, watches: 50 });
    for (const port of daemon.ports.watches) port.push({ kind: "version", row: row(8) });
    for (const [index, client] of clients.entries()) {
      if (index % 3 === 0) client.socket.end();
      else if (index % 3 === 1) client.destroy();
      else client.socket.destroySoon();
    }
    await daemon.ports.until(() => daemon.ports.watches.size === 0);
    await expect.poll(() => daemon.http.counts()).toEqual({ connections: 0, requests: 0, watches: 0 });
    for (const client of clients) client.destroy();
  }
  expect(daemon.errors).toEqual([]);
});
