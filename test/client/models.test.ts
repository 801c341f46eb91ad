// Both APIs through the official package, against the scripted endpoint and against endpoints that do what providers do.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { expect } from "vitest";
import { CallAssembly } from "../../client/models/call-assembly.ts";
import { ModelFailure, type ModelReply, type Models } from "../../client/models/model.ts";
import { openModels } from "../../client/models/open-models.ts";
import { ScriptedEndpoint } from "../../client/models/scripted/endpoint.ts";
import { readScript } from "../../client/models/scripted/script.ts";
import type { Api } from "../../client/models/settings.ts";
import { proves } from "../support/promise.ts";
import { APIS, ask, withScript } from "./scripted-models.ts";

const KEY = "sk-secret-0123456789";
const provider = (baseUrl: string, api: Api, model = "m"): Promise<Models> =>
  openModels({ kind: "provider", apiKey: KEY, baseUrl, model, api });

async function failureOf(work: Promise<unknown>): Promise<ModelFailure> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelFailure)) throw new Error(`no ModelFailure: ${String(error)}`);
  return error;
}

const longText = "Größe 🦜 ".repeat(20);

proves("LEAD-2", "text and several calls are put together letter by letter, in both APIs alike", async () => {
  const calls = [
    { tool: "mcp__a__one", arguments: { text: longText, deep: [1, { x: null }] } },
    { tool: "two", arguments: {} },
    { tool: "mcp__a__one", argumentsText: "{not json" },
  ];
  const replies: ModelReply[] = [];
  for (const api of APIS) {
    await withScript(api, [{ text: longText, calls }], async ({ models }) => {
      let streamed = "";
      replies.push(await ask(models, { onText: (delta) => (streamed += delta) }));
      expect(streamed).toBe(longText);
    });
  }
  const [chat, responses] = replies;
  expect(chat).toEqual(responses);
  expect(chat).toMatchObject({ text: longText, finish: { kind: "tool_calls" }, usage: { inputTokens: 100, outputTokens: 10 } });
  expect(chat?.toolCalls.map(({ name, argumentsText }) => [name, argumentsText])).toEqual([
    ["mcp__a__one", JSON.stringify(calls[0]?.arguments)],
    ["two", "{}"],
    ["mcp__a__one", "{not json"],
  ]);
  expect(new Set(chat?.toolCalls.map(({ callId }) => callId)).size).toBe(3);
});

proves("LEAD-2", "how a reply ended is told: stop, cut, filtered, refused", async () => {
  const turns = [
    { text: "done" },
    { text: "half", finish: "length" },
    { text: "ha", finish: "content_filter" },
    { refusal: "I will not." },
  ];
  for (const api of APIS) {
    await withScript(api, turns, async ({ models }) => {
      const finishes = [];
      for (let replies = 0; replies < turns.length; replies++) {
        const before = Array.from({ length: replies }, (_, at) => [
          { kind: "assistant", text: `said ${String(at)}`, toolCalls: [] } as const,
          { kind: "user", text: "more" } as const,
        ]).flat();
        finishes.push((await ask(models, { history: [{ kind: "user", text: "go" }, ...before] })).finish);
      }
      expect(finishes).toEqual([
        { kind: "stop" },
        { kind: "cut" },
        { kind: "filtered" },
        { kind: "refused", text: "I will not." },
      ]);
    });
  }
});

proves(
  "LEAD-2",
  "a conversation with calls and results is sent so that the next turn is found, with the tools as given",
  async () => {
    const tools = [{ name: "one", description: "d", parameters: { type: "object", properties: {} } }];
    for (const api of APIS) {
      await withScript(api, [{ text: "first" }, { text: "second", expectTools: ["one", "!two"] }], async ({ models, seen }) => {
        const reply = await ask(models, {
          tools,
          history: [
            { kind: "user", text: "go" },
            { kind: "assistant", text: "hm", toolCalls: [{ callId: "c1", name: "one", argumentsText: "{}" }] },
            { kind: "results", results: [{ callId: "c1", text: "Error [x]: y" }] },
          ],
        });
        expect(reply.text).toBe("second");
        expect(seen[0]).toMatchObject({ api, agent: "lead", replies: 1, toolNames: ["one"], stream: true });
        expect(JSON.stringify(seen[0]?.body)).toContain("Error [x]: y");
      });
    }
  },
);

proves("LEAD-2", "pieces of calls are told apart by index, by id, or by nothing at all, and ids become unique", () => {
  const assemble = (...pieces: Parameters<CallAssembly["take"]>[0][]): unknown => {
    const assembly = new CallAssembly();
    for (const piece of pieces) assembly.take(piece);
    return assembly.finish().map(({ callId, name, argumentsText }) => `${callId} ${name} ${argumentsText}`);
  };
  const interleaved = assemble(
    { index: 0, id: "a", name: "one", arguments: "{" },
    { index: 1, id: "b", name: "two" },
    { index: 0, arguments: "}" },
    { index: 1, arguments: "[]" },
  );
  expect(interleaved).toEqual(["a one {}", "b two []"]);
  const sameIndex = assemble(
    { index: 0, id: "a", name: "one", arguments: "{}" },
    { index: 0, id: "b", name: "two", arguments: "{}" },
  );
  expect(sameIndex).toEqual(["a one {}", "b two {}"]);
  expect(assemble({ name: "one", arguments: "{" }, { arguments: "}" })).toEqual(["call_1 one {}"]);
  expect(assemble({ index: 0, id: "x", name: "one" }, { index: 1, id: "x", name: "two" })).toEqual(["x one ", "x_2 two "]);
});

/** An endpoint that answers every request with these bytes. */
async function withAnswer<T>(status: number, body: string, type: string, work: (baseUrl: string) => Promise<T>): Promise<T> {
  const server: Server = createServer((_, response) => response.writeHead(status, { "content-type": type }).end(body));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  try {
    return await work(`http://127.0.0.1:${String(address.port)}/v1`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

proves("LEAD-3", "each kind of failure is one sentence that says what to do, and the key is in none", async () => {
  const error = (message: string): string => JSON.stringify({ error: { message, code: "x" } });
  const cases = [
    [401, "auth", /refused the key.*OPENAI_API_KEY/],
    [403, "auth", /refused the key/],
    [404, "not_found", /knows no model "m".*OPENAI_MODEL/],
    [400, "rejected", /rejected the request \(HTTP 400\): "bad \*\*\* here"/],
  ] as const;
  for (const api of APIS) {
    for (const [status, code, pattern] of cases) {
      await withAnswer(status, error(`bad ${KEY} here`), "application/json", async (baseUrl) => {
        const failure = await failureOf(ask(await provider(baseUrl, api)));
        expect(failure).toMatchObject({ code, message: expect.stringMatching(pattern) as string });
        expect(failure.message).not.toContain(KEY);
        expect(failure.message).not.toContain("\n");
      });
    }
  }
});

proves("LEAD-3", "limits, faults, and an address where nobody listens", async () => {
  for (const api of APIS) {
    await withScript(api, [{ error: { status: 429, message: "slow down" } }], async ({ models }) => {
      expect(await failureOf(ask(models))).toMatchObject({ code: "rate" });
    });
    await withScript(api, [{ error: { status: 503, message: "oops" } }], async ({ models }) => {
      expect(await failureOf(ask(models))).toMatchObject({ code: "provider" });
    });
    const endpoint = await ScriptedEndpoint.start(readScript({ turns: [{ text: "x" }] }));
    const models = await provider(endpoint.baseUrl, api, "scripted/lead");
    expect(await failureOf(ask(models))).toMatchObject({ code: "auth" });
    await endpoint.close();
    expect(await failureOf(ask(models))).toMatchObject({
      code: "network",
      message: expect.stringContaining("ECONNREFUSED") as string,
    });
  }
});

proves("LEAD-3", "a stream that ends without saying so is no answer; an error inside a stream is told by its code", async () => {
  for (const api of APIS) {
    await withScript(api, [{ text: "half an answer", finish: "broken_off" }], async ({ models }) => {
      expect(await failureOf(ask(models))).toMatchObject({ code: "broken_off" });
    });
  }
  const events = (...data: object[]): string => data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
  const limit = { type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "too fast" } } };
  await withAnswer(200, events(limit), "text/event-stream", async (baseUrl) => {
    expect(await failureOf(ask(await provider(baseUrl, "responses")))).toMatchObject({ code: "rate" });
  });
  await withAnswer(200, events({ type: "error", code: "server_error", message: "x" }), "text/event-stream", async (baseUrl) => {
    expect(await failureOf(ask(await provider(baseUrl, "responses")))).toMatchObject({ code: "provider" });
  });
  await withAnswer(
    200,
    events({ error: { message: "no", code: "context_length_exceeded" } }),
    "text/event-stream",
    async (baseUrl) => {
      expect(await failureOf(ask(await provider(baseUrl, "chat")))).toMatchObject({ code: "rejected" });
    },
  );
});

proves("LEAD-12", "an abort ends a model request at once, with its reason, and leaves no listener", async () => {
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  for (const api of APIS) {
    const controller = new AbortController();
    const models = await provider(`http://127.0.0.1:${String(address.port)}/v1`, api);
    const reply = ask(models, { signal: controller.signal });
    await once(server, "request");
    controller.abort(new Error("enough"));
    await expect(reply).rejects.toThrow("enough");
  }
  server.close();
  server.closeAllConnections();
});

proves("LEAD-21", "a script that runs out, an unknown agent and an unmet expectation are refused with the reason", async () => {
  await withScript("chat", { lead: [{ text: "x", expectTools: ["mcp__a__b"] }] }, async ({ models }) => {
    expect((await failureOf(ask(models))).message).toMatch(/Turn 1 of .*lead.* expects mcp__a__b; offered: \\?"?/);
    const later = [{ kind: "assistant", text: "x", toolCalls: [] } as const, { kind: "user", text: "y" } as const];
    expect((await failureOf(ask(models, { history: later }))).message).toContain("The script ran out");
    const other = models
      .forAgent("nobody")
      .reply({ instructions: "", history: [], tools: [], signal: new AbortController().signal });
    expect((await failureOf(other)).message).toContain("no agent");
  });
});

proves("LEAD-21", "it answers without streaming too", async () => {
  const script = readScript({ turns: [{ text: "hello", calls: [{ tool: "t", arguments: { a: 1 } }] }] });
  const endpoint = await ScriptedEndpoint.start(script);
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${endpoint.apiKey}`, "content-type": "application/json", connection: "close" };
    return (await fetch(endpoint.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const chat = await post("/chat/completions", { model: "scripted/lead", messages: [{ role: "user", content: "go" }] });
  const call = { id: "call_1_1", type: "function", function: { name: "t", arguments: '{"a":1}' } };
  const message = { role: "assistant", content: "hello", refusal: null, tool_calls: [call] };
  expect(chat).toMatchObject({ object: "chat.completion", choices: [{ finish_reason: "tool_calls", message }] });
  const responses = await post("/responses", { model: "scripted/lead", input: [{ role: "user", content: "go" }] });
  const output = [{ type: "message" }, { type: "function_call", call_id: "call_1_1", name: "t", arguments: '{"a":1}' }];
  expect(responses).toMatchObject({ object: "response", status: "completed", output });
  await endpoint.close();
});
