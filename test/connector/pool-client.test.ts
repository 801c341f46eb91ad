// PoolClient against a small HTTP server that speaks the contract: what goes over the line, and what comes back.
import { getEventListeners, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { PoolClient } from "../../client/pool-client.ts";
import { PoolUnreachable } from "../../client/pool-unreachable.ts";
import { PoolError } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

type Respond = (body: string, request: IncomingMessage, response: ServerResponse) => void;

const open: { client: PoolClient; server: Server }[] = [];

async function serve(respond: Respond, overTcp = false): Promise<PoolClient> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => respond(Buffer.concat(chunks).toString(), request, response));
  });
  const socketPath = join(tempFolder(), "s");
  if (overTcp) server.listen(0, "127.0.0.1");
  else server.listen(socketPath);
  await once(server, "listening");
  const client = overTcp
    ? new PoolClient({ kind: "tcp", url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, token: "secret" })
    : new PoolClient({ kind: "socket", socketPath }, { closeGraceMs: 20 });
  open.push({ client, server });
  return client;
}

afterEach(async () => {
  for (const { client, server } of open.splice(0)) {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const call = { sessionId: "s", version: 3, name: "t" };
const idOf = (body: string): number => (JSON.parse(body) as { id: number }).id;

proves("CMD-1", "a number no double can hold goes out and comes back letter by letter", async () => {
  let sent = "";
  const outcome = '{"content": [], "status":"ok","structured_content":{"n":9007199254740993,"f":1.0,"e":1e3},"tool":"t"}';
  const client = await serve((body, _request, response) => {
    sent = body;
    response.end(`{"jsonrpc":"2.0","id":${String(idOf(body))},"result":${outcome}}`);
  });
  const reply = await client.callTool({ ...call, argumentsText: '{"n":12345678901234567890, "f":1.0}' });
  expect(sent).toContain('"arguments":{"n":12345678901234567890, "f":1.0}');
  expect(JSON.parse(sent)).toMatchObject({ method: "tools.call", params: { sessionId: "s", version: 3, name: "t" } });
  expect(reply.text).toBe(outcome);
  expect(reply.outcome).toMatchObject({ status: "ok", tool: "t" });
});

proves("CMD-1", "the outcome's text is found whatever the order and spacing of the answer's members", async () => {
  const tricky = '{"result":"}","a":[1.50,{"result":2}],"q":"\\"\\\\"}';
  const shapes = [
    (id: number) => ` { "result" : ${tricky} , "id" : ${String(id)}, "jsonrpc":"2.0" } `,
    (id: number) => `{"jsonrpc":"2.0","id":${String(id)},"result":${tricky},"more":{"result":1}}`,
    (id: number) => `{"jsonrpc":"2.0","id":${String(id)},"result":1,"\\u0072esult":${tricky}}`,
  ];
  let shape = 0;
  const client = await serve((body, _request, response) => void response.end(shapes[shape++]?.(idOf(body))));
  for (const _ of shapes) expect((await client.callTool(call)).text).toBe(tricky);
});

proves("CMD-1", "text that is not exactly one JSON object is refused before anything is sent", async () => {
  let requests = 0;
  const client = await serve((_body, _request, response) => {
    requests++;
    response.end();
  });
  for (const argumentsText of ['{},"sessionId":"other"', "[]", "1", "null", "", "{", '{"a":1}}']) {
    await expect(client.callTool({ ...call, argumentsText })).rejects.toMatchObject({
      name: "PoolError",
      reason: "invalid_params",
    });
  }
  expect(requests).toBe(0);
});

proves("CMD-2", "errors of RPC and REST are rebuilt by their reason, with data", async () => {
  const client = await serve((body, request, response) => {
    if (request.url === "/rpc") {
      const data = { reason: "unknown_version", retryable: false, latest: 9, floor: 4 };
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id: idOf(body), error: { code: 4004, message: "gone", data } }));
    }
    response.statusCode = 503;
    response.end(JSON.stringify({ error: { reason: "shutting_down", message: "closing" } }));
  });
  const failed = await client.request("registry.diff", { from: 1, to: 2 }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(PoolError);
  expect(failed).toMatchObject({ reason: "unknown_version", message: "gone", data: { latest: 9, floor: 4 }, retryable: false });
  await expect(client.get("/v1/calls")).rejects.toMatchObject({ reason: "shutting_down", retryable: true });
});

proves("CMD-2", "an error without an id, a reason of a newer daemon, and an answer that is no JSON-RPC", async () => {
  const answers = [
    {
      status: 401,
      text: '{"jsonrpc":"2.0","id":null,"error":{"code":4001,"message":"no token","data":{"reason":"unauthorized"}}}',
    },
    { status: 200, text: '{"jsonrpc":"2.0","id":2,"error":{"code":4009,"message":"x","data":{"reason":"brand_new"}}}' },
    { status: 200, text: "<html>hello</html>" },
    { status: 200, text: '{"jsonrpc":"2.0","id":77,"result":{}}' },
  ];
  const client = await serve((_body, _request, response) => {
    const answer = answers.shift();
    response.statusCode = answer?.status ?? 500;
    response.end(answer?.text);
  });
  const ask = (): Promise<unknown> => client.request("servers.list", {}).catch((error: unknown) => error);
  expect(await ask()).toMatchObject({ name: "PoolError", reason: "unauthorized" });
  expect(await ask()).toMatchObject({ name: "PoolError", reason: "contract_mismatch", data: { reportedReason: "brand_new" } });
  expect(await ask()).toMatchObject({ name: "PoolUnreachable", code: "not_a_pool" });
  expect(await ask()).toMatchObject({ name: "PoolUnreachable", code: "not_a_pool" });
});

proves("CMD-2", "nobody there, and a line that breaks in the middle of an answer", async () => {
  const nobody = new PoolClient({ kind: "socket", socketPath: join(tempFolder(), "none") });
  await expect(nobody.request("servers.list", {})).rejects.toMatchObject({ name: "PoolUnreachable", code: "ENOENT" });
  await nobody.close();
  let requests = 0;
  const client = await serve((_body, _request, response) => {
    requests++;
    response.write('{"jsonrpc":"2.0","id":1,"res');
    setImmediate(() => response.destroy());
  });
  await expect(client.callTool(call)).rejects.toBeInstanceOf(PoolUnreachable);
  expect(requests).toBe(1);
});

proves("CMD-2", "over TCP every request carries the token", async () => {
  const seen: (string | undefined)[] = [];
  const client = await serve((body, request, response) => {
    seen.push(request.headers.authorization);
    response.end(body === "" ? "[]" : JSON.stringify({ jsonrpc: "2.0", id: idOf(body), result: [] }));
  }, true);
  expect(await client.request("servers.list", {})).toEqual([]);
  expect(await client.get("/v1/servers")).toEqual([]);
  expect(seen).toEqual(["Bearer secret", "Bearer secret"]);
});

proves("CMD-3", "of two calls in flight the aborted one ends, its connection too; the other one is answered", async () => {
  const waiting: { finish: () => void; closed: Promise<unknown> }[] = [];
  let arrived: () => void = () => undefined;
  const client = await serve((body, request, response) => {
    const finish = (): void => void response.end(JSON.stringify({ jsonrpc: "2.0", id: idOf(body), result: { status: "ok" } }));
    waiting.push({ finish, closed: once(request.socket, "close") });
    arrived();
  });
  const both = new Promise<void>((resolve) => (arrived = () => waiting.length === 2 && resolve()));
  const controller = new AbortController();
  const aborted = client.callTool(call, { signal: controller.signal });
  await new Promise<void>((resolve) => {
    const before = arrived;
    arrived = () => {
      before();
      resolve();
    };
  });
  const kept = client.callTool(call, { signal: new AbortController().signal });
  await both;
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  await waiting[0]?.closed;
  waiting[1]?.finish();
  await expect(kept).resolves.toMatchObject({ outcome: { status: "ok" } });
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

proves(
  "CMD-3",
  "a signal that outlives many requests carries no listener of them; one that is aborted already sends nothing",
  async () => {
    let requests = 0;
    const client = await serve((body, _request, response) => {
      requests++;
      response.end(JSON.stringify({ jsonrpc: "2.0", id: idOf(body), result: [] }));
    });
    const { signal } = new AbortController();
    for (let i = 0; i < 20; i++) await client.request("servers.list", {}, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await expect(client.request("servers.list", {}, { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
    expect(requests).toBe(20);
  },
);

proves("CMD-4", "close ends a watch and an unanswered request, and may be called again", async () => {
  let calls = 0;
  const client = await serve((_body, request, response) => {
    if (request.url?.startsWith("/v1/registry/watch") === true) response.write(": hello\n\n");
    else calls++;
  });
  const ended = (async () => {
    for await (const _ of client.watch(0));
    return "ended";
  })();
  const unanswered = client.callTool(call).catch((error: unknown) => error);
  while (calls === 0) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([client.close(), client.close()]);
  expect(await ended).toBe("ended");
  expect(await unanswered).toBeInstanceOf(PoolUnreachable);
  await expect(client.request("servers.list", {})).rejects.toBeInstanceOf(PoolUnreachable);
});

proves(
  "CMD-5",
  "events arrive whole and in order when the stream is cut anywhere, also inside a character and a CRLF",
  async () => {
    const stream =
      '\ufeff: beat\n\nevent: version\r\nid: 4\r\ndata: {"cause":"für 😀"}\r\n\r\n' +
      "event:version\nid:5\ndata:one\ndata: two\n\n:beat\n\nevent: lagging\rdata: {}\r\rretry: 5\n\nevent: version\ndata: cut off";
    const bytes = Buffer.from(stream);
    const expected = [
      { event: "version", id: "4", data: '{"cause":"für 😀"}' },
      { event: "version", id: "5", data: "one\ntwo" },
      { event: "lagging", id: "5", data: "{}" },
    ];
    for (const step of [1, 2, 7, bytes.length]) {
      const client = await serve((_body, _request, response) => {
        const send = (at: number): void => {
          if (at >= bytes.length) return void response.end();
          response.write(bytes.subarray(at, at + step), () => send(at + step));
        };
        send(0);
      });
      const seen = [];
      for await (const event of client.watch(3)) seen.push(event);
      expect(seen).toEqual(expected);
    }
  },
);

proves("CMD-5", "an abort ends the watch with its reason; a refused watch is a PoolError", async () => {
  let asked = "";
  const client = await serve((_body, request, response) => {
    asked = request.url ?? "";
    if (asked.endsWith("since=9")) {
      response.statusCode = 404;
      return void response.end(JSON.stringify({ error: { reason: "unknown_version", message: "future" } }));
    }
    response.write("event: version\ndata: 1\n\n");
  });
  const controller = new AbortController();
  const seen: string[] = [];
  const read = async (since: number): Promise<void> => {
    for await (const { data } of client.watch(since, { signal: controller.signal })) {
      seen.push(data);
      controller.abort(new Error("enough"));
    }
  };
  await expect(read(9)).rejects.toMatchObject({ reason: "unknown_version" });
  await expect(read(2)).rejects.toThrow("enough");
  expect(seen).toEqual(["1"]);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});
