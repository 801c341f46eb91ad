// JSON-RPC 2.0 on `POST /rpc`: the examples of the specification, and what no client should send.
import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { start } from "./daemon.ts";
import { VERSION } from "./fake-ports.ts";
import { call, many, one, reasonOf, request, type Answer } from "./json-rpc.ts";

proves("HTTP-7", "what is no JSON is a parse error with id null and HTTP 200", async () => {
  const daemon = await start();
  const broken = [
    '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
    "",
    "nope",
    '[{"jsonrpc":"2.0","method"',
    "\ufeff{}",
  ];
  for (const body of [...broken, Buffer.from([0x22, 0xff, 0xfe, 0x22])]) {
    const answer = await one(daemon, body);
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32700, data: { reason: "parse_error" } } });
  }
});

proves("HTTP-7", "what is no request is an invalid request, with the id where it could be read", async () => {
  const daemon = await start();
  const invalid: readonly (readonly [body: unknown, id: unknown])[] = [
    [{ jsonrpc: "2.0", method: 1, params: "bar" }, null],
    [1, null],
    ["text", null],
    ["null", null],
    [{}, null],
    [{ jsonrpc: "1.0", id: 3, method: "servers.list" }, 3],
    [{ id: "a", method: "servers.list" }, "a"],
    [{ jsonrpc: "2.0", id: 4 }, 4],
    [{ jsonrpc: "2.0", id: 5, method: "servers.list", params: "bar" }, 5],
    [{ jsonrpc: "2.0", id: 6, method: "servers.list", params: null }, 6],
    [{ jsonrpc: "2.0", id: true, method: "servers.list" }, null],
    [{ jsonrpc: "2.0", id: {}, method: "servers.list" }, null],
    [{ jsonrpc: "2.0", id: [1], method: "servers.list" }, null],
    ['{"__proto__":{"jsonrpc":"2.0","id":1,"method":"servers.list"}}', null],
  ];
  for (const [body, id] of invalid) {
    const text = body === "text" ? '"text"' : body;
    expect(await one(daemon, text), JSON.stringify(body)).toMatchObject({ id, error: { code: -32600 } });
  }
  expect(daemon.ports.asked).toEqual([]);
});

proves("HTTP-7", "an id comes back in its own type and as it is written where a double cannot hold it", async () => {
  const daemon = await start();
  for (const id of [
    '"1"',
    "1",
    "null",
    "0",
    "-7",
    "1.5",
    '""',
    '"\\u0000\\"é"',
    "12345678901234567890",
    "1e400",
    "0.1000000000000000055",
  ]) {
    const { text } = await daemon.rpc(`{"jsonrpc":"2.0","id":${id},"method":"servers.list"}`);
    expect(text).toContain(`{"jsonrpc":"2.0","id":${id.includes("\\u") ? JSON.stringify(JSON.parse(id)) : id},"result":`);
  }
  const { text } = await daemon.rpc(
    '[{"jsonrpc":"2.0","id":9007199254740993,"method":"servers.list"},{"id":98765432109876543210}]',
  );
  expect(text).toMatch(/^\[\{"jsonrpc":"2\.0","id":9007199254740993,.*"id":98765432109876543210,"error"/);
});

proves("HTTP-7", "no body whatever brings anything but one JSON-RPC answer", async () => {
  const daemon = await start();
  await fc.assert(
    fc.asyncProperty(fc.json(), async (body) => {
      const { status, text } = await daemon.rpc(body);
      const answer = JSON.parse(text) as Answer | readonly Answer[];
      expect(status).toBe(200);
      for (const entry of Array.isArray(answer) ? (answer as readonly Answer[]) : [answer as Answer]) {
        expect(entry.error?.data.reason).toBe("invalid_request");
      }
    }),
    { numRuns: 100 },
  );
});

proves("HTTP-8", "the batch of the specification: valid, notification, invalid, unknown, in order", async () => {
  const daemon = await start();
  const answers = await many(daemon, [
    request("1", "session.heartbeat", { sessionId: "s1" }),
    { jsonrpc: "2.0", method: "session.close", params: { sessionId: "s1" } },
    request(1, "session.heartbeat", { sessionId: "s1" }),
    { foo: "boo" },
    request("5", "foo.get", { name: "myself" }),
    1,
    request("9", "servers.list"),
  ]);
  expect(answers.map(({ id }) => id)).toEqual(["1", 1, null, "5", null, "9"]);
  const reasons = [undefined, undefined, "invalid_request", "method_not_found", "invalid_request", undefined];
  expect(answers.map(reasonOf)).toEqual(reasons);
});

proves("HTTP-8", "an empty batch and one of more than 1,000 entries are one invalid request; 1,000 are answered", async () => {
  const daemon = await start();
  const entries = Array.from({ length: 1_001 }, (_, index) => request(index, "session.heartbeat", { sessionId: "s1" }));
  for (const body of [[], entries]) {
    expect(await one(daemon, body)).toMatchObject({ id: null, error: { code: -32600, data: { reason: "invalid_request" } } });
  }
  const answers = await many(daemon, entries.slice(1));
  expect(answers.map(({ id }) => id)).toEqual(entries.slice(1).map((_, index) => index + 1));
});

proves("HTTP-8", "the entries run at the same time, and the order of the answers is that of the entries", async () => {
  const daemon = await start();
  const reply = many(daemon, [call("a", "hold"), call("b", "hold"), call("c", "hold")]);
  await daemon.ports.until(() => daemon.ports.held.length === 3);
  for (const [index, held] of [...daemon.ports.held.entries()].reverse()) held.answer(`{"nr":${String(index)}}`);
  expect((await reply).map(({ id, result }) => [id, result])).toEqual([
    ["a", { nr: 0 }],
    ["b", { nr: 1 }],
    ["c", { nr: 2 }],
  ]);
});

proves("HTTP-8", "one failing entry fails alone", async () => {
  const daemon = await start();
  const answers = await many(daemon, [call(1, "fault"), request(2, "servers.get", { alias: "none" }), call(3, "works")]);
  expect(answers.map(reasonOf)).toEqual(["internal_error", "unknown_alias", undefined]);
});

proves("HTTP-9", "notifications are executed and not answered, alone and in a batch, whatever they come to", async () => {
  const daemon = await start();
  const note = (method: string, params?: unknown): object => ({ jsonrpc: "2.0", method, params });
  const notes = [
    note("session.close", { sessionId: "s1" }),
    note("tools.call", { sessionId: "s1", version: VERSION, name: "works" }),
    note("tools.call", { sessionId: "s1", version: VERSION, name: "fault" }),
    note("no.such.method"),
    note("session.close", {}),
    note("session.close", ["s1"]),
  ];
  for (const body of [...notes, notes]) {
    const { status, text, headers } = await daemon.rpc(body);
    expect({ status, text }).toEqual({ status: 204, text: "" });
    expect(headers["content-type"]).toBeUndefined();
  }
  const asked = daemon.ports.asked.map(({ what }) => what);
  expect(asked).toEqual(["session.close", "tools.call", "session.close", "tools.call"]);
});
