// Every way in to the real daemon: for web pages, which have none, and for calls of what may not be called.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Outcome, ToolView } from "../../daemon/contract/index.ts";
import { ask, type Ask, type Reply } from "../http/daemon.ts";
import { proves } from "../support/promise.ts";
import { codeOf, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };

/** The routes as the daemon itself describes them, and some that do not exist. */
async function everyRoute(pool: TestPool): Promise<readonly Ask[]> {
  const { paths } = await pool.client.get<{ paths: Record<string, object> }>("/openapi.json");
  const described = Object.keys(paths).map((path) => path.replace("{version}", "1").replaceAll(/\{[a-z]+\}/gi, "x"));
  expect(described).toContain("/livez");
  expect(described.length).toBeGreaterThan(12);
  return [...described, "/rpc", "/", "/nowhere", "/v1/registry/nowhere", "/mcp", "/favicon.ico"].flatMap((path) =>
    ["GET", "POST", "OPTIONS", "PUT", "DELETE"].map((method) => ({ method, path })),
  );
}

const shutdown = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "daemon.shutdown", params: {} });

proves(
  "SHAPE-20",
  "foreign Host, foreign Origin, Origin null, a preflight, an upgrade, text/plain, no token: each route, TCP and socket",
  async () => {
    const pool = await TestPool.start({ servers: { alpha: scripted({ tools: [ECHO] }) } });
    await pool.lead(["alpha"]);
    const before = await pool.version();
    const port = Number(new URL(pool.discovery.url).port);
    const authorization = `Bearer ${readFileSync(join(pool.state, "token"), "utf8").trim()}`;
    const host = `127.0.0.1:${port}`;
    const overTcp = (question: Ask, headers: Readonly<Record<string, string>>): Promise<Reply> =>
      ask({ host: "127.0.0.1", port }, { ...question, headers: { host, ...headers } });
    const overSocket = (question: Ask, headers: Readonly<Record<string, string>>): Promise<Reply> =>
      ask({ socketPath: pool.discovery.socketPath }, { ...question, headers: { host: "localhost", ...headers } });
    const withBody = (question: Ask, type: string): readonly [Ask, Readonly<Record<string, string>>] => [
      { ...question, body: shutdown },
      { "content-type": type, "content-length": String(shutdown.length) },
    ];
    const seen: Reply[] = [];
    const expected = async (status: number, reply: Promise<Reply>, what: unknown): Promise<void> => {
      const answer = await reply;
      seen.push(answer);
      expect({ what, status: answer.status }).toEqual({ what, status });
    };
    for (const route of await everyRoute(pool)) {
      for (const way of [overTcp, overSocket]) {
        const own = way === overTcp ? { authorization } : {};
        await expected(403, way(route, { ...own, host: `evil.example:${port}` }), [route, "host"]);
        for (const origin of ["http://evil.example", "null", `http://${host}.evil.example`, `https://${host}`]) {
          await expected(403, way(route, { ...own, origin }), [route, origin]);
        }
        const preflight = { origin: "http://evil.example", "access-control-request-method": "POST" };
        await expected(403, way({ ...route, method: "OPTIONS" }, { ...own, ...preflight }), [route, "preflight"]);
        const [question, headers] = withBody(route, "text/plain");
        await expected(415, way(question, { ...own, ...headers }), [route, "text/plain"]);
        const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
        const upgraded = await way(route, { ...own, ...upgrade, "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" });
        expect([route, upgraded.status]).toEqual([route, 400]);
        seen.push(upgraded);
      }
      if (route.path !== "/livez") {
        await expected(401, overTcp(route, {}), [route, "no token"]);
        await expected(401, overTcp(route, { authorization: `${authorization}x` }), [route, "wrong token"]);
      }
    }
    // Not one of them may be read by a page, and none tells what runs here.
    for (const { headers, text } of seen) {
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(text).not.toContain("alpha");
    }
    expect((await overTcp({ path: "/livez" }, {})).status).toBe(200);
    // The shutdown they all carried was never read.
    expect(await pool.version()).toBe(before);
    expect((await pool.server("alpha")).state.kind).toBe("connected");
    await pool.stop();
  },
  60_000,
);

proves("SHAPE-21", "hidden, denied, not attached, detached, disabled, somebody else's: by no route and no spelling", async () => {
  const folder = tempFolder();
  const count = join(folder, "count");
  const does = [{ count }, { text: "ran" }];
  const guarded = scripted(
    {
      tools: [
        { name: "Hidden-One", does },
        { name: "denied", does },
        { name: "asked", does },
      ],
    },
    {
      tools: { "Hidden-One": "hidden", denied: { effect: "read", approval: "deny" }, asked: { effect: "read", approval: "ask" } },
    },
  );
  const open = scripted({ tools: [{ name: "run", does }] });
  const pool = await TestPool.start({
    folder,
    servers: { guarded, open, off: { ...open, disabled: true } },
  });
  const lead = await pool.lead(["guarded", "open"]);
  const attached = await pool.version();
  const stranger = await pool.lead();
  const child = await pool.lead(undefined, { role: "subagent", parent: lead.id });
  const [latest, allow] = [await pool.version(), { decision: "allow", by: "test" } as const];
  await lead.disconnect("open");
  const keeper = await pool.lead(["open"]);
  const now = await pool.version();

  const spellings = (alias: string, tool: string): readonly string[] => [
    `mcp__${alias}__${tool.toLowerCase().replaceAll("-", "_")}`,
    `mcp__${alias}__${tool}`,
    `MCP__${alias.toUpperCase()}__${tool.toUpperCase()}`,
    tool,
    `${alias}__${tool}`,
    `${alias}/${tool}`,
    ` mcp__${alias}__${tool.toLowerCase()}`,
    `mcp__${alias}__${tool.toLowerCase()}\u0000`,
  ];
  const tries: { sessionId: string; name: string; version: number }[] = [];
  for (const version of [attached, latest, now]) {
    for (const name of spellings("guarded", "Hidden-One")) tries.push({ sessionId: lead.id, name, version });
    for (const name of spellings("off", "run")) tries.push({ sessionId: lead.id, name, version });
    for (const name of [...spellings("open", "run"), "mcp__guarded__asked", "mcp__guarded__denied"]) {
      for (const { id } of [stranger, child]) tries.push({ sessionId: id, name, version });
    }
    // Given up by this session: an older tag does not bring it back, though another holds it still.
    tries.push({ sessionId: lead.id, name: "mcp__open__run", version });
    tries.push({ sessionId: lead.id, name: "mcp__guarded__denied", version });
  }
  const call = (params: object, id: number): object => ({
    jsonrpc: "2.0",
    id,
    method: "tools.call",
    params: { ...params, arguments: {}, approval: allow },
  });
  const outcomes: Outcome[] = [];
  for (const params of tries) outcomes.push((await pool.client.callTool({ ...params, approval: allow })).outcome);
  // The same in one batch, and as notifications, which nobody is told of.
  const post = (body: unknown): Promise<Reply> =>
    ask(
      { socketPath: pool.discovery.socketPath, headers: { host: "localhost", "content-type": "application/json" } },
      { method: "POST", path: "/rpc", body: JSON.stringify(body) },
    );
  const batch = JSON.parse((await post(tries.map(call))).text) as readonly { result: Outcome }[];
  outcomes.push(...batch.map(({ result }) => result));
  const silent = tries.map((params) => {
    const { id: _, ...notification } = call(params, 0) as { id: number };
    return notification;
  });
  expect((await post(silent)).status).toBe(204);
  for (const outcome of outcomes) {
    expect(codeOf(outcome)).toMatch(/^(unknown_tool\/(not_in_snapshot|withdrawn)|permission_denied)$/);
  }
  // No route shows the hidden tool, and one that shows a tool runs none.
  const views = [
    "/v1/registry",
    "/v1/servers",
    "/v1/servers/guarded",
    "/v1/registry/versions",
    `/v1/registry/diff?from=1&to=${now}`,
  ];
  for (const path of [...views, `/v1/registry/versions/${now}`, `/v1/sessions/${lead.id}/snapshot`]) {
    expect((await pool.client.getText(path)).toLowerCase()).not.toMatch(/hidden.?one/);
  }
  const tool = `/v1/registry/versions/${now}/tools/mcp__guarded__denied`;
  expect((await pool.client.get<ToolView>(tool)).effect).toBe("read");
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const reply = await ask(
      {
        socketPath: pool.discovery.socketPath,
        headers: { host: "localhost", "content-type": "application/json", "content-length": "2" },
      },
      { method, path: tool, body: "{}" },
    );
    expect([method, reply.status]).toEqual([method, 405]);
  }
  expect(existsSync(count)).toBe(false);
  // The way that is allowed works, so the guard was not just broken.
  expect(codeOf(await lead.call("mcp__guarded__asked", {}, { approval: allow }))).toBe("ok");
  expect(codeOf(await keeper.call("mcp__open__run"))).toBe("ok");
  expect(readFileSync(count, "utf8")).toBe("2");
  await pool.stop();
});

proves("SHAPE-21", "a policy that changes by reload holds for calls that wait already", async () => {
  const folder = tempFolder();
  const count = join(folder, "count");
  const script = {
    tools: [
      { name: "hold", does: { hold: "x" } },
      { name: "writes", does: [{ count }, { text: "ran" }] },
    ],
  };
  const pool = await TestPool.start({
    folder,
    servers: { alpha: scripted(script, { tools: { hold: "write", writes: "write" } }) },
  });
  const lead = await pool.lead(["alpha"]);
  const version = await pool.version();
  const running = lead.call("mcp__alpha__hold", {}, { version });
  while ((await pool.server("alpha")).queue.running < 1) await Promise.resolve();
  const waiting = lead.call("mcp__alpha__writes", {}, { version });
  while ((await pool.server("alpha")).queue.waiting < 1) await Promise.resolve();
  pool.configure({ alpha: scripted(script, { tools: { hold: "write", writes: { effect: "write", approval: "deny" } } }) });
  expect((await pool.client.request("config.reload", {})).changed).toEqual(["alpha"]);
  expect(codeOf(await waiting)).toMatch(/^(mcp_connection_lost|unknown_tool\/withdrawn)$/);
  expect(codeOf(await running)).toBe("mcp_connection_lost");
  expect(codeOf(await lead.call("mcp__alpha__writes"))).toBe("permission_denied");
  expect(existsSync(count)).toBe(false);
  await pool.stop();
});
