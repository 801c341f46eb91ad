// Beside the routes: headers that all answers have, paths and methods that none has, protocols that are not spoken.
import { METHODS } from "node:http";
import { expect } from "vitest";
import { WATCH_PATH } from "../../daemon/http/app.ts";
import { proves } from "../support/promise.ts";
import { start } from "./daemon.ts";
import { everyAsk, expectNothingDone, expectRefused } from "./every-route.ts";

proves("HTTP-5", "no answer of any route has a CORS header; all say nosniff and no-store, but the snapshot", async () => {
  const daemon = await start();
  const origin = `http://localhost:${String(daemon.port)}`;
  const preflight = { "access-control-request-method": "POST", "access-control-request-private-network": "true" };
  const snapshot = "/v1/registry/versions/7";
  for (const ask of await everyAsk()) {
    if (ask.path === WATCH_PATH && ask.method === "GET") continue;
    const { headers } = await daemon.tcp({ ...ask, headers: { origin, ...preflight } });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers["x-content-type-options"], ask.path).toBe("nosniff");
    if (ask.path !== snapshot) expect(headers["cache-control"], ask.path).toBe("no-store");
  }
});

proves("HTTP-6", "unknown is 404, a known route by another method 405 with Allow, whatever the method", async () => {
  const daemon = await start();
  for (const path of ["/", "/v1", "/v1/registry/", "/v1/servers/a/b", "/RPC", "/openapi_json"]) {
    expectRefused({ path }, await daemon.unix({ path }), 404, "not_found");
  }
  for (const path of [`/v1/servers/${"a".repeat(2_000)}`, "/v1/%zz"]) {
    const { status, text } = await daemon.unix({ path });
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["error"]);
    expect([400, 404]).toContain(status);
  }
  // A QUERY without a content type is 400 (RFC 10008), as Fastify has it.
  for (const method of METHODS.filter((name) => !["GET", "HEAD", "CONNECT", "QUERY"].includes(name))) {
    const reply = await daemon.unix({ method, path: "/v1/servers/demo_alpha" });
    expectRefused({ method, path: "/v1/servers/demo_alpha" }, reply, 405, "method_not_allowed");
    expect(reply.headers.allow).toBe("GET, HEAD");
  }
  const rpc = await daemon.unix({ path: "/rpc" });
  expect([rpc.status, rpc.headers.allow]).toEqual([405, "POST"]);
  expect(daemon.errors).toEqual([]);
});

proves("HTTP-6", "a WebSocket handshake is refused, a CONNECT too, and an offer of h2c is passed over", async () => {
  const daemon = await start();
  const websocket = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "eA==", "sec-websocket-version": "13" };
  for (const path of ["/rpc", "/v1/registry/watch", "/livez", "/nowhere"]) {
    expect((await daemon.unix({ path, headers: websocket })).status, path).toBe(400);
    expect((await daemon.tcp({ path, headers: { ...websocket, origin: "http://evil.example" } })).status, path).toBe(403);
  }
  expectNothingDone(daemon);
  const client = await daemon.raw("unix");
  client.send("CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await client.ends()).toMatch(/^HTTP\/1\.1 405 /);
  const h2c = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQAAP__" };
  expect((await daemon.unix({ path: "/livez", headers: h2c })).status).toBe(200);
});
