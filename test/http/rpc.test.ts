// JSON-RPC 2.0 on `POST /rpc`: the examples of the specification, then what this project adds to it.
import fc from "fast-check";
import { expect } from "vitest";
import { ERROR_TABLE, METHOD_PARAMS, PoolError, type MethodName } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { start, type Running } from "./daemon.ts";
import { VERSION } from "./fake-ports.ts";

interface Answer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: Readonly<Record<string, unknown>> };
}

async function one(daemon: Running, body: unknown): Promise<Answer> {
  const { status, text } = await daemon.rpc(body);
  expect(status).toBe(200);
  return JSON.parse(text) as Answer;
}

async function many(daemon: Running, body: unknown): Promise<readonly Answer[]> {
  return (await one(daemon, body)) as unknown as readonly Answer[];
}

const reasonOf = (answer: Answer | undefined): unknown => answer?.error?.data.reason;
const request = (id: unknown, method: string, params?: unknown): object => ({ jsonrpc: "2.0", id, method, params });
const call = (id: unknown, name: string, more: object = {}): object =>
  request(id, "tools.call", { sessionId: "s1", version: VERSION, name, ...more });

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

proves("HTTP-10", "a wrong param is named by place and fault; params by position are refused", async () => {
  const daemon = await start();
  const wrong: readonly (readonly [method: string, params: unknown, pointer: string, fault: RegExp])[] = [
    ["session.heartbeat", undefined, "/sessionId", /\/sessionId is missing/],
    ["session.heartbeat", ["s1"], "", /by name/],
    ["session.heartbeat", { sessionId: 1 }, "/sessionId", /must be string/],
    ["session.heartbeat", { sessionId: "s1", other: 1 }, "/other", /\/other is not known/],
    ["session.open", { role: "boss" }, "/role", /one of "lead", "subagent", "teammate"/],
    ["session.open", { attach: ["a", 2] }, "/attach/1", /must be string/],
    ["tools.call", { sessionId: "s1", version: 1.5, name: "n" }, "/version", /must be integer/],
    ["tools.call", { sessionId: "s1", version: 1, name: "n", arguments: [] }, "/arguments", /must be object/],
    ["tools.call", { sessionId: "s1", version: 1, name: "n", approval: { decision: "ask" } }, "/approval/decision", /one of/],
    ["registry.versions", { limit: 1_001 }, "/limit", /<= 1000/],
    ["servers.list", { "a/b~c": 1 }, "/a~1b~0c", /is not known/],
  ];
  for (const [method, params, pointer, fault] of wrong) {
    const { error } = await one(daemon, request(1, method, params));
    expect(error).toMatchObject({ code: -32602, data: { reason: "invalid_params", retryable: false, pointer } });
    expect(error?.message).toMatch(fault);
  }
  expect(reasonOf(await one(daemon, '{"jsonrpc":"2.0","id":1,"method":"tools.call","params":{"version":1e999}}'))).toBe(
    "invalid_params",
  );
  expect(daemon.ports.asked).toEqual([]);
});

proves("HTTP-10", "a member called __proto__ is a member: refused among params, passed on among arguments", async () => {
  const daemon = await start();
  const params = '"sessionId":"s1","version":7,"name":"works"';
  const send = (text: string): Promise<Answer> =>
    one(daemon, `{"jsonrpc":"2.0","id":1,"method":"tools.call","params":{${text}}}`);
  expect(reasonOf(await send('"__proto__":{"sessionId":"s1","version":7,"name":"works"}'))).toBe("invalid_params");
  expect(reasonOf(await send(`${params},"constructor":1`))).toBe("invalid_params");
  const odd = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}';
  expect(reasonOf(await send(`${params},"arguments":${odd}`))).toBeUndefined();
  const seen = daemon.ports.asked.at(-1)?.params as { arguments: object };
  expect(JSON.stringify(seen.arguments)).toBe(odd);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

const GOOD_PARAMS: Readonly<Record<MethodName, object>> = {
  "pool.hello": { client: { name: "c", version: "1" }, contractVersion: 1 },
  "session.open": { role: "lead" },
  "session.close": { sessionId: "s1" },
  "session.heartbeat": { sessionId: "s1" },
  "registry.snapshot": { sessionId: "s1" },
  "registry.versions": { since: 1, limit: 2 },
  "registry.diff": { from: 1, to: 2 },
  "tools.call": { sessionId: "s1", version: VERSION, name: "works" },
  "tools.cancel": { sessionId: "s1", callId: "c" },
  "servers.list": {},
  "servers.get": { alias: "demo_alpha" },
  "servers.connect": { alias: "demo_alpha" },
  "servers.disconnect": { alias: "demo_alpha" },
  "servers.restart": { alias: "demo_alpha" },
  "config.reload": {},
  "daemon.shutdown": { drainMs: 5 },
};

proves("HTTP-11", "every method of the table answers, and another is method_not_found", async () => {
  const daemon = await start();
  expect(Object.keys(GOOD_PARAMS).sort()).toEqual(Object.keys(METHOD_PARAMS).sort());
  for (const [method, params] of Object.entries(GOOD_PARAMS)) {
    const answer = await one(daemon, request(method, method, params));
    expect(answer, method).toEqual({ jsonrpc: "2.0", id: method, result: expect.anything() as unknown });
  }
  for (const method of ["", "pool.Hello", "toString", "__proto__", "rpc.discover", "tools.call "]) {
    const { error } = await one(daemon, request(1, method));
    expect(error).toMatchObject({ code: -32601, data: { reason: "method_not_found", retryable: false } });
  }
});

proves("HTTP-11", "each error of the table leaves with its code, its reason, its data and whether to retry", async () => {
  const daemon = await start();
  for (const [reason, { code, retryable }] of Object.entries(ERROR_TABLE)) {
    const error = new PoolError(reason as keyof typeof ERROR_TABLE, "why", { hint: 1 });
    const reply = one(daemon, call(1, "hold"));
    await daemon.ports.until(() => daemon.ports.held.length === 1);
    daemon.ports.held.pop()?.fail(error);
    expect((await reply).error).toEqual({ code, message: "why", data: { hint: 1, reason, retryable } });
  }
  const failed = await one(daemon, request(1, "servers.connect", { alias: "broken" }));
  expect(failed.error).toMatchObject({ code: 4022, data: { failure: "spawn_failed", details: [] } });
});

proves("HTTP-12", "the text of a snapshot and of an outcome is in the answer as the pool holds it", async () => {
  const daemon = await start();
  const { text } = await daemon.rpc(request(1, "registry.snapshot", { sessionId: "s1" }));
  expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"digest":"d","tools":[{"n":12345678901234567890}],"version":7}}');
  const outcome = '{"content":[],"structured_content":{"z":1.0,"a":12345678901234567890,"é":"\\u00e9 \u2028"},"status":"ok"}';
  const reply = daemon.rpc(call("x", "hold"));
  await daemon.ports.until(() => daemon.ports.held.length === 1);
  daemon.ports.held[0]?.answer(outcome);
  expect((await reply).text).toBe(`{"jsonrpc":"2.0","id":"x","result":${outcome}}`);
});

proves(
  "HTTP-16",
  "a fault is internal_error with a reference; what it says is nowhere, where it arose is in the log",
  async () => {
    const daemon = await start();
    const { text } = await daemon.rpc(call(1, "fault", { arguments: { key: "argument-canary" } }));
    const { error } = JSON.parse(text) as Answer;
    const reference = error?.data.reference;
    expect(error).toMatchObject({ code: -32603, data: { reason: "internal_error", retryable: false } });
    expect(reference).toMatch(/^[0-9a-f]{12}$/);
    expect(error?.message).toBe(`The daemon failed; its log has the details under ${String(reference)}`);
    expect(daemon.errors).toHaveLength(1);
    expect(daemon.errors[0]?.fields).toMatchObject({ reference, where: "tools.call", fault: "TypeError" });
    expect(JSON.stringify(daemon.errors)).toMatch(/fake-ports\.ts:\d+/);
    expect(text + JSON.stringify([daemon.errors, daemon.debugs])).not.toMatch(/canary/);
  },
);

proves("HTTP-16", "a refusal is no fault: nothing is logged for it", async () => {
  const daemon = await start();
  await daemon.rpc(request(1, "servers.get", { alias: "none" }));
  await daemon.rpc("nope");
  await daemon.unix({ path: "/v1/servers/none" });
  expect([...daemon.errors, ...daemon.debugs]).toEqual([]);
});

proves("HTTP-17", "while closing, what starts something is shutting_down and everything else is answered", async () => {
  const daemon = await start();
  daemon.ports.ready = false;
  const refused: string[] = [];
  for (const [method, params] of Object.entries(GOOD_PARAMS)) {
    const { error } = await one(daemon, request(1, method, params));
    if (error === undefined) continue;
    expect(error).toMatchObject({ code: 4030, data: { reason: "shutting_down", retryable: true } });
    refused.push(method);
  }
  expect(refused).toEqual(["session.open", "tools.call", "servers.connect", "servers.restart", "config.reload"]);
  const ready = await daemon.unix({ path: "/readyz" });
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([503, { error: { reason: "shutting_down" } }]);
  expect((await daemon.unix({ path: "/livez" })).status).toBe(200);
  expect((await daemon.unix({ path: "/v1/registry" })).status).toBe(200);
});
