// `--policy FILE`: what it may look like, what is told of it, and what comes of it.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { choicesFromFile, matchPolicy } from "../../client/review/match-policy.ts";
import type { Row } from "../../client/review/types.ts";
import { withPolicy } from "../../config/policy-edit.ts";
import { parsePolicy } from "../../config/policy-file.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { refused, row } from "./tools.ts";

const rows = [row("alpha"), row("beta"), row("gamma")];

/** The choices, or the lines of the failure. */
async function outcome(text: string | Buffer, list: readonly Row[] = rows): Promise<unknown> {
  const file = join(tempFolder(), "policy.json");
  writeFileSync(file, text);
  return choicesFromFile(file, list).then(
    (choices) => Object.fromEntries(choices),
    (error: unknown) => (error as { lines: readonly string[] }).lines.join("\n").replaceAll(file, "F"),
  );
}

proves("REV-9", "a policy must decide every tool and no other, in the configuration's grammar", async () => {
  const good = { alpha: { effect: "read" }, beta: { effect: "write", as: "b" }, gamma: { effect: "hidden" } };
  expect(await outcome('{"gamma": "hidden", "alpha": "read", "beta": {"effect": "write", "as": "b"}, } // c')).toEqual(good);
  expect(await outcome('\uFEFF{"tools": {"alpha": "read", "beta": {"effect": "write", "as": "b"}, "gamma": "hidden"}}')).toEqual(
    good,
  );
  expect(await outcome('{"alpha": "read", "delta": "read", "a\\u202eb": "read"}')).toBe(
    "published and not decided: beta, gamma\ndecided and not published: delta, a\\u202eb",
  );
});

proves("CHO-6", "everything that is wrong is told at once, each with its line and column", async () => {
  expect(
    await outcome('{"alpha": "read",\n "beta": "wirte",\n "gamma": {"effect": "read", "tineoutMs": 5, "as": "_x"}}'),
  ).toMatch(/^F:2:10: \/beta: .*"wirte".*\nF:3:30: \/gamma\/tineoutMs: .*"timeoutMs"\nF:3:52: \/gamma\/as: .*$/);
  expect(await outcome('{"alpha": "read"')).toMatch(/^F:1:17: the file ends too early/);
  expect(await outcome('{"alpha": "read", "alpha": "read"}')).toMatch(/^F:1:19: \/alpha: .*stands here twice/);
  expect(await outcome("")).toMatch(/^F:1:1: the file is empty: it must hold an object of tools/);
  expect(await outcome("[1]")).toMatch(/^F:1:1: the file must hold an object of tools/);
  expect(await outcome(Buffer.from("{}", "utf16le"))).toMatch(/^F:1:1: the file is UTF-16/);
  expect(await outcome("x".repeat(5 * 1024 * 1024))).toMatch(/^F: the file has \d+ bytes/);
  const folder = tempFolder();
  await expect(choicesFromFile(folder, rows)).rejects.toMatchObject({ exitCode: 2, reason: "policy_invalid" });
  const none = choicesFromFile(join(folder, "none.json"), rows);
  await expect(none).rejects.toMatchObject({ exitCode: 2, lines: [expect.stringContaining("there is no such file")] });
  const locked = join(folder, "locked.json");
  writeFileSync(locked, "{}");
  chmodSync(locked, 0o000);
  mkdirSync(join(folder, "more"));
  if (process.getuid?.() !== 0) await expect(choicesFromFile(locked, rows)).rejects.toMatchObject({ exitCode: 2 });
});

proves("CHO-6", "with and without the member tools, also for a tool of that name; nothing beside it is passed over", () => {
  const read = (text: string): unknown => {
    const policy = parsePolicy(text);
    return policy.kind === "read" ? [...policy.policy.keys()] : policy.issues.map(({ pointer }) => pointer);
  };
  expect(read('{"tools": "read"}')).toEqual(["tools"]);
  expect(read('{"tools": {"effect": "read"}, "other": "read"}')).toEqual(["tools", "other"]);
  expect(read('{"tools": {"tools": "read"}}')).toEqual(["tools"]);
  expect(read('{"tools": {"effect": "read"}}')).toEqual(["effect"]);
  expect(read('{"tools": {"alpha": "read"}, "beta": "read"}')).toEqual(["/beta"]);
  expect(read('{"tools": {"alpha": "read"}, "tools": {"beta": "read"}}')).toEqual(["/tools"]);
  expect(read('{"tools": {}}')).toEqual([]);
  expect(read('{"__proto__": "read"}')).toEqual(["__proto__"]);
});

proves("CHO-2", "a policy that cannot be connected is refused with every reason", () => {
  const long = "x".repeat(80);
  const list = [row("bad", {}, refused), row(long), row("a.b"), row("a_b")];
  const policy = new Map(list.map(({ tool }) => [tool.name, { effect: "read" as const }]));
  const match = matchPolicy(policy, list);
  expect(match).toEqual({
    kind: "refused",
    problems: [
      "bad: cannot be exposed: it can only be hidden",
      expect.stringMatching(/^x+: its local name would have 92 characters and 64 are allowed/),
      'a_b: would have the local name of "a.b": give it another ("as"), or hide one',
    ],
  });
  const mended = new Map([
    ["bad", { effect: "hidden" as const }],
    [long, { effect: "read" as const, as: "x" }],
    ["a.b", { effect: "read" as const }],
    ["a_b", { effect: "hidden" as const }],
  ]);
  expect(matchPolicy(mended, list)).toEqual({ kind: "matched", choices: mended });
});

proves(
  "CHO-6",
  "what else the file says of a tool gets into the configuration, and what only the configuration says stays",
  () => {
    const decisions = new Map([
      ["alpha", { effect: "read" as const, timeoutMs: 5, concurrent: false }],
      ["beta", { effect: "write" as const, approval: "ask" as const }],
      ["gamma", { effect: "hidden" as const }],
    ]);
    const tools = '{"beta": {"effect": "read", "as": "b", "timeoutMs": 9}, "gamma": "read"}';
    const edited = JSON.parse(withPolicy(`{"mcpServers": {"a": {"tools": ${tools}}}}`, "a", decisions)) as unknown;
    expect(edited).toEqual({
      mcpServers: {
        a: {
          tools: {
            alpha: { effect: "read", timeoutMs: 5, concurrent: false },
            beta: { effect: "write", timeoutMs: 9, approval: "ask" },
            gamma: "hidden",
          },
        },
      },
    });
  },
);
