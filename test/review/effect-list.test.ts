// The list at a real pseudo-terminal: what a person sees and what comes out.
import { beforeAll, afterEach, expect } from "vitest";
import type { Row } from "../../client/review/types.ts";
import { proves } from "../support/promise.ts";
import { KEYS, type TerminalOptions, type TestTerminal } from "../support/terminal.ts";
import { F, listProgram, openTerminal, resultOf, type ListTerminal } from "./list-program.ts";
import { refused, row } from "./tools.ts";

let program = "";
beforeAll(async () => {
  program = await listProgram();
});
const terminals: TestTerminal[] = [];
afterEach(async () => {
  await Promise.all(terminals.splice(0).map((terminal) => terminal.close()));
});

async function open(rows: readonly Row[], options?: TerminalOptions): Promise<TestTerminal> {
  return (await opened(rows, options)).terminal;
}

async function opened(rows: readonly Row[], options?: TerminalOptions): Promise<ListTerminal> {
  const list = await openTerminal(program, rows, options);
  terminals.push(list.terminal);
  return list;
}

const LONG = "make_a_very_long_name_".repeat(4);
const rows = [
  row("get_thing", { initial: { effect: "read" }, change: "new" }, { description: "Gets a thing\nand more" }),
  row("drop_thing", { flags: [{ kind: "link", pointer: "/description", message: "has a link" }] }, { description: "Drops it" }),
  row("bad", { initial: { effect: "hidden" } }, refused),
];

const many = Array.from({ length: 400 }, (_, at) =>
  row(`tool_${String(at)}`, {}, { description: at === 333 ? "the needle" : "Does a thing. ".repeat(30) }),
);

/** No line was broken by the terminal: a broken one would make the list longer than it is. */
function widest(terminal: TestTerminal): number {
  return Math.max(...terminal.screen.split("\n").map((line) => line.length));
}

proves("CHO-3", "arrows, space, filter and Enter: what is seen is what comes out; the list is taken away", async () => {
  const terminal = await open(rows);
  expect(terminal.screen).toMatch(
    /^What may each tool do\? {2}1 read · 1 write · 1 hidden\nfilter:\n> read {6}get_thing .*5 tok .*new {4} +Gets a thing$/m,
  );
  expect(terminal.screen).toMatch(/ {2}write {5}drop_thing .*⚑ 1/);
  expect(terminal.screen).toMatch(/ {2}hidden {4}bad .*refused/);
  terminal.type(KEYS.down);
  await terminal.until(/> write +drop_thing/);
  terminal.type(KEYS.space);
  await terminal.until(/> external +drop_thing/);
  terminal.type(F.left, F.left);
  await terminal.until(/> read +drop_thing/);
  terminal.type("g", "e", "t");
  await terminal.until(/filter \(1 of 3\): get\n> read +get_thing/);
  terminal.type(F.right);
  await terminal.until(/> write +get_thing/);
  terminal.type(KEYS.backspace, KEYS.backspace, KEYS.backspace);
  await terminal.until(/filter:\n/);
  expect(terminal.screen).toMatch(/> write +get_thing[^\n]*\n {2}read +drop_thing/);
  terminal.type(KEYS.enter);
  expect(await resultOf(terminal)).toEqual({
    get_thing: { effect: "write" },
    drop_thing: { effect: "read" },
    bad: { effect: "hidden" },
  });
  expect(terminal.text).not.toContain("drop_thing  ");
  expect(terminal.text).toContain("raw mode false");
});

proves("CHO-3", "Tab shows one tool in full below the list, pages scroll it, another Tab takes it away", async () => {
  const description = Array.from({ length: 60 }, (_, at) => `line ${String(at)} of it`).join("\n");
  const terminal = await open([row("talks", {}, { description }), ...rows], { rows: 20 });
  terminal.type(F.tab);
  await terminal.until(/── lines 1–\d+ of \d+, PageUp PageDown ──\ntalks\n {2}exposed as mcp__alpha__talks/);
  expect(terminal.screen).toMatch(/> write +talks/);
  expect(terminal.screen.split("\n").length).toBeLessThanOrEqual(20);
  for (let pages = 0; pages < 20; pages++) terminal.type(F.pageDown);
  await terminal.until(/"type": "object"\n {2}\}\n/);
  terminal.type(F.end);
  await terminal.until(/> hidden +bad[^\n]*\n── lines 1–/);
  expect(terminal.screen).toMatch(/refused: \/inputSchema\/type must be object: it can only be hidden/);
  terminal.type(F.tab);
  await terminal.until(/Tab details/);
  expect(terminal.screen).not.toContain("refused: ");
  terminal.type(KEYS.escape);
  expect(await resultOf(terminal)).toBe("left");
});

proves(
  "CHO-3",
  "an unsolved name is gone to, typed at =, told when it does not fit; a refused tool does not move; all at once",
  async () => {
    const terminal = await open([...rows, row(LONG, { suggestedAs: "make_name" })]);
    expect(terminal.screen).toMatch(/make_a_very_long_name_.*name\?/);
    terminal.type(KEYS.down, KEYS.down, KEYS.space);
    await terminal.until(/"bad" cannot be exposed, only hidden: Tab says why/);
    terminal.type("*");
    await terminal.until(/set all 4 to r\(ead\) w\(rite\) e\(xternal\) h\(idden\)\?/);
    terminal.type("r");
    await terminal.until(/1 of them cannot be exposed and stay hidden/);
    terminal.type(KEYS.enter);
    await terminal.until(/> read +make_a[\s\S]*needs\s+another\s+local name: = gives\s+it/);
    terminal.type("=");
    await terminal.until(/local name: make_name/);
    terminal.type("_", KEYS.enter);
    await terminal.until(/no _ stands at either end/);
    terminal.type(KEYS.backspace, "2", KEYS.enter);
    await terminal.until(/> read +make_a.*→ make_name2/);
    terminal.type(KEYS.enter);
    expect(await resultOf(terminal)).toMatchObject({ bad: { effect: "hidden" }, [LONG]: { effect: "read", as: "make_name2" } });
  },
);

proves("CHO-3", "400 tools: a page at a time, every key at once, and never more rows than the terminal has", async () => {
  const terminal = await open(many, { rows: 24 });
  expect(terminal.screen.split("\n").length).toBeLessThanOrEqual(24);
  expect(terminal.screen).not.toContain("tool_30 ");
  terminal.type(F.end);
  await terminal.until(/> write +tool_399/);
  terminal.type(F.home, F.pageDown);
  await terminal.until(/> write +tool_1\d/);
  const before = terminal.raw.length;
  for (let presses = 0; presses < 50; presses++) terminal.type(KEYS.down);
  await terminal.until(/> write +tool_6\d/);
  expect((terminal.raw.length - before) / 50).toBeLessThan(24 * 130);
  terminal.type("n", "e", "e", "d");
  await terminal.until(/filter \(1 of 400\): need\n> write +tool_333/);
  terminal.type(KEYS.space, KEYS.backspace, KEYS.enter);
  const result = await resultOf(terminal);
  expect(Object.keys(Object(result) as object).length).toBe(400);
  expect(result).toMatchObject({ tool_333: { effect: "external" }, tool_332: { effect: "write" } });
  expect(terminal.text.split("\n").filter((line) => line.includes("What may each")).length).toBe(0);
});

proves(
  "CHO-3",
  "40 columns, wide characters, names and descriptions with controls in them: nothing wraps, nothing is raw",
  async () => {
    const wide = row("读取", { change: "changed" }, { description: "一个非常长的描述".repeat(20), exposedName: "mcp__alpha__" });
    const evil = row("evil\u001b[2J\u202e", {}, { description: "\u001b[2Jgone\u202edne \u001b]0;title\u0007".repeat(5) });
    const named = row(LONG, { initial: { effect: "read", as: "short" } });
    for (const columns of [40, 72, 120]) {
      const terminal = await open([wide, evil, named, ...rows], { columns, rows: 30, env: { NO_COLOR: "1" } });
      expect(terminal.screen).toMatch(/读取/);
      expect(terminal.screen).toMatch(/→ short/);
      terminal.type(F.tab, KEYS.down);
      await terminal.until(/> write +evil/);
      await terminal.until(/\\u001b\[2Jgone\\u202edne/);
      expect(terminal.screen).toMatch(/> write +evil(\\u001b|…|\\)/);
      expect(widest(terminal)).toBeLessThan(columns);
      expect(
        terminal.screen.split("\n").filter((line) => /^[> ] (read|write|hidden|external) /.test(line)).length,
      ).toBeGreaterThan(3);
      expect(terminal.raw).not.toMatch(/\u001b\[2J|title\u0007/);
      terminal.type(KEYS.escape);
      expect(await resultOf(terminal)).toBe("left");
    }
  },
);

proves("CHO-3", "colours only where they are wanted; the word tells the effect either way", async () => {
  // SGR sequences; what moves the cursor is another matter.
  const sgr = /\u001b\[[\d;]*m/;
  const plain = await open(rows, { env: { NO_COLOR: "1" } });
  plain.type(KEYS.escape);
  expect(await resultOf(plain)).toBe("left");
  expect(plain.raw).not.toMatch(sgr);
  const coloured = await open(rows);
  expect(coloured.raw).toMatch(sgr);
  expect(coloured.screen).toMatch(/> read +get_thing/);
  coloured.type(KEYS.escape);
  await coloured.ended;
});

proves("CHO-3", "a terminal that is made smaller or larger is drawn anew", async () => {
  const terminal = await open(many, { columns: 100, rows: 30 });
  await terminal.resize(44, 16);
  await terminal.until(/Enter done · Esc leave · ↑↓ move\n/);
  expect(terminal.screen.split("\n").length).toBeLessThanOrEqual(16);
  expect(widest(terminal)).toBeLessThan(44);
  expect(terminal.screen.startsWith("What may each tool do?")).toBe(true);
  terminal.type(KEYS.down, KEYS.escape);
  expect(await resultOf(terminal)).toBe("left");
});

proves("CHO-4", "Escape clears what is typed first and leaves then; Ctrl-D leaves; Ctrl-Z does nothing", async () => {
  const terminal = await open(rows);
  terminal.type(F.ctrlZ, "g", "e");
  await terminal.until(/filter \(1 of 3\): ge/);
  terminal.type(KEYS.escape);
  await terminal.until(/filter:\n/);
  terminal.type(KEYS.escape);
  expect(await resultOf(terminal)).toBe("left");
  const ended = await open(rows);
  ended.type(F.ctrlD);
  expect(await resultOf(ended)).toBe("left");
  expect(ended.text).toContain("raw mode false");
  expect([await ended.ended, ended.text.includes("interrupted")]).toEqual([0, false]);
});

proves("CHO-4", "Ctrl-C is passed on once and nothing is chosen; a signal that ends the run ends the list", async () => {
  const terminal = await open(rows);
  terminal.type(KEYS.space, KEYS.ctrlC);
  expect(await resultOf(terminal)).toBe("left");
  expect(terminal.text.match(/interrupted/g)?.length).toBe(1);
  expect(terminal.text).toContain("raw mode false");
  const { terminal: stopped, pid } = await opened(rows);
  process.kill(pid, "SIGTERM");
  expect(await resultOf(stopped)).toEqual({ error: "stopped" });
  expect(stopped.text).toContain("raw mode false");
});
