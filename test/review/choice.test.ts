// How effects are chosen: what keys do to the list, what answers do, what a policy file must say.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { choiceProblem, openList, pressKey, shownRows, type Key, type ListState } from "../../client/review/effect-choice.ts";
import { choicesFromFile } from "../../client/review/match-policy.ts";
import { choosePlainly } from "../../client/review/plain-choice.ts";
import type { Choice, Row } from "../../client/review/types.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { refused, row } from "./tools.ts";

const key = (name: string, text = ""): Key => ({ name, ctrl: false, text });
const typed = (text: string): readonly Key[] => Array.from(text, (sign) => key(sign, sign));
const press = (rows: readonly Row[], ...keys: readonly Key[]): ListState =>
  keys.reduce((state, each) => pressKey(state, each, rows, 5), openList(rows));
const effects = ({ choices }: ListState): string =>
  [...choices].map(([name, { effect, as }]) => `${name}:${effect}${as ?? ""}`).join(" ");

const LONG = "x".repeat(80);
const rows = [row("alpha"), row("beta"), row("gamma", { initial: { effect: "read" } })];

proves("REV-6", "arrows move, space and arrows change, typing filters, F-keys set all that is shown", () => {
  expect(effects(press(rows, key("space")))).toBe("alpha:external beta:write gamma:read");
  expect(effects(press(rows, key("down"), key("left")))).toBe("alpha:write beta:read gamma:read");
  expect(effects(press(rows, key("end"), key("right")))).toBe("alpha:write beta:write gamma:write");
  expect(effects(press(rows, ...typed("gam"), key("space")))).toBe("alpha:write beta:write gamma:write");
  expect(effects(press(rows, ...typed("et"), key("f4"), key("escape"), key("f1")))).toBe("alpha:read beta:read gamma:read");
  expect(effects(press(rows, ...typed("et"), key("f4")))).toBe("alpha:write beta:hidden gamma:read");
  expect(press(rows, key("down"), key("up"), key("up")).cursor).toBe(0);
  expect(press(rows, key("pagedown"), key("pagedown")).cursor).toBe(2);
  expect(press(rows, ...typed("zz"), key("backspace"), key("backspace")).filter).toBe("");
  expect(press(rows, key("tab")).details).toBe(true);
  expect(press(rows, key("return")).end).toBe("confirmed");
  expect(press(rows, ...typed("a"), key("escape")).end).toBe("open");
  expect(press(rows, key("escape")).end).toBe("left");
  expect(pressKey(openList(rows), { name: "c", ctrl: true, text: "\u0003" }, rows, 5).end).toBe("left");
});

const difficult = [
  row("bad", { initial: { effect: "hidden" } }, refused),
  row(LONG, { suggestedAs: "short" }),
  row("a.b"),
  row("a_b"),
];

proves("REV-8", "a refused tool stays hidden; a name that does not do keeps the list open until it has another", () => {
  expect(press(difficult, key("space"))).toMatchObject({ problem: expect.stringContaining("only be hidden") as unknown });
  expect(effects(press(difficult, key("f1")))).toContain("bad:hidden");
  const stuck = press(difficult, key("return"));
  expect(stuck).toMatchObject({ end: "open", cursor: 1, problem: expect.stringContaining("64") as unknown });
  const named = [key("return"), key("=", "="), key("return")];
  const clash = press(difficult, ...named, key("return"));
  expect(clash.choices.get(LONG)).toEqual({ effect: "write", as: "short" });
  expect(clash).toMatchObject({ end: "open", problem: expect.stringContaining('local name of "a.b"') as unknown });
  const other = [key("=", "="), ...typed("a_c!"), key("return"), key("return")];
  expect(press(difficult, ...named, key("return"), ...other).end).toBe("confirmed");
  expect(
    press(difficult, key("down"), key("="), ...[key("=", "=")], key("backspace"), ...typed("_"), key("return")),
  ).toMatchObject({
    naming: "shor_",
    problem: expect.stringContaining("no _ at either end") as unknown,
  });
});

proves("REV-8", "whatever is pressed, what is confirmed can be connected", () => {
  const names = [
    "up",
    "down",
    "left",
    "right",
    "space",
    "tab",
    "home",
    "end",
    "pageup",
    "pagedown",
    "backspace",
    "return",
    "f1",
    "f2",
    "f3",
    "f4",
  ];
  const anyKey = fc.oneof(
    fc.constantFrom(...names).map((name) => key(name)),
    fc.constantFrom("a", "b", "x", "_", "=", "\u0007").map((text) => key(text, text)),
  );
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 60 }), (keys) => {
      let state = openList(difficult);
      for (const each of keys) if (state.end === "open") state = pressKey(state, each, difficult, 3);
      expect([...state.choices.keys()]).toEqual(difficult.map(({ tool }) => tool.name));
      expect(state.choices.get("bad")?.effect).toBe("hidden");
      const shown = shownRows(difficult, state.filter).length;
      expect(state.cursor).toBeLessThanOrEqual(Math.max(0, shown - 1));
      if (state.end === "confirmed") expect(choiceProblem(difficult, state.choices)).toBeUndefined();
    }),
  );
});

async function answered(
  list: readonly Row[],
  ...answers: readonly string[]
): Promise<[ReadonlyMap<string, Choice> | undefined, string]> {
  const said: string[] = [];
  const left = [...answers];
  const ask = (question: string): Promise<string | undefined> => {
    said.push(question);
    return Promise.resolve(left.shift());
  };
  return [await choosePlainly(list, ask, (line) => said.push(line)), said.join("\n")];
}

proves(
  "REV-6",
  "answers: a letter, a word, Enter for what stands, all for the rest; q and the end of the input leave",
  async () => {
    const chosen = async (...answers: string[]): Promise<string> =>
      [...((await answered(rows, ...answers))[0] ?? [])].map(([name, { effect }]) => `${name}:${effect}`).join(" ");
    expect(await chosen("r", "", "external")).toBe("alpha:read beta:write gamma:external");
    expect(await chosen("h", "all")).toBe("alpha:hidden beta:write gamma:read");
    expect(await chosen("what", "R", "all")).toBe("alpha:read beta:write gamma:read");
    expect((await answered(rows, "r", "q"))[0]).toBeUndefined();
    expect((await answered(rows, "r"))[0]).toBeUndefined();
    expect((await answered(rows, "?", "all"))[1]).toContain("mcp__alpha__alpha");
  },
);

proves(
  "REV-8",
  "answers: what cannot be exposed is hidden without a question, a bad name is asked for until it does",
  async () => {
    const [choices, said] = await answered(difficult, "w", "_x", "", "r", "r", "h");
    expect(said).toContain("bad cannot be exposed and is hidden");
    expect([...(choices ?? [])]).toEqual([
      ["bad", { effect: "hidden" }],
      [LONG, { effect: "write", as: "short" }],
      ["a.b", { effect: "read" }],
      ["a_b", { effect: "hidden" }],
    ]);
  },
);

proves("REV-9", "a policy must decide every tool and no other, in the configuration's grammar", async () => {
  const folder = tempFolder();
  const file = join(folder, "policy.json");
  const outcome = async (text: string, list: readonly Row[] = rows): Promise<unknown> => {
    writeFileSync(file, text);
    return choicesFromFile(file, list).then(
      (choices) => Object.fromEntries(choices),
      (error: unknown) => (error as { lines: readonly string[] }).lines.join("\n"),
    );
  };
  const good = { alpha: { effect: "read" }, beta: { effect: "write", as: "b" }, gamma: { effect: "hidden" } };
  expect(
    await outcome('{"alpha": "read", "beta": {"effect": "write", "as": "b", "timeoutMs": 5}, "gamma": "hidden"} // c'),
  ).toEqual(good);
  expect(await outcome('{"tools": {"alpha": "read", "beta": {"effect": "write", "as": "b"}, "gamma": "hidden"}}')).toEqual(good);
  expect(await outcome('{"alpha": "read",\n "beta": "wirte", "gamma": "read"}')).toMatch(/policy\.json:2:10: \/beta: .*"wirte"/);
  expect(await outcome('{"alpha": "read"')).toMatch(/policy\.json:1:17/);
  expect(await outcome('{"alpha": "read", "alpha": "read", "beta": "read", "gamma": "read"}')).toMatch(/stands here twice/);
  expect(await outcome('{"alpha": "read", "delta": "read"}')).toBe(
    "published and not decided: beta, gamma\ndecided and not published: delta",
  );
  expect(await outcome("[]")).toMatch(/must hold an object/);
  expect(await outcome('{"a.b": "read", "a_b": "read"}', [row("a.b"), row("a_b")])).toMatch(
    /a_b: would have the local name of "a.b"/,
  );
  expect(await outcome('{"bad": "read"}', [row("bad", {}, refused)])).toMatch(/only be hidden/);
  // Every tool that is wrong is named, so that the file is corrected once.
  const broken = [row("bad", {}, refused), row("good"), row("worse", {}, refused)];
  expect(await outcome('{"bad": "read", "good": "read", "worse": "write"}', broken)).toBe(
    "bad: cannot be exposed: it can only be hidden\nworse: cannot be exposed: it can only be hidden",
  );
  await expect(choicesFromFile(join(folder, "none.json"), rows)).rejects.toMatchObject({ exitCode: 2, reason: "policy_invalid" });
});
