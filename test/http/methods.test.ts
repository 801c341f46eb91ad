// The methods behind `POST /rpc`: their params, their results as text, their errors, faults of the daemon, and closing.
import { expect } from "vitest";
import { ERROR_TABLE, METHOD_PARAMS, PoolError, type MethodName } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { start } from "./daemon.ts";
import { VERSION } from "./fake-ports.ts";
import { call, one, reasonOf, request, type Answer } from "./json-rpc.ts";

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
  "servers.inspect": { alias: "demo_alpha", launchDigest: "0" },
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
  expect(refused).toEqual([
    "session.open",
    "tools.call",
    "servers.connect",
    "servers.restart",
    "servers.inspect",
    "config.reload",
  ]);
  const ready = await daemon.unix({ path: "/readyz" });
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([503, { error: { reason: "shutting_down" } }]);
  expect((await daemon.unix({ path: "/livez" })).status).toBe(200);
  expect((await daemon.unix({ path: "/v1/registry" })).status).toBe(200);
});
