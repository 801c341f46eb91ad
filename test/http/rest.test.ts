// The REST routes: what each answers, what each query means, and the description of them.
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";
import type { RegistryDiff, ServerStatus } from "../../daemon/contract/index.ts";
import { WATCH_PATH } from "../../daemon/http/app.ts";
import { openApi } from "../../daemon/http/openapi.ts";
import { restRoutes } from "../../daemon/http/rest.ts";
import { proves } from "../support/promise.ts";
import { start } from "./daemon.ts";
import { configStatus, FakePorts, record, row, session, status, view } from "./fake-ports.ts";

const bodyOf = (text: string): unknown => JSON.parse(text) as unknown;

proves("HTTP-18", "each route answers what its port says", async () => {
  const daemon = await start();
  const answers: readonly (readonly [path: string, answer: unknown])[] = [
    ["/v1/registry", { poolId: "p", version: 7, floor: 1, digest: "digest-7", toolCount: 0, servers: [] }],
    ["/v1/registry/versions", [row(7)]],
    ["/v1/registry/versions/7/tools/mcp__demo_alpha__lookup", view],
    ["/v1/registry/diff?from=1&to=2", { from: 1, to: 2, added: [view], removed: [], changed: [] } satisfies RegistryDiff],
    ["/v1/config", configStatus],
    ["/v1/servers", [status]],
    ["/v1/servers/demo_alpha", status],
    ["/v1/servers/demo_alpha?stderr=1", { ...status, stderrTail: "tail" } satisfies ServerStatus],
    ["/v1/servers/demo_alpha?stderr=0", status],
    ["/v1/servers?memory=1", [{ ...status, memoryBytes: 1_024 } satisfies ServerStatus]],
    ["/v1/servers?memory=0", [status]],
    ["/v1/servers/demo_alpha?memory=1&stderr=1", { ...status, stderrTail: "tail", memoryBytes: 1_024 } satisfies ServerStatus],
    ["/v1/sessions", [session]],
    ["/v1/sessions/s1", session],
    ["/v1/calls", [record]],
    ["/livez", { status: "ok" }],
    ["/readyz", { status: "ready" }],
  ];
  for (const [path, answer] of answers) {
    for (const reply of [await daemon.unix({ path }), await daemon.tcp({ path })]) {
      expect([reply.status, bodyOf(reply.text)], path).toEqual([200, answer]);
      expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
    }
  }
  const snapshot = await daemon.unix({ path: "/v1/sessions/s1/snapshot?version=3" });
  expect(snapshot.text).toBe('{"digest":"d","tools":[{"n":12345678901234567890}],"version":7}');
  const metrics = await daemon.unix({ path: "/metrics" });
  expect([metrics.text, metrics.headers["content-type"]]).toEqual(["# HELP x y\n", "text/plain; version=0.0.4; charset=utf-8"]);
});

proves("HTTP-18", "HEAD answers as GET does, without the body", async () => {
  const daemon = await start();
  for (const path of ["/v1/registry", "/v1/registry/versions/7", "/livez", "/metrics", "/v1/servers/none", WATCH_PATH]) {
    const head = await daemon.unix({ method: "HEAD", path });
    expect(head.text).toBe("");
    if (path === WATCH_PATH) expect(head.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    else {
      const get = await daemon.unix({ path });
      expect([head.status, head.headers["content-length"], head.headers["content-type"], head.headers.etag], path).toEqual([
        get.status,
        get.headers["content-length"],
        get.headers["content-type"],
        get.headers.etag,
      ]);
    }
  }
  expect(daemon.ports.watches.size).toBe(0);
});

proves("HTTP-18", "queries reach the port with their defaults and their limits", async () => {
  const daemon = await start();
  const paths: readonly (readonly [path: string, asked: object])[] = [
    ["/v1/registry/versions", { since: 0, limit: 100 }],
    ["/v1/registry/versions?since=5&limit=1000&unknown=1", { since: 5, limit: 1_000 }],
    ["/v1/registry/versions/3/tools/a%20b?connection=a%231", { version: 3, name: "a b", connectionId: "a#1" }],
    ["/v1/registry/diff?from=9&to=2", { from: 9, to: 2 }],
    ["/v1/sessions/s1/snapshot", { sessionId: "s1" }],
    ["/v1/sessions/s1/snapshot?version=0", { sessionId: "s1", version: 0 }],
    ["/v1/calls", { limit: 100 }],
    [
      "/v1/calls?session=s1&tool=mcp__a__b&status=error&before=12&limit=3",
      { session: "s1", tool: "mcp__a__b", status: "error", before: 12, limit: 3 },
    ],
  ];
  for (const [path, asked] of paths) {
    expect((await daemon.unix({ path })).status, path).toBe(200);
    expect(daemon.ports.asked.at(-1)?.params, path).toEqual(asked);
  }
});

proves("HTTP-18", "a value that is not what its name says is 400 and named", async () => {
  const daemon = await start();
  const bad: readonly (readonly [path: string, parameter: string])[] = [
    ...["x", "-1", "1.5", "01", "1e3", "", "9007199254740993", " 1"].map(
      (value) => [`/v1/registry/versions?since=${encodeURIComponent(value)}`, "since"] as const,
    ),
    ...["0", "1001", "many"].map((value) => [`/v1/registry/versions?limit=${value}`, "limit"] as const),
    ["/v1/registry/versions?since=1&since=2", "since"],
    ["/v1/calls?limit=1001", "limit"],
    ["/v1/calls?before=x", "before"],
    ["/v1/calls?status=fine", "status"],
    ["/v1/calls?session=a&session=b", "session"],
    ["/v1/registry/versions/latest", "version"],
    ["/v1/registry/versions/-1/tools/x", "version"],
    ["/v1/registry/diff?from=1", "to"],
    ["/v1/registry/diff?to=1", "from"],
    ["/v1/registry/diff?from=a&to=1", "from"],
    ["/v1/registry/watch?since=x", "since"],
    ["/v1/servers/demo_alpha?stderr=maybe", "stderr"],
    ["/v1/servers/demo_alpha?memory=maybe", "memory"],
    ["/v1/servers?memory=2", "memory"],
    ["/v1/sessions/s1/snapshot?version=x", "version"],
  ];
  for (const [path, parameter] of bad) {
    const { status: http, text } = await daemon.unix({ path });
    expect([http, bodyOf(text)], path).toMatchObject([400, { error: { reason: "invalid_params", data: { parameter } } }]);
  }
  const watch = await daemon.unix({ path: WATCH_PATH, headers: { "last-event-id": "x" } });
  expect([watch.status, bodyOf(watch.text)]).toMatchObject([400, { error: { data: { parameter: "Last-Event-ID" } } }]);
  expect(daemon.ports.asked).toEqual([]);
});

proves("HTTP-18", "what the ports refuse has the status, the reason and the data of the table", async () => {
  const daemon = await start();
  const refused: readonly (readonly [path: string, http: number, error: object])[] = [
    ["/v1/registry/versions/8", 404, { reason: "unknown_version", data: { latest: 7, floor: 1 } }],
    ["/v1/registry/versions/7/tools/gone", 404, { reason: "not_found" }],
    ["/v1/registry/versions/7/tools/twice", 409, { reason: "conflict", data: { connections: ["a#1", "a#2"] } }],
    ["/v1/registry/watch?since=8", 404, { reason: "unknown_version" }],
    ["/v1/servers/none", 404, { reason: "unknown_alias" }],
    ["/v1/sessions/none", 404, { reason: "unknown_session" }],
    ["/v1/sessions/none/snapshot", 404, { reason: "unknown_session" }],
  ];
  for (const [path, http, error] of refused) {
    const reply = await daemon.unix({ path });
    expect([reply.status, bodyOf(reply.text)], path).toMatchObject([http, { error }]);
  }
  expect((await daemon.unix({ path: "/v1/registry/versions/7/tools/twice?connection=a%231" })).status).toBe(200);
});

proves("HTTP-19", "the snapshot may be kept for ever, and is 304 to who names its digest", async () => {
  const daemon = await start();
  const path = "/v1/registry/versions/7";
  const first = await daemon.unix({ path });
  const etag = first.headers.etag ?? "";
  expect(etag).toBe('"digest-7"');
  expect(first.headers["cache-control"]).toBe("private, max-age=31536000, immutable");
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await daemon.unix({ path, headers: { "if-none-match": known } });
    expect([again.status, again.text, again.headers.etag], known).toEqual([304, "", etag]);
    expect(again.headers["cache-control"]).toBe("private, max-age=31536000, immutable");
  }
  for (const other of ['"digest-6"', "digest-7", '""']) {
    expect((await daemon.unix({ path, headers: { "if-none-match": other } })).status, other).toBe(200);
  }
  expect((await daemon.unix({ path: "/v1/registry/versions/8" })).headers["cache-control"]).toBe("no-store");
});

proves("HTTP-24", "the description is valid OpenAPI 3.1 and is what /openapi.json answers", async () => {
  const daemon = await start({ programVersion: "1.2.3" });
  const { text } = await daemon.unix({ path: "/openapi.json" });
  expect(bodyOf(text)).toEqual(openApi("1.2.3"));
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text) as Record<string, unknown>)).toMatchObject({ valid: true });
  expect(validator.version).toBe("3.1");
});

interface Description {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly parameters: readonly { readonly name: string; readonly in: string }[] } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

proves("HTTP-24", "it has exactly the REST routes that there are, with their path parameters", () => {
  const { paths } = openApi("0") as unknown as Description;
  const routes = [...restRoutes(new FakePorts(), "0").map(({ path }) => path), WATCH_PATH];
  expect(Object.keys(paths).sort()).toEqual(routes.map((path) => path.replaceAll(/:([a-z]+)/g, "{$1}")).sort());
  for (const [path, { get }] of Object.entries(paths)) {
    const inPath = get.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
    expect(inPath, path).toEqual([...path.matchAll(/\{([a-z]+)\}/g)].map(([, name]) => name));
  }
});

proves("HTTP-24", "its schemas fit answers of the contract's types, and name each of their members", () => {
  const { components } = openApi("0") as unknown as Description;
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addKeyword("components");
  ajv.addSchema({ $id: "https://toolpool.test/", components });
  const full: ServerStatus = {
    ...status,
    description: "d",
    state: { kind: "failed", failure: { code: "spawn_failed", message: "m", details: ["x"] } },
    connectionId: "a#1",
    pid: 1,
    protocolVersion: "2025-11-25",
    serverInfo: { name: "n", version: "1" },
    stderrTail: "t",
    unreviewed: true,
    memoryBytes: 1,
    lastFailure: { code: "cancelled", message: "m", at: "2026-01-01T00:00:00.000Z" },
    connections: [{ connectionId: "a#1", sessionId: null, queue: { running: 0, waiting: 0 }, memoryBytes: 1 }],
  };
  const snapshot = { version: 7, at: "2026-01-01T00:00:00.000Z", cause: "c", digest: "d", tools: [view] };
  const diff: RegistryDiff = {
    from: 1,
    to: 2,
    added: [view],
    removed: ["a"],
    changed: [{ name: "a", before: view, after: view }],
  };
  const samples: readonly (readonly [schema: string, sample: object])[] = [
    ["VersionRow", row(7)],
    ["ToolView", { ...view, outputSchema: {} }],
    ["ToolView", { ...view, source: { kind: "management" } }],
    ["ServerStatus", status],
    ["ServerStatus", full],
    ["SessionInfo", session],
    ["CallRecord", record],
    ["ConfigStatus", configStatus],
    ["RegistrySummary", new FakePorts().registry.summary()],
    ["RegistrySnapshot", snapshot],
    ["RegistryDiff", diff],
  ];
  for (const [name, sample] of samples) {
    const validate = ajv.getSchema(`https://toolpool.test/#/components/schemas/${name}`);
    expect([validate?.(sample), validate?.errors], name).toEqual([true, null]);
    const { properties } = components.schemas[name] as { readonly properties: object };
    expect(Object.keys(properties), name).toEqual(expect.arrayContaining(Object.keys(sample)));
    for (const member of Object.keys(sample).filter((key) => key in status || name !== "ServerStatus")) {
      const { [member]: _, ...without } = sample as Record<string, unknown>;
      if (member !== "outputSchema") expect(validate?.(without), `${name} without ${member}`).toBe(false);
    }
  }
});
