// `toolpool import` as a person uses it: the real program under a real terminal.
import { existsSync } from "node:fs";
import { expect } from "vitest";
import { TOOLPOOL } from "../commands/toolpool.ts";
import { proves } from "../support/promise.ts";
import { KEYS, TestTerminal } from "../support/terminal.ts";
import { Desk } from "./desk.ts";

function open(desk: Desk, words: readonly string[] = [], size = {}): TestTerminal {
  const env = {
    ...process.env,
    ...desk.env,
    TOOLPOOL_CONFIG: desk.place.configFile,
    TOOLPOOL_STATE: desk.place.state,
    NO_COLOR: "1",
  };
  return new TestTerminal([process.execPath, TOOLPOOL, "import", ...words], { env, cwd: desk.project, ...size });
}

function filled(): Desk {
  const desk = new Desk();
  desk.put(".claude.json", { mcpServers: { memory: { command: "node", args: ["memory.js"] } } });
  desk.put(".cursor/mcp.json", {
    mcpServers: {
      memory: { command: "node", args: ["other.js"] },
      github: { command: "node", args: ["--token", "canary-arg-5d1c"], env: { API_KEY: "canary-env-77b2" } },
      off: { command: "node", disabled: true },
      gone: { command: "no-such-program-anywhere" },
    },
  });
  return desk;
}

proves(
  "IMP-12",
  "a person chooses, gives a clashing one another alias, keeps secrets as variables, sees the change and confirms",
  async () => {
    const desk = filled();
    const terminal = open(desk);
    try {
      await terminal.until(/Which servers are to be added\?/);
      // What is ready is chosen already; what is off there or has no program is not.
      expect(terminal.screen).toMatch(/◉ memory +Claude Code \(user\)/);
      expect(terminal.screen).toMatch(/◉ github +Cursor \(user\) +node --token <secret>/);
      expect(terminal.screen).toMatch(/◯ off/);
      expect(terminal.screen).toMatch(/◯ gone/);
      terminal.type(KEYS.enter);
      await terminal.until(/memory \(Cursor \(user\)\): the alias "memory" is that of "memory" of Claude Code \(user\) too/);
      await terminal.until(/Alias for memory: \(memory_cursor\)/);
      terminal.type("memory", KEYS.enter);
      await terminal.until(/"memory" is taken/);
      terminal.type(...Array.from({ length: 6 }, () => KEYS.backspace), "notes", KEYS.enter);
      await terminal.until(/github: variable API_KEY → \$\{API_KEY\}/);
      expect(terminal.text).toContain("github: argument 2 (token) → ${GITHUB_TOKEN}");
      await terminal.until(/Keep them as variables\?/);
      terminal.type(KEYS.enter);
      await terminal.until(/Write this to .*\?/);
      expect(terminal.text).toMatch(/^\+ .*"notes": \{/m);
      terminal.type("y", KEYS.enter);
      expect(await terminal.ended).toBe(0);
      expect(terminal.text).toMatch(/Added to .*: memory, notes, github/);
      expect(terminal.raw).not.toContain("canary");
    } finally {
      await terminal.close();
    }
    expect(desk.config).not.toContain("canary");
    expect(desk.servers).toEqual({
      memory: { command: "node", args: ["memory.js"] },
      notes: { command: "node", args: ["other.js"] },
      github: { command: "node", args: ["--token", "${GITHUB_TOKEN}"], env: { API_KEY: "${API_KEY}" } },
    });
  },
);

proves("IMP-12", "whoever says no to the change, chooses nothing or presses Ctrl-C has changed nothing", async () => {
  const desk = filled();
  const before = desk.config;
  const no = open(desk, ["--from", "claude-code"]);
  await no.until(/Which servers/);
  no.type(KEYS.enter);
  await no.until(/Write this to/);
  no.type("n", KEYS.enter);
  expect(await no.ended).toBe(0);
  expect(no.text).toContain("Nothing was added.");
  const nothing = open(desk, ["--from", "claude-code"]);
  await nothing.until(/Which servers/);
  nothing.type(KEYS.space, KEYS.enter);
  expect(await nothing.ended).toBe(0);
  expect(nothing.text).toContain("Nothing was added.");
  for (const step of ["first", "second"] as const) {
    const stopped = open(desk, ["--from", "claude-code"]);
    await stopped.until(/Which servers/);
    if (step === "second") {
      stopped.type(KEYS.enter);
      await stopped.until(/Write this to/);
    }
    stopped.type(KEYS.ctrlC);
    expect(await stopped.ended, step).toBe(130);
    expect(stopped.text).toContain("Interrupted");
    expect(stopped.text).not.toMatch(/at .*\.js:\d/);
    await stopped.close();
  }
  await Promise.all([no.close(), nothing.close()]);
  expect(desk.config).toBe(before);
});

proves("IMP-12", "secrets stay inline when a person wants that, and are shown no more for it", async () => {
  const desk = filled();
  const terminal = open(desk, ["--from", "cursor"], { columns: 60, rows: 15 });
  try {
    await terminal.until(/Which servers/);
    terminal.type(KEYS.enter);
    await terminal.until(/Keep them as variables\?/);
    terminal.type("n", KEYS.enter);
    await terminal.until(/Write this to/);
    terminal.type(KEYS.enter);
    expect(await terminal.ended).toBe(0);
    expect(terminal.raw).not.toContain("canary");
  } finally {
    await terminal.close();
  }
  expect(desk.servers.github).toMatchObject({ args: ["--token", "canary-arg-5d1c"], env: { API_KEY: "canary-env-77b2" } });
});

proves("IMP-12", "with what to add on the command line nobody is asked; where everything is there, neither", async () => {
  const desk = filled();
  const all = open(desk, ["--only", "github"]);
  expect(await all.ended).toBe(0);
  expect(all.text).toContain("github");
  await all.close();
  const again = open(desk, [
    "--file",
    desk.put("one.json", { mcpServers: { x: { command: "node", args: ["--token", "q"], env: {} } } }),
  ]);
  await again.until(/Which servers/);
  again.type(KEYS.ctrlC);
  await again.ended;
  await again.close();
  const known = open(desk, ["--file", desk.put("two.json", { mcpServers: { off: { url: "https://x.example" } } })]);
  expect(await known.ended).toBe(0);
  expect(known.text).toContain("remote");
  await known.close();
  expect(existsSync(desk.place.configFile)).toBe(true);
});
