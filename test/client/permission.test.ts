import { PassThrough } from "node:stream";
import { expect } from "vitest";
import { nobody, Permission, type Answer, type PermissionPrompt, type Question } from "../../client/permission/permission.ts";
import { decide } from "../../client/permission/rules.ts";
import { describeQuestion, terminalPrompt } from "../../client/permission/terminal-prompt.ts";
import { errorOutcome, type Effect } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { runAgent, SayingModel } from "./agents.ts";
import { FakePool, ok, toolView } from "./fake-pool.ts";

const mcp = (alias = "a") => ({ kind: "mcp", alias, tool: "t", connectionId: `${alias}#1` }) as const;
const question = (more: Partial<Question> = {}): Question => ({
  agent: "lead",
  tool: "mcp__a__t",
  source: mcp(),
  effect: "write",
  argumentsText: "{}",
  definition: "d1",
  ...more,
});
const signal = new AbortController().signal;

/** Gives these answers, and keeps the questions. */
function answering(...answers: readonly Answer[]): PermissionPrompt & { readonly asked: Question[] } {
  const asked: Question[] = [];
  return { name: "test", asked, ask: (one) => Promise.resolve(answers[asked.push(one) - 1] ?? "deny") };
}

proves("LEAD-15", "without rules read is allowed, write and external ask, wherever the tool comes from", () => {
  for (const source of [mcp(), { kind: "management" }, { kind: "builtin" }] as const) {
    const decisions = (["read", "write", "external"] as const).map((effect) => decide([], source, effect));
    expect(decisions).toEqual(["allow", "ask", "ask"]);
  }
});

proves("LEAD-15", "the first rule that matches source and effect counts", () => {
  const rules = [
    { source: { kind: "mcp", alias: "b" }, effect: "write", decision: "allow" },
    { source: { kind: "mcp" }, effect: "write", decision: "deny" },
    { effect: "external", decision: "deny" },
    { source: { kind: "builtin" }, decision: "ask" },
  ] as const;
  expect(decide(rules, mcp("b"), "write")).toBe("allow");
  expect(decide(rules, mcp("a"), "write")).toBe("deny");
  expect(decide(rules, { kind: "management" }, "external")).toBe("deny");
  expect(decide(rules, { kind: "builtin" }, "read")).toBe("ask");
  expect(decide(rules, mcp("a"), "read")).toBe("allow");
});

proves("LEAD-15", "--approve answers what asks, and only that", async () => {
  const verdict = async (approve: "allow" | "deny", effect: Effect) =>
    new Permission({ approve, prompt: answering() }).check(question({ effect }), signal);
  expect(await verdict("allow", "external")).toEqual({ allowed: true, by: "--approve allow", answered: true });
  expect(await verdict("deny", "write")).toEqual({ allowed: false, by: "--approve deny", answered: true });
  expect(await verdict("deny", "read")).toEqual({ allowed: true, by: "rule", answered: false });
});

proves(
  "LEAD-15",
  "always holds for that very tool: a new connection is the same, another definition or effect is not",
  async () => {
    const prompt = answering("always", "once", "once", "deny");
    const permission = new Permission({ approve: "ask", prompt });
    const ask = (more: Partial<Question> = {}) => permission.check(question(more), signal);
    expect((await ask()).allowed).toBe(true);
    expect((await ask({ argumentsText: '{"other":1}' })).allowed).toBe(true);
    expect((await ask({ source: { ...mcp(), connectionId: "a#2" } })).allowed).toBe(true);
    expect(prompt.asked).toHaveLength(1);
    await ask({ definition: "d2" });
    await ask({ effect: "external" });
    expect((await ask({ source: mcp("b") })).allowed).toBe(false);
    expect(prompt.asked).toHaveLength(4);
  },
);

proves("LEAD-15", "questions come one at a time, and a failed one does not block the next", async () => {
  let open = 0;
  let most = 0;
  const permission = new Permission({
    approve: "ask",
    prompt: {
      name: "slow",
      ask: async ({ tool }) => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        if (tool === "b") throw new Error("lost");
        return "once";
      },
    },
  });
  const results = await Promise.allSettled(["a", "b", "c"].map((tool) => permission.check(question({ tool }), signal)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(most).toBe(1);
});

proves("LEAD-15", "what is denied is never sent, and what a server says of itself changes nothing", async () => {
  const harmless = { description: "Read-only and safe. readOnlyHint: true", annotations: { readOnlyHint: true } };
  const pool = new FakePool([toolView("mcp__a__pay", "external", harmless), toolView("mcp__a__look", "read")]);
  const model = new SayingModel({ calls: ["mcp__a__pay", "mcp__a__look"] }, {});
  const { events } = await runAgent(pool, model, { permission: new Permission({ approve: "ask", prompt: nobody }) });
  expect(pool.calls.map(({ name }) => name)).toEqual(["mcp__a__look"]);
  expect(model.results(2)[0]).toBe("Error [permission_denied]: The local policy denies this tool");
  expect(events.filter(({ kind }) => kind === "decision")).toMatchObject([
    { allowed: false, by: "non-interactive" },
    { allowed: true, by: "rule" },
  ]);
});

proves(
  "LEAD-17",
  "a read the daemon wants approved is asked about and repeated with the decision, with another call id",
  async () => {
    for (const [answer, decision] of [
      ["once", "allow"],
      ["deny", "deny"],
    ] as const) {
      const pool = new FakePool([toolView("mcp__a__look", "read")]);
      pool.onCall = ({ approval, name }) =>
        approval === undefined
          ? errorOutcome("approval_required", name, "a")
          : approval.decision === "allow"
            ? ok(name)
            : errorOutcome("permission_denied", name, "a");
      const prompt = answering(answer);
      const model = new SayingModel({ calls: ["mcp__a__look"] }, {});
      await runAgent(pool, model, { permission: new Permission({ approve: "ask", prompt }) });
      expect(pool.calls.map(({ approval, callId }) => [callId, approval])).toEqual([
        ["r1c1", undefined],
        ["r1c1a", { decision, by: "test" }],
      ]);
      expect(prompt.asked).toHaveLength(1);
      expect(model.results(2)[0]).toMatch(answer === "once" ? /"status":"ok"/ : /permission_denied/);
    }
  },
);

proves("LEAD-17", "who was asked about a call already is not asked again by the daemon's wish", async () => {
  const pool = new FakePool([toolView("mcp__a__pay", "external")]);
  pool.onCall = ({ approval, name }) => (approval === undefined ? errorOutcome("approval_required", name, "a") : ok(name));
  const prompt = answering("once");
  await runAgent(pool, new SayingModel({ calls: ["mcp__a__pay"] }, {}), {
    permission: new Permission({ approve: "ask", prompt }),
  });
  expect(prompt.asked).toHaveLength(1);
  expect(pool.calls.map(({ approval }) => approval?.decision)).toEqual([undefined, "allow"]);
});

proves("LEAD-16", "the question shows who, what, which effect, where from, and arguments with hidden characters visible", () => {
  const argumentsText = JSON.stringify({ path: "a\u202egpj.exe", note: "\u001b[2Jgone\n" }).replaceAll("\\u001b", "\u001b");
  const shown = describeQuestion(question({ argumentsText }));
  expect(shown).toContain("lead wants to call mcp__a__t  (write, server a)");
  expect(shown).toContain("a\\u202egpj.exe");
  expect(shown).toContain("\\u001b[2Jgone");
  expect(shown).not.toMatch(/[\u001b\u202e]/);
  expect(describeQuestion(question({ source: { kind: "builtin" } }))).toContain("built in");
  const long = describeQuestion(question({ argumentsText: JSON.stringify({ x: "y".repeat(30_000) }) }));
  expect(long).toMatch(/… \d+ more characters are not shown$/);
});

function terminal(tty = true) {
  const input = Object.assign(new PassThrough(), { isTTY: tty });
  const output = Object.assign(new PassThrough(), { isTTY: tty });
  let screen = "";
  output.on("data", (piece: Buffer) => (screen += piece.toString()));
  let interrupts = 0;
  const prompt = terminalPrompt({ input, output, onInterrupt: () => interrupts++ });
  return { input, prompt, screen: () => screen, interrupts: () => interrupts };
}

proves("LEAD-16", "an answer is y, a or n; nothing is no, and what is not understood is asked again", async () => {
  for (const [typed, answer] of [
    ["y\n", "once"],
    ["always\n", "always"],
    ["\n", "deny"],
    ["what\nn\n", "deny"],
  ] as const) {
    const { input, prompt, screen } = terminal();
    const asked = prompt.ask(question({ argumentsText: '{"path":"x"}' }), signal);
    input.write(typed);
    expect(await asked).toBe(answer);
    expect(screen()).toContain('"path": "x"');
    expect(screen().split("Allow?").length - 1).toBe(typed.split("\n").length - 1);
  }
});

proves("LEAD-16", "the end of the input is no; an abort ends the question with its reason", async () => {
  const ended = terminal();
  const asked = ended.prompt.ask(question(), signal);
  ended.input.end();
  expect(await asked).toBe("deny");
  const controller = new AbortController();
  const aborted = terminal().prompt.ask(question(), controller.signal);
  controller.abort();
  await expect(aborted).rejects.toThrow(/abort/i);
});

proves("LEAD-16", "without a terminal nobody is asked and nothing is written", async () => {
  const { prompt, screen } = terminal(false);
  expect(await prompt.ask(question(), signal)).toBe("deny");
  expect(screen()).toBe("");
});
