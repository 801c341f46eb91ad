import { expect } from "vitest";
import { exitCodeOf } from "../../client/agent/events.ts";
import { LONGEST_RESULT, replyText } from "../../client/agent/outcome-text.ts";
import { partition } from "../../client/agent/partition.ts";
import { ModelFailure } from "../../client/models/model.ts";
import { defineTool, text, ToolProblem } from "../../client/tools/built-in.ts";
import { errorOutcome, PoolError, type JsonValue, type Outcome } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { runAgent, SayingModel } from "./agents.ts";
import { cancelledOutcome, daemonGone, FakePool, ok, sessionGone, toolView } from "./fake-pool.ts";

const A = "mcp__a__one";
const B = "mcp__a__two";

proves(
  "LEAD-7",
  "one snapshot before each request; the calls of a reply carry its version, whatever happens meanwhile",
  async () => {
    const pool = new FakePool([toolView(A, "write")]);
    pool.onCall = ({ name }) => {
      // Another server comes in the middle of the reply.
      if (pool.calls.length === 1) pool.publish([toolView(A, "write"), toolView(B, "read")]);
      return ok(name);
    };
    const model = new SayingModel({ calls: [A, B, A] }, { calls: [B] }, { text: "done" });
    const { end, events } = await runAgent(pool, model);
    expect(end).toMatchObject({ kind: "done", text: "done", requests: 3 });
    expect(pool.calls.map(({ name, version }) => `${name} ${String(version)}`)).toEqual([`${A} 1`, `${B} 1`, `${A} 1`, `${B} 2`]);
    expect(model.results(2)[1]).toBe(`Error [unknown_tool]: Unknown tool: ${B}\nlatest_version: 2\nreason: not_in_snapshot`);
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([[A], [A, B], [A, B]]);
    expect(pool.count("registry.snapshot")).toBe(3);
    expect(events.filter(({ kind }) => kind === "request")).toMatchObject([{ version: 1 }, { version: 2 }, { version: 2 }]);
  },
);

proves(
  "LEAD-6",
  "an unchanged view is not asked for again and sent as the same bytes, with the newer version as tag",
  async () => {
    const pool = new FakePool([toolView(A, "read")]);
    pool.onCall = () => {
      pool.step();
      return ok(A);
    };
    const model = new SayingModel({ calls: [A] }, { calls: [A] }, {});
    await runAgent(pool, model);
    const asked = pool.requests.filter(({ method }) => method === "registry.snapshot").map(({ params }) => params);
    expect(asked).toMatchObject([{ sessionId: "s1" }, { ifDigest: '["mcp__a__one"]' }, { ifDigest: '["mcp__a__one"]' }]);
    expect(pool.calls.map(({ version }) => version)).toEqual([1, 2]);
    const [first, ...later] = model.requests.map(({ tools }) => JSON.stringify(tools));
    for (const bytes of later) expect(bytes).toBe(first);
  },
);

proves("LEAD-7", "a tool that could not be offered is not called either, and the model is told what is missing", async () => {
  const pool = new FakePool([toolView(A, "read", { inputSchema: { type: "object", $ref: "#/none" } })]);
  const model = new SayingModel({ calls: [A] }, {});
  await runAgent(pool, model);
  expect(pool.calls).toEqual([]);
  expect(model.results(2)[0]).toMatch(/^Error \[unknown_tool\]: Unknown tool: mcp__a__one\n.*not_in_snapshot\nnot offered: /s);
  expect(model.requests[0]?.instructions).toContain(`cannot be offered to you:\n- ${A}: `);
});

proves("LEAD-8", "the partition looks at effects alone: neighbours that read are together, an unknown name is alone", () => {
  const split = (...effects: readonly ("read" | "write" | "external" | undefined)[]): string =>
    partition(effects.map((effect) => ({ effect })))
      .map((batch) => batch.map(({ effect }) => effect?.[0] ?? "?").join(""))
      .join(" ");
  expect(split("read", "read", "write", "read", "external", "external", undefined, undefined, "read", "read")).toBe(
    "rr w r e e ? ? rr",
  );
  expect(split()).toBe("");
});

proves("LEAD-8", "reads overlap, others wait for them and are waited for; results keep the order of the calls", async () => {
  const pool = new FakePool([toolView(A, "read"), toolView(B, "write")]);
  const under: string[] = [];
  const seen: string[] = [];
  let release: (() => void) | undefined;
  const bothReads = new Promise<void>((resolve) => (release = resolve));
  pool.onCall = async ({ name, callId = "" }) => {
    under.push(callId);
    seen.push(under.join("+"));
    if (under.length === 2) release?.();
    // The first two answer only when both are there, the second one first.
    if (callId === "r1c1") await bothReads.then(() => Promise.resolve());
    if (callId === "r1c2") await bothReads;
    under.splice(under.indexOf(callId), 1);
    return ok(name, { callId });
  };
  const model = new SayingModel({ calls: [A, A, B, B, A] }, {});
  await runAgent(pool, model);
  expect(seen).toEqual(["r1c1", "r1c1+r1c2", "r1c3", "r1c4", "r1c5"]);
  const ids = model
    .results(2)
    .map((result) => (JSON.parse(result) as { structured_content: { callId: string } }).structured_content.callId);
  expect(ids).toEqual(["r1c1", "r1c2", "r1c3", "r1c4", "r1c5"]);
});

const textOf = (outcome: Outcome): string => replyText({ outcome, text: JSON.stringify(outcome) });

proves("LEAD-9", "outcomes as text", () => {
  expect(textOf(errorOutcome("mcp_remote_error", "t", "a"))).toBe("Error [mcp_remote_error]: MCP server reported a tool error");
  const issues = [
    { pointer: "/q", message: "is required" },
    { pointer: "", message: "must be an object" },
  ];
  expect(textOf(errorOutcome("invalid_arguments", "t", "a", { issues }))).toBe(
    "Error [invalid_arguments]: Arguments do not match the tool's input schema\n/q: is required\n(whole): must be an object",
  );
  const details = { unreviewed: ["x"], missing: [] };
  expect(textOf(errorOutcome("connect_failed", "connect_mcp", "a", { reason: "policy_mismatch", details }))).toBe(
    'Error [connect_failed]: Could not connect MCP server\nreason: policy_mismatch\nunreviewed: ["x"]\nmissing: []',
  );
  expect(textOf(errorOutcome("result_too_large", "t", "a", { limit_bytes: 5, size_bytes: 9, may_have_run: true }))).toBe(
    "Error [result_too_large]: MCP server returned more than the allowed size\nlimit_bytes: 5\nsize_bytes: 9\nmay_have_run: true",
  );
  // The daemon's own text, letter by letter: a number in it may be one that a double cannot hold.
  const exact = '{"content":[],"status":"ok","structured_content":{"n":12345678901234567890.10}}';
  expect(replyText({ outcome: ok("t"), text: exact })).toBe(exact);
});

proves(
  "LEAD-14",
  "encoded data is left out first, then the end; what is left is whole characters and says what is missing",
  () => {
    const block = (data: string): JsonValue => ({ type: "image", mimeType: "image/png", data });
    const picture: Outcome = {
      content: [block("A".repeat(LONGEST_RESULT)), { type: "text", text: "below" }],
      server_alias: "a",
      status: "ok",
      tool: "t",
    };
    const short = textOf(picture);
    expect(short.length).toBeLessThan(300);
    expect(JSON.parse(short)).toMatchObject({
      content: [{ data: `[${String(LONGEST_RESULT)} characters of encoded data left out]` }, { text: "below" }],
    });
    const long: Outcome = {
      content: [{ type: "text", text: "🦜".repeat(LONGEST_RESULT) }],
      server_alias: "a",
      status: "ok",
      tool: "t",
    };
    expect(textOf(long)).toMatch(/… \[\d+ characters left out\]$/);
    expect(textOf(long)).not.toMatch(/\p{Cs}/u);
  },
);

proves(
  "LEAD-10",
  "malformed arguments are answered here, beside calls that run, and go back into the conversation as JSON",
  async () => {
    const pool = new FakePool([toolView(A, "read")]);
    const model = new SayingModel(
      {
        calls: [
          [A, "{"],
          [A, "[1]"],
          [A, '{"x": 12345678901234567890}'],
          [A, ""],
        ],
      },
      {},
    );
    await runAgent(pool, model);
    expect(pool.calls.map(({ argumentsText }) => argumentsText)).toEqual(['{"x": 12345678901234567890}', "{}"]);
    const [broken, list] = model.results(2);
    expect(broken).toMatch(/^Error \[invalid_arguments\]: Arguments do not match the tool's input schema\nthey are not JSON: /);
    expect(list).toContain("they must be a JSON object");
    const said = model.requests[1]?.history.findLast((turn) => turn.kind === "assistant");
    const repeated = said?.kind === "assistant" ? said.toolCalls.map(({ argumentsText }) => argumentsText) : [];
    expect(repeated).toEqual(['{"malformed":"{"}', '{"malformed":"[1]"}', '{"x": 12345678901234567890}', "{}"]);
  },
);

proves("LEAD-10", "no call of a cut reply runs; the model may try again, but not for ever", async () => {
  const pool = new FakePool([toolView(A, "read")]);
  const cut = { calls: [A, A], finish: { kind: "cut" } } as const;
  const once = new SayingModel(cut, { calls: [A] }, { text: "done" });
  expect((await runAgent(pool, once)).end).toMatchObject({ kind: "done" });
  expect(pool.calls).toHaveLength(1);
  expect(once.results(2)).toEqual([
    expect.stringMatching(/^Error \[not_executed\]/),
    expect.stringMatching(/^Error \[not_executed\]/),
  ]);
  expect((await runAgent(pool, new SayingModel(cut, cut, cut, cut))).end).toMatchObject({
    kind: "incomplete",
    reason: "cut",
    requests: 3,
  });
  expect(pool.calls).toHaveLength(1);
});

proves("LEAD-11", "a run ends as the model and the budget say, with an exit code for each", async () => {
  const pool = new FakePool([toolView(A, "read")]);
  const endOf = async (model: SayingModel, budget = {}) => (await runAgent(pool, model, { budget })).end;
  const always = new SayingModel(...Array.from({ length: 60 }, () => ({ calls: [A] })));
  const cases = [
    [await endOf(new SayingModel({ text: "x", finish: { kind: "cut" } })), { kind: "incomplete", reason: "cut", text: "x" }, 1],
    [await endOf(new SayingModel({ calls: [A], finish: { kind: "filtered" } })), { kind: "incomplete", reason: "filtered" }, 1],
    [
      await endOf(new SayingModel({ finish: { kind: "refused", text: "no" } })),
      { kind: "incomplete", reason: "refused", text: "no" },
      1,
    ],
    [
      await endOf(always),
      { kind: "incomplete", reason: "steps", requests: 50, usage: { inputTokens: 500, outputTokens: 50 } },
      1,
    ],
    [
      await endOf(new SayingModel({ calls: [A] }, { calls: [A] }), { tokens: 12 }),
      { kind: "incomplete", reason: "tokens", requests: 2 },
      1,
    ],
    [
      await endOf(new SayingModel(() => Promise.reject(new ModelFailure("auth", "wrong key")))),
      { kind: "failed", reason: "model", message: "wrong key" },
      1,
    ],
    [await endOf(new SayingModel({ text: "ready" })), { kind: "done", text: "ready" }, 0],
  ] as const;
  for (const [end, expected, exitCode] of cases) {
    expect(end).toMatchObject(expected);
    expect(exitCodeOf(end)).toBe(exitCode);
  }
});

proves("LEAD-12", "an abort cancels the calls under way by their ids, waits for their end, and starts no other", async () => {
  const pool = new FakePool([toolView(A, "read"), toolView(B, "write")]);
  const controller = new AbortController();
  const waiting = new Map<string, () => void>();
  pool.onCall = ({ callId = "", name }) =>
    new Promise((resolve) => {
      waiting.set(callId, () => resolve(cancelledOutcome(name)));
      if (waiting.size === 2) controller.abort(new Error("Ctrl-C"));
    });
  pool.onCancel = (callId) => waiting.get(callId)?.();
  const { end, events } = await runAgent(pool, new SayingModel({ calls: [A, A, B] }), { signal: controller.signal });
  expect(end).toMatchObject({ kind: "interrupted" });
  expect(exitCodeOf(end)).toBe(130);
  expect([...pool.cancelled].sort()).toEqual(["r1c1", "r1c2"]);
  expect(pool.calls).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ kind: "end" });
});

proves("LEAD-12", "an abort that came before anything is noticed before anything", async () => {
  const pool = new FakePool();
  const model = new SayingModel(() => new Promise((_, reject) => reject(new Error("never asked"))));
  const { end } = await runAgent(pool, model, { signal: AbortSignal.abort(new Error("early")) }).catch((error: unknown) => ({
    end: error,
  }));
  expect(end).toMatchObject({ message: "early" });
  expect(pool.count("registry.snapshot")).toBe(0);
});

proves(
  "LEAD-13",
  "a daemon lost during a call ends the run once its neighbours have ended, and nothing is sent again",
  async () => {
    const pool = new FakePool([toolView(A, "read")]);
    pool.onCall = ({ callId, name }) => (callId === "r1c1" ? Promise.reject(daemonGone()) : ok(name));
    const { end, events } = await runAgent(pool, new SayingModel({ calls: [A, A] }));
    expect(end).toMatchObject({
      kind: "failed",
      reason: "daemon",
      message: expect.stringContaining("nothing was sent again") as string,
    });
    expect(exitCodeOf(end)).toBe(3);
    expect(pool.calls).toHaveLength(2);
    expect(events.filter(({ kind }) => kind === "outcome")).toHaveLength(1);
  },
);

proves(
  "LEAD-13",
  "a session that is gone ends the run with that word, also when it is noticed while the model thinks",
  async () => {
    const pool = new FakePool([toolView(A, "read")]);
    pool.onCall = () => Promise.reject(sessionGone());
    const during = await runAgent(pool, new SayingModel({ calls: [A] }));
    expect(during.end).toMatchObject({ kind: "failed", reason: "session" });
    const quiet = new FakePool();
    const thinking = new SayingModel(({ signal }) => {
      quiet.lost = sessionGone();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    expect((await runAgent(quiet, thinking, { heartbeatMs: 5 })).end).toMatchObject({ kind: "failed", reason: "session" });
    expect(quiet.count("session.heartbeat")).toBe(1);
  },
);

proves("LEAD-13", "one call that cannot even be sent does not take the others with it", async () => {
  const pool = new FakePool([toolView(A, "read")]);
  pool.onCall = ({ callId, name }) =>
    callId === "r1c1" ? Promise.reject(new PoolError("conflict", "This call id is in flight")) : ok(name);
  const model = new SayingModel({ calls: [A, A] }, { text: "done" });
  expect((await runAgent(pool, model)).end).toMatchObject({ kind: "done" });
  expect(model.results(2)[0]).toBe("Error [conflict]: This call id is in flight");
  expect(model.results(2)[1]).toContain('"status":"ok"');
});

proves("LEAD-10", "a built-in tool checks its own arguments and tells its problems in the same way", async () => {
  const built = defineTool({
    name: "echo",
    description: "d",
    effect: "read",
    parameters: { say: text("what") },
    run: ({ say }) => (say === "no" ? Promise.reject(new ToolProblem("refused", "I will not", ["ever"])) : Promise.resolve(say)),
  });
  const model = new SayingModel(
    {
      calls: [
        ["echo", '{"say":"hi"}'],
        ["echo", '{"say":"no"}'],
        ["echo", '{"say":1,"more":2}'],
      ],
    },
    {},
  );
  await runAgent(new FakePool(), model, { builtIns: [built] });
  expect(model.results(2)).toEqual([
    "hi",
    "Error [refused]: I will not\never",
    "Error [invalid_arguments]: Arguments do not match the tool's input schema\n/say: must be a string\n/more: is not a property of this tool",
  ]);
});
