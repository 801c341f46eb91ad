// The same choice by answers, without a terminal.
import { expect } from "vitest";
import { choosePlainly } from "../../client/review/plain-choice.ts";
import type { Choices } from "../../client/review/choice-rules.ts";
import type { Row } from "../../client/review/types.ts";
import { proves } from "../support/promise.ts";
import { refused, row } from "./tools.ts";

interface Talk {
  readonly choices: Choices | undefined;
  readonly said: string;
  /** Answers that nobody asked for. */
  readonly left: readonly string[];
}

async function answered(list: readonly Row[], ...answers: readonly string[]): Promise<Talk> {
  const said: string[] = [];
  const left = [...answers];
  const ask = (question: string): Promise<string | undefined> => {
    said.push(question);
    return Promise.resolve(left.shift());
  };
  const choices = await choosePlainly(list, ask, (line) => said.push(line));
  return { choices, said: said.join("\n"), left };
}

const rows = [
  row("alpha"),
  row("beta", { proposal: { effect: "external", why: "it sends" } }),
  row("gamma", { initial: { effect: "read", as: "g" } }),
];
const chosen = async (...answers: string[]): Promise<string> => {
  const { choices, left } = await answered(rows, ...answers);
  return [...(choices ?? []), ...left]
    .map((one) => (typeof one === "string" ? `unasked ${one}` : `${one[0]}:${one[1].effect}`))
    .join(" ");
};

proves("CHO-5", "a letter, a word in any case, Enter for what stands, all for the rest", async () => {
  expect(await chosen("r", "", "external")).toBe("alpha:read beta:write gamma:external");
  expect(await chosen("h", "all")).toBe("alpha:hidden beta:write gamma:read");
  expect(await chosen("what", "R", " Hidden ", "W")).toBe("alpha:read beta:hidden gamma:write");
  const { said, choices } = await answered(rows, "?", "", "", "");
  expect(said).toContain("exposed as mcp__alpha__alpha");
  expect(said).toContain("beta [write, proposed external]? ");
  expect(choices?.get("gamma")).toEqual({ effect: "read", as: "g" });
  expect((await answered(rows, "all")).choices?.get("gamma")).toEqual({ effect: "read", as: "g" });
  expect((await answered(rows, "", "", "h")).choices?.get("gamma")).toEqual({ effect: "hidden" });
  expect(await answered([])).toEqual({ choices: new Map(), said: "", left: [] });
});

proves("CHO-5", "q and the end of the input leave at every question, and then nothing is chosen", async () => {
  for (const answers of [[], ["q"], ["r"], ["r", "quit"], ["r", "r", "?"]])
    expect((await answered(rows, ...answers)).choices).toBeUndefined();
  const nameless = [row("x".repeat(80))];
  expect((await answered(nameless, "r")).choices).toBeUndefined();
  expect((await answered(nameless, "all", "")).choices).toBeUndefined();
});

const LONG = "x".repeat(80);
const difficult = [
  row("bad", { initial: { effect: "read" } }, refused),
  row(LONG, { suggestedAs: "short" }),
  row("a.b"),
  row("a_b"),
];

proves("REV-8", "what cannot be exposed is hidden without a question, a bad name is asked for until it does", async () => {
  const { choices, said } = await answered(difficult, "w", "_x", "", "r", "r", "SHORT", "-");
  expect(said).toContain("bad cannot be exposed and is hidden: /inputSchema/type must be object");
  expect(said).toMatch(/64 are allowed[\s\S]*local name \[short\], or - to hide it\?/);
  expect(said).toContain('a_b: would have the local name of "a.b"');
  expect([...(choices ?? [])]).toEqual([
    ["bad", { effect: "hidden" }],
    [LONG, { effect: "write", as: "short" }],
    ["a.b", { effect: "read" }],
    ["a_b", { effect: "hidden" }],
  ]);
});

proves("CHO-2", "answers: a name that another has is asked for again, also behind `all`, and h is a name", async () => {
  const { choices, said } = await answered(difficult, "all", "", "short", "h");
  expect(said.match(/would have the local name of/g)?.length).toBe(2);
  expect(choices?.get("a_b")).toEqual({ effect: "write", as: "h" });
});
