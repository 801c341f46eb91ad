// `toolpool status --watch` as a person has it: the real program and the real daemon under a real pseudo-terminal.
import { afterEach, expect } from "vitest";
import type { ServerStatus } from "../../daemon/contract/index.ts";
import { TOOLPOOL, Workplace } from "../commands/toolpool.ts";
import { scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { KEYS, TestTerminal, type TerminalOptions } from "../support/terminal.ts";

const places: Workplace[] = [];
const terminals: TestTerminal[] = [];
afterEach(async () => {
  for (const terminal of terminals.splice(0)) {
    terminal.type("q");
    await terminal.ended;
    await terminal.close();
  }
  await Promise.all(places.splice(0).map((place) => place.close()));
});

function workplace(servers: Readonly<Record<string, unknown>>): Workplace {
  const place = new Workplace(servers);
  places.push(place);
  return place;
}

function watching(place: Workplace, options: TerminalOptions = {}, words: readonly string[] = []): TestTerminal {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  const env = { ...inherited, TOOLPOOL_STATE: place.state, TOOLPOOL_CONFIG: place.configFile, ...options.env };
  const terminal = new TestTerminal([process.execPath, TOOLPOOL, "status", "--watch", ...words], { ...options, env });
  terminals.push(terminal);
  return terminal;
}

/** The interval is an hour: what is seen meanwhile was told by a version. */
const AT_ONCE = ["--interval", "3600000"];
const lookup = { name: "lookup" };
const alpha = { alpha: scripted({ tools: [lookup] }) };

proves("PAGE-5", "a connect is seen at once; only what changed is written, each frame whole", async () => {
  const place = workplace(alpha);
  await place.up();
  const terminal = watching(place, { columns: 130, rows: 40 }, AT_ONCE);
  await terminal.until(/○ alpha +idle/);
  expect(terminal.screen).toMatch(/^0 of 1 server connected, 0 tools, version 1\nToolpool .*\n {2}url/);
  await place.ok("connect", "alpha");
  await terminal.until(/● alpha +connected/);
  expect(terminal.screen).toMatch(/^1 of 1 server connected, 1 tool, version 2\n/);
  expect(terminal.screen).toMatch(/2 +.* ago|just now +connect alpha#1 +1 tool added: mcp__alpha__lookup/);
  // A second later it is not drawn from the top: what stands above the times is not written again.
  const [seconds = ""] = /(?<=up for )\d+ s/.exec(terminal.screen) ?? [];
  const before = terminal.raw.split("server connected").length;
  await terminal.until(new RegExp(`up for (?!${seconds})`));
  expect(terminal.raw.split("server connected")).toHaveLength(before);
  terminal.type("q");
  await terminal.ended;
  // The other screen is entered and cleared once; everything between is in frames that are shown when they are whole.
  const between = terminal.raw.replaceAll(/\u001b\[\?2026h[^]*?\u001b\[\?2026l/g, "");
  expect(between).toBe("\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?7h\u001b[?25h\u001b[?1049l");
  expect(terminal.raw.split("\u001b[2J")).toHaveLength(2);
});

proves("PAGE-5", "a server that dies is told with what to do, in any window and after it was resized", async () => {
  const dies = { alpha: scripted({ tools: [{ name: "die", does: { exit: 3 } }, lookup] }, { tools: { die: "external" } }) };
  const place = workplace(dies);
  await place.up();
  await place.ok("connect", "alpha");
  const terminal = watching(place, { columns: 40, rows: 24 }, AT_ONCE);
  await terminal.until(/● alpha {2}connected/);
  await place.toolpool(["call", "mcp__alpha__die"]);
  await terminal.until(/✗ alpha {2}failed/);
  expect(terminal.screen.replaceAll(/\s+/g, " ")).toContain(
    "→ See what it wrote: toolpool servers alpha; start it again: toolpool restart alpha",
  );
  await terminal.resize(140, 50);
  await terminal.until(/SERVER +STATE +FOR/);
  expect(terminal.screen).toMatch(/✗ alpha +failed/);
  expect(terminal.screen.match(/servers? connected/g)).toHaveLength(1);
  await terminal.resize(50, 5);
  await terminal.until(/… and \d more versions/);
  expect(terminal.screen).toMatch(
    /^0 of 1 server connected \(1 failed\), 0 tools,\nversion \d\n✗ alpha {2}failed: The connection .*…\n… and \d more versions$/,
  );
  await terminal.resize(100, 40);
  await terminal.until(/its exit code: 3/);
  expect(terminal.screen.match(/servers? connected/g)).toHaveLength(1);
});

proves("PAGE-5", "sixty servers in a small window: the page stands still and says what is left out", async () => {
  const off = Array.from({ length: 60 }, (_, n) => [`server_${String(n)}`, { command: "x", tools: {}, disabled: true }] as const);
  const place = workplace({ ...Object.fromEntries(off), broken: { command: "x", tools: {}, comand: 1 } });
  await place.up();
  const terminal = watching(place, { columns: 80, rows: 24 });
  await terminal.until(/more servers/);
  expect(terminal.screen).toMatch(/^0 of 61 servers connected \(1 failed\)/);
  expect(terminal.screen).toMatch(/✗ broken +failed/);
  expect(terminal.screen).toMatch(/… and \d+ more servers \(\d+ disabled\)/);
  const seen = new Set<string>();
  for (const second of [1, 2, 3]) {
    await terminal.until(new RegExp(`up for ${String(second)} s|up for [4-9]`));
    seen.add(terminal.screen.replaceAll(/up for .*|, (just now|\d+ s ago)/g, ""));
  }
  expect(seen.size).toBe(1);
});

proves("PAGE-2", "with NO_COLOR the only escapes move the cursor, clear, and enter and leave", async () => {
  const place = workplace(alpha);
  await place.up();
  const terminal = watching(place, { env: { NO_COLOR: "1" } }, AT_ONCE);
  await terminal.until(/○ alpha +idle/);
  await place.ok("connect", "alpha");
  await terminal.until(/● alpha +connected/);
  terminal.type("q");
  expect(await terminal.ended).toBe(0);
  const left = terminal.raw.replaceAll(/\u001b\[(?:\?(?:1049|25|7|2026)[hl]|\d*(?:;\d+)?[ABCDEFGHJK])/g, "");
  expect(left).not.toContain("\u001b");
});

proves("PAGE-6", "it waits for a daemon, goes on with the next one, and reads the next one's pool", async () => {
  const place = workplace(alpha);
  const terminal = watching(place, { columns: 130 }, AT_ONCE);
  await terminal.until(/is not running[^]*waiting[^]*toolpool up/);
  await place.up();
  await terminal.until(/○ alpha +idle/);
  await place.ok("down");
  await terminal.until(/waiting/);
  expect(terminal.screen).not.toMatch(/alpha +idle/);
  const { pid } = await place.up();
  await terminal.until(new RegExp(`pid ${String(pid)},`));
  await place.ok("connect", "alpha");
  await terminal.until(/● alpha +connected/);
  process.kill(pid, "SIGKILL");
  await terminal.until(/waiting/);
});

proves("PAGE-7", "q is 0 and Ctrl-C is 130, with what stood there before, the cursor, and the echo", async () => {
  const place = workplace(alpha);
  await place.up();
  for (const [key, code] of [
    ["q", 0],
    [KEYS.ctrlC, 130],
  ] as const) {
    // The shell lives on, as a person's does: what it shows afterwards is what the program has left.
    const program = `${process.execPath} ${TOOLPOOL} status --watch`;
    const { NO_COLOR: _, ...inherited } = process.env;
    const env = { ...inherited, TOOLPOOL_STATE: place.state, TOOLPOOL_CONFIG: place.configFile };
    const script = `echo before; ${program}; echo "code $?"; stty -a | grep -o -e '-\\?icanon' -e '-\\?echo ' -e '-\\?isig'; echo after`;
    const terminal = new TestTerminal(["/bin/sh", "-c", script], { env });
    terminals.push(terminal);
    await terminal.until(/○ alpha +idle/);
    expect(terminal.screen).not.toContain("before");
    terminal.type(key);
    await terminal.ended;
    expect(terminal.text.replaceAll(/ +$/gm, "")).toMatch(
      new RegExp(`^before\n(toolpool: Interrupted\n)?code ${String(code)}\nisig\nicanon\necho\nafter`),
    );
    const { raw } = terminal;
    for (const [on, off] of [
      ["\u001b[?25h", "\u001b[?25l"],
      ["\u001b[?7h", "\u001b[?7l"],
    ] as const) {
      expect(raw.lastIndexOf(on)).toBeGreaterThan(raw.lastIndexOf(off));
    }
  }
});

proves("PAGE-8", "into a pipe it is refused with the ways out; a silly interval too", async () => {
  const place = workplace(alpha);
  const piped = await place.toolpool(["status", "--watch"]);
  expect(piped).toMatchObject({ code: 2, stdout: "" });
  expect(piped.stderr).toContain("toolpool status --watch --json");
  const short = await place.toolpool(["status", "--watch", "--interval", "5"]);
  expect(short).toMatchObject({ code: 2, stdout: "" });
  expect(short.stderr).toContain("--interval 100");
  expect((await place.toolpool(["status", "--interval", "500"])).code).toBe(2);
  expect(place.stateFiles()).toEqual([]);
});

proves("PAGE-8", "for a program: one line of JSON at the beginning and one at each change, over a restart", async () => {
  const place = workplace(alpha);
  const running = place.start(["status", "--watch", "--json", "--interval", "100"]);
  await running.until(/"running":false/);
  await place.up();
  await running.until(/"version":1,/);
  await place.ok("connect", "alpha");
  await running.until(/"kind":"connected"/);
  await place.ok("down");
  await running.until(/"kind":"connected"[^]*"running":false/);
  running.process.kill("SIGINT");
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { running: boolean; servers?: readonly ServerStatus[] });
  const kinds = lines.map(({ running: up, servers }) => (up ? servers?.[0]?.state.kind : "none"));
  expect(kinds.filter((kind, at) => kind !== kinds[at - 1] && kind !== "connecting" && kind !== "closing")).toEqual([
    "none",
    "idle",
    "connected",
    ...(kinds.at(-2) === "idle" ? ["idle"] : []),
    "none",
  ]);
  const withoutMemory = lines.map((line) =>
    JSON.stringify(line, (key, value: unknown) => (key === "memoryBytes" ? undefined : value)),
  );
  expect(withoutMemory.filter((line, at) => line === withoutMemory[at - 1])).toEqual([]);
});
