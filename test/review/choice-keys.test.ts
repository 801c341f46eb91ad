// What keys do to the list, without a terminal: tables, and whatever is pressed.
import fc from "fast-check";
import { expect } from "vitest";
import { choiceProblems, finalChoices } from "../../client/review/choice-rules.ts";
import { openList, pressKey, shownRows, type Key, type ListState } from "../../client/review/effect-choice.ts";
import { readKey } from "../../client/review/list-keys.ts";
import type { Row } from "../../client/review/types.ts";
import { proves } from "../support/promise.ts";
import { refused, row } from "./tools.ts";

const VIEW = { page: 5, detailPage: 4, lastDetail: 7 };
const key = (kind: Exclude<Key["kind"], "text" | "setAll">): Key => ({ kind });
const typed = (text: string): readonly Key[] => Array.from(text, (sign): Key => ({ kind: "text", text: sign }));
const all = (letter: string): readonly Key[] => typed(`*${letter}`);
const press = (rows: readonly Row[], ...keys: readonly Key[]): ListState =>
  keys.reduce((state, each) => pressKey(state, each, VIEW), openList(rows));
const effects = (state: ListState): string =>
  [...finalChoices(state.rows, state.choices)].map(([name, { effect, as }]) => `${name}:${effect}${as ?? ""}`).join(" ");

const LONG = "x".repeat(80);
const three = [row("alpha"), row("beta", {}, { description: "Mends a thing" }), row("gamma", { initial: { effect: "read" } })];
const many = Array.from({ length: 20 }, (_, at) => row(`tool_${String(at)}`));
const difficult = [
  row("bad", { initial: { effect: "read" } }, refused),
  row(LONG, { suggestedAs: "short" }),
  row("a.b"),
  row("a_b"),
];

proves("CHO-1", "space and the arrows step through the effects, both ways and around", () => {
  const steps = (kind: "space" | "left" | "right", times: number): string =>
    effects(press([row("a", { initial: { effect: "read" } })], ...Array.from({ length: times }, () => key(kind))));
  for (const kind of ["space", "right"] as const) {
    expect([1, 2, 3, 4].map((times) => steps(kind, times))).toEqual(["a:write", "a:external", "a:hidden", "a:read"]);
  }
  expect([1, 2, 3, 4].map((times) => steps("left", times))).toEqual(["a:hidden", "a:external", "a:write", "a:read"]);
});

proves("CHO-1", "the cursor moves by rows and pages and stops at both ends", () => {
  const at = (...kinds: readonly Parameters<typeof key>[0][]): number => press(many, ...kinds.map(key)).cursor;
  expect([at("up"), at("down"), at("down", "down", "up"), at("end"), at("end", "down")]).toEqual([0, 1, 1, 19, 19]);
  expect([at("pageDown"), at("pageDown", "pageUp"), at("pageUp"), at("end", "pageUp"), at("end", "home")]).toEqual([
    5, 0, 0, 14, 0,
  ]);
});

proves(
  "CHO-1",
  "what is typed filters by name and description; the row at the cursor is kept; Backspace and Escape undo it",
  () => {
    const shown = (...keys: readonly Key[]): string =>
      press(three, ...keys)
        .shown.map(({ tool }) => tool.name)
        .join(" ");
    expect([shown(...typed("MEND")), shown(...typed("mm")), shown(...typed("mcp"))]).toEqual(["beta", "gamma", ""]);
    expect(shown(...typed("zz"))).toBe("");
    expect(shown(...typed("zz"), key("backspace"), key("backspace"))).toBe("alpha beta gamma");
    const kept = press(three, key("end"), ...typed("mm"));
    expect([kept.cursor, press(three, key("end"), ...typed("mm"), key("escape")).cursor]).toEqual([0, 2]);
    expect(effects(press(three, ...typed("mend"), key("space"), key("escape")))).toBe("alpha:write beta:external gamma:read");
    // Nothing is there to act on.
    for (const keys of [[key("space")], [key("enter")], typed("="), typed("*"), [key("tab")], [key("down")], [key("end")]]) {
      expect(() => press(three, ...typed("zz"), ...keys)).not.toThrow();
    }
    expect(press(three, ...typed("y".repeat(500))).filter.length).toBe(60);
  },
);

proves("CHO-1", "* and a letter, or F1 to F4, set all that is shown and nothing else; another key is a no", () => {
  expect(effects(press(three, ...all("r")))).toBe("alpha:read beta:read gamma:read");
  expect(effects(press(three, ...typed("et"), ...all("H")))).toBe("alpha:write beta:hidden gamma:read");
  expect(effects(press(three, ...all("e")))).toBe("alpha:external beta:external gamma:external");
  expect(effects(press(three, { kind: "setAll", effect: "hidden" }))).toBe("alpha:hidden beta:hidden gamma:hidden");
  for (const no of [typed("x"), [key("enter")], [key("escape")], [key("space")]]) {
    const state = press(three, ...typed("*"), ...no);
    expect([effects(state), state.mode.kind, state.end]).toEqual(["alpha:write beta:write gamma:read", "filter", "open"]);
  }
});

proves("CHO-1", "Tab opens and closes the details; pages then scroll them, and another tool begins at its first line", () => {
  const first = (...kinds: readonly Parameters<typeof key>[0][]): number | undefined => press(many, ...kinds.map(key)).details;
  expect([first(), first("tab"), first("tab", "tab")]).toEqual([undefined, 0, undefined]);
  expect([first("tab", "pageDown"), first("tab", "pageDown", "pageDown", "pageDown")]).toEqual([3, 7]);
  expect([first("tab", "pageDown", "pageUp", "pageUp"), first("tab", "pageDown", "down")]).toEqual([0, 0]);
});

proves("CHO-1", "Enter takes all, Escape leaves unless there is something to clear", () => {
  expect(press(three, key("enter")).end).toBe("confirmed");
  expect(press(three, key("escape")).end).toBe("left");
  expect(press(three, ...typed("a"), key("escape")).end).toBe("open");
  expect(press(three, ...typed("="), key("escape")).end).toBe("open");
});

proves("CHO-1", "keys as terminals send them: letters of every script are text, Ctrl and Alt with a letter are nothing", () => {
  const cases: readonly [Parameters<typeof readKey>[0], Key][] = [
    [{ name: "up", sequence: "\u001b[A" }, key("up")],
    [{ name: "return", sequence: "\r" }, key("enter")],
    [{ name: "enter", sequence: "\n" }, key("enter")],
    [{ name: "backspace", sequence: "\b" }, key("backspace")],
    [{ name: "escape", sequence: "\u001b\u001b", meta: true }, key("escape")],
    [
      { name: "f3", sequence: "\u001bOR" },
      { kind: "setAll", effect: "external" },
    ],
    [
      { name: "a", sequence: "A" },
      { kind: "text", text: "A" },
    ],
    [{ sequence: "=" }, { kind: "text", text: "=" }],
    [{ sequence: "你" }, { kind: "text", text: "你" }],
    [{ sequence: "🦀" }, { kind: "text", text: "🦀" }],
    [{ name: "a", sequence: "\u0001", ctrl: true }, key("other")],
    [{ name: "c", sequence: "\u0003", ctrl: true }, key("other")],
    [{ name: "f", sequence: "\u001bf", meta: true }, key("other")],
    [{ name: "insert", sequence: "\u001b[2~" }, key("other")],
    [{ sequence: "\u202e" }, key("other")],
    [{}, key("other")],
  ];
  for (const [pressed, read] of cases) expect([pressed, readKey(pressed)]).toEqual([pressed, read]);
});

proves("CHO-2", "a tool that cannot be exposed stays hidden whatever is pressed, even where the policy said otherwise", () => {
  for (const keys of [[key("space")], [key("left")], typed("=")]) {
    const state = press(difficult, ...keys);
    expect([state.problem, state.choices.get("bad"), state.mode.kind]).toEqual([
      '"bad" cannot be exposed, only hidden: Tab says why',
      { effect: "hidden" },
      "filter",
    ]);
  }
  const state = press(difficult, ...all("r"));
  expect(state.problem).toBe("1 of them cannot be exposed and stay hidden");
  expect(state.choices.get("bad")).toEqual({ effect: "hidden" });
  expect(press(difficult, ...all("h"), key("enter")).end).toBe("confirmed");
});

proves("CHO-2", "a name that does not do is gone to, offered another, and taken when it fits and nobody has it", () => {
  const stuck = press(difficult, ...typed("a_"), key("enter"));
  expect(stuck).toMatchObject({ end: "open", filter: "", cursor: 1 });
  expect(stuck.problem).toMatch(/needs another local name: = gives it one/);
  const offered = press(difficult, key("enter"), ...typed("="));
  expect(offered.mode).toEqual({ kind: "name", text: "short" });
  const clash = press(difficult, key("enter"), ...typed("="), key("enter"), key("enter"));
  expect(clash.choices.get(LONG)).toEqual({ effect: "write", as: "short" });
  expect(clash).toMatchObject({
    end: "open",
    cursor: 3,
    problem: '"a_b" would have the name of "a.b": = gives it another, or hide one',
  });
  const solved = [key("enter"), ...typed("="), key("enter"), key("enter")];
  const name = (text: string): ListState => press(difficult, ...solved, ...typed("="), ...typed(text), key("enter"));
  expect(name("Ab c!2")).toMatchObject({ problem: undefined, mode: { kind: "filter" } });
  expect(name("abc").choices.get("a_b")).toEqual({ effect: "write", as: "abc" });
  expect(name("short").problem).toMatch(/"x+…" has this name already/);
  expect(name("_x").problem).toMatch(/no _ stands at either end/);
  expect(name("y".repeat(200)).problem).toMatch(/64 are allowed/);
  expect(pressKey(name("abc"), key("enter"), VIEW).end).toBe("confirmed");
  // A hidden tool needs no name and keeps none; its own name comes back with an empty one.
  const hidden = press(difficult, ...solved, key("left"), key("left"), key("enter"));
  expect([hidden.end, effects(hidden).split(" ").at(-1)]).toEqual(["confirmed", "a_b:hidden"]);
  expect(
    press([row("a", { initial: { effect: "read", as: "b" } })], ...typed("="), key("backspace"), key("enter")).choices.get("a"),
  ).toEqual({
    effect: "read",
  });
});

proves(
  "CHO-2",
  "whatever is pressed: every tool keeps one choice, the cursor is on a row, and what is confirmed can be connected",
  () => {
    const kinds = [
      "up",
      "down",
      "left",
      "right",
      "space",
      "tab",
      "home",
      "end",
      "pageUp",
      "pageDown",
      "backspace",
      "enter",
      "other",
    ] as const;
    const anyKey = fc.oneof(
      fc.constantFrom(...kinds).map(key),
      fc.constantFrom("a", "b", "x", "_", "=", "*", "r", "h", "é").map((text): Key => ({ kind: "text", text })),
      fc.constantFrom("read", "hidden").map((effect): Key => ({ kind: "setAll", effect: effect === "read" ? "read" : "hidden" })),
    );
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 80 }), (keys) => {
        let state = openList(difficult);
        for (const each of keys) if (state.end === "open") state = pressKey(state, each, VIEW);
        expect([...state.choices.keys()]).toEqual(difficult.map(({ tool }) => tool.name));
        expect(state.choices.get("bad")?.effect).toBe("hidden");
        expect(state.shown).toEqual(shownRows(difficult, state.filter));
        expect(state.cursor).toBeGreaterThanOrEqual(0);
        expect(state.cursor).toBeLessThanOrEqual(Math.max(0, state.shown.length - 1));
        if (state.end === "confirmed") expect(choiceProblems(difficult, finalChoices(difficult, state.choices))).toEqual([]);
      }),
    );
  },
);
