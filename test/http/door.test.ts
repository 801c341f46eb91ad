// The door, for every route there is: Host and Origin, then the token, then the body.
import { expect } from "vitest";
import { RPC_PATH, WATCH_PATH } from "../../daemon/http/app.ts";
import { restRoutes } from "../../daemon/http/rest.ts";
import { proves } from "../support/promise.ts";
import { start, TOKEN, type Reply } from "./daemon.ts";
import { everyAsk, expectNothingDone, expectRefused, registeredRoutes } from "./every-route.ts";
import { FakePorts } from "./fake-ports.ts";

proves("HTTP-1", "the list of routes under test is the registered one, /rpc and the watch included", async () => {
  const registered = await registeredRoutes();
  const paths = new Set(registered.map(({ path }) => path));
  expect(paths).toContain(RPC_PATH);
  expect(paths).toContain(WATCH_PATH);
  for (const { path } of restRoutes(new FakePorts(), "0")) expect(paths).toContain(path);
  expect(registered.filter(({ method }) => method !== "GET" && method !== "HEAD")).toEqual([{ method: "POST", path: "/rpc" }]);
});

const FOREIGN_HOSTS = ["evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", "localhost.:80", "[::1]:80", "0.0.0.0"];

proves("HTTP-1", "a foreign Host is 403 on every route, with the token and without, for every method", async () => {
  const daemon = await start();
  for (const ask of await everyAsk()) {
    for (const authorization of [`Bearer ${TOKEN}`, ""]) {
      const headers = { host: `evil.example:${String(daemon.port)}`, authorization };
      expectRefused(ask, await daemon.tcp({ ...ask, headers }), 403, "forbidden");
    }
    expectRefused(ask, await daemon.unix({ ...ask, headers: { host: "evil.example" } }), 403, "forbidden");
  }
  for (const host of FOREIGN_HOSTS) {
    expectRefused({ path: host }, await daemon.tcp({ path: "/livez", headers: { host } }), 403, "forbidden");
  }
  expectNothingDone(daemon);
});

proves("HTTP-1", "a foreign Origin, and Origin null, are 403 on every route, over TCP and over the socket", async () => {
  const daemon = await start();
  const own = `http://localhost:${String(daemon.port)}`;
  const origins = [
    "http://evil.example",
    "null",
    own.replace("http:", "https:"),
    `${own}, http://evil.example`,
    `${own}.evil.example`,
  ];
  for (const ask of await everyAsk()) {
    for (const origin of origins.slice(0, 2)) {
      expectRefused(ask, await daemon.tcp({ ...ask, headers: { origin } }), 403, "forbidden");
      expectRefused(ask, await daemon.unix({ ...ask, headers: { origin } }), 403, "forbidden");
    }
  }
  for (const origin of origins) {
    expectRefused({ path: origin }, await daemon.tcp({ path: "/livez", headers: { origin } }), 403, "forbidden");
  }
  expectNothingDone(daemon);
});

proves("HTTP-1", "the daemon's own names pass, in any case, as Host and as Origin", async () => {
  const daemon = await start();
  const port = String(daemon.port);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`]) {
    expect((await daemon.tcp({ path: "/v1/registry", headers: { host } })).status).toBe(200);
    expect((await daemon.unix({ path: "/v1/registry", headers: { host } })).status).toBe(200);
  }
  for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    expect((await daemon.tcp({ path: "/v1/registry", headers: { origin } })).status).toBe(200);
  }
  expect((await daemon.unix({ path: "/v1/registry", headers: { origin: "http://localhost" } })).status).toBe(200);
});

proves("HTTP-1", "no Host, two Hosts, a foreign absolute target, an expectation: refused as bytes on the wire", async () => {
  const daemon = await start();
  const refused = [
    "GET /livez HTTP/1.0\r\n\r\n",
    "GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\nConnection: close\r\n\r\n",
    "GET http://evil.example/livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "POST /rpc HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n",
    "POST /rpc HTTP/1.1\r\nHost: evil.example\r\nExpect: a-miracle\r\nContent-Length: 2\r\nConnection: close\r\n\r\n",
  ];
  for (const bytes of refused) {
    const client = await daemon.raw("unix");
    client.send(bytes);
    const received = await client.receives('"forbidden"');
    expect(received, bytes).toMatch(/^HTTP\/1\.1 403 /);
    client.destroy();
  }
  const fine = await daemon.raw("unix");
  fine.send("GET http://localhost/livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  expect(await fine.ends()).toMatch(/^HTTP\/1\.1 200 /);
});

proves("HTTP-2", "without the token, or with another, every route but /livez is 401 over TCP", async () => {
  const daemon = await start();
  const tokens = ["", "Bearer wrong", `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, "Bearer ", `Basic ${TOKEN}`, TOKEN];
  for (const ask of await everyAsk()) {
    if (ask.path === "/livez") continue;
    for (const authorization of ask.path === "/rpc" ? tokens : tokens.slice(0, 2)) {
      const reply = await daemon.tcp({ ...ask, headers: { authorization } });
      expectRefused(ask, reply, 401, "unauthorized");
      expect(reply.headers["www-authenticate"]).toBe("Bearer");
    }
  }
  for (const path of ["/livez/", "/%6Civez", "/livez/../v1/registry", "//livez", "/LIVEZ"]) {
    expectRefused({ path }, await daemon.tcp({ path, headers: { authorization: "" } }), 401, "unauthorized");
  }
  expectNothingDone(daemon);
});

proves("HTTP-2", "/livez needs no token, the right one opens everything, and the socket needs none", async () => {
  const daemon = await start();
  for (const path of ["/livez", "/livez?x=1"]) {
    const { status, text } = await daemon.tcp({ path, headers: { authorization: "" } });
    expect({ status, text }).toEqual({ status: 200, text: '{"status":"ok"}' });
  }
  expect((await daemon.tcp({ path: "/v1/registry", headers: { authorization: `bearer  ${TOKEN}` } })).status).toBe(200);
  expect((await daemon.unix({ path: "/v1/registry" })).status).toBe(200);
});

proves("HTTP-3", "a simple POST of type text/plain is 415 on every route, and reaches nothing", async () => {
  const daemon = await start();
  const paths = new Set((await everyAsk()).map(({ path }) => path));
  for (const path of paths) {
    for (const body of ['{"jsonrpc":"2.0","id":1,"method":"daemon.shutdown"}', ""]) {
      const ask = { method: "POST", path, headers: { "content-type": "text/plain" }, body };
      expectRefused(ask, await daemon.tcp(ask), 415, "unsupported_media_type");
    }
  }
  expectNothingDone(daemon);
});

proves("HTTP-3", "only application/json, in UTF-8 and not compressed, is a body", async () => {
  const daemon = await start();
  const body = '{"jsonrpc":"2.0","id":1,"method":"servers.list"}';
  const post = (headers: Record<string, string>): Promise<Reply> => daemon.unix({ method: "POST", path: "/rpc", headers, body });
  for (const type of ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"']) {
    expect((await post({ "content-type": type })).status, type).toBe(200);
  }
  const others = [
    "application/json; charset=utf-16",
    "application/jsonp",
    "text/json",
    "application/json, text/plain",
    "multipart/form-data",
  ];
  for (const type of others) expectRefused({ path: type }, await post({ "content-type": type }), 415, "unsupported_media_type");
  expectRefused({ path: "none" }, await post({}), 415, "unsupported_media_type");
  const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
  expectRefused({ path: "gzip" }, await post(gzip), 415, "unsupported_media_type");
});

proves("HTTP-3", "too large is 413, said or counted; as large as allowed is not; the connection goes on", async () => {
  const daemon = await start({ bodyLimit: 1_000 });
  const json = { "content-type": "application/json" };
  const padded = (length: number): string => '{"jsonrpc":"2.0","id":1,"method":"servers.list"}'.padEnd(length);
  const post = (body: string, path = "/rpc"): Promise<Reply> => daemon.unix({ method: "POST", path, headers: json, body });
  expect((await post(padded(1_000))).status).toBe(200);
  for (const path of ["/rpc", "/v1/registry", "/nowhere"]) {
    expectRefused({ path }, await post(padded(1_001), path), 413, "payload_too_large");
  }
  expect(JSON.parse((await post(padded(1_001))).text)).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
  const client = await daemon.raw("unix");
  client.send("POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (let sent = 0; sent < 3; sent++) client.send(`200\r\n${" ".repeat(0x200)}\r\n`);
  expect(await client.receives("payload_too_large")).toMatch(/^HTTP\/1\.1 413 /);
  client.send("0\r\n\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await client.receives('{"status":"ok"}');
  client.destroy();
});

proves("HTTP-3", "the order is Host, token, size, type; the refusals of /rpc are JSON-RPC errors without an id", async () => {
  const daemon = await start({ bodyLimit: 100 });
  const body = "x".repeat(200);
  const headers = { "content-type": "text/plain" };
  const codes = [
    [{ host: "evil.example", authorization: "" }, 403, 4003, "forbidden"],
    [{ authorization: "" }, 401, 4001, "unauthorized"],
    [{}, 413, -32600, "payload_too_large"],
    [{ "content-length": "0", "transfer-encoding": "" }, 415, -32600, "unsupported_media_type"],
  ] as const;
  for (const [more, http, code, reason] of codes) {
    const empty = "content-length" in more;
    const reply = await daemon.tcp({ method: "POST", path: "/rpc", headers: { ...headers, ...more }, body: empty ? "" : body });
    expect(reply.status).toBe(http);
    expect(JSON.parse(reply.text)).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code, data: { reason, retryable: false } },
    });
  }
});

proves("HTTP-3", "on a REST route a body that is no JSON is 400", async () => {
  const daemon = await start();
  const ask = { method: "POST", path: "/v1/servers", headers: { "content-type": "application/json" }, body: "{" };
  expectRefused(ask, await daemon.unix(ask), 400, "invalid_request");
  expectRefused(ask, await daemon.unix({ ...ask, body: "{}" }), 405, "method_not_allowed");
});
