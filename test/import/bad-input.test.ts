// Files as they are found in the wild: missing, empty, huge, folders, unreadable, half-written, in other encodings, with one bad
// entry among good ones. The real program reads them.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { Desk } from "./desk.ts";

const good = { mcpServers: { good: { command: "good" } } };
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

proves("IMP-10", "each file that cannot be read is told with its place, and the servers of the others are offered", async () => {
  const desk = new Desk();
  desk.put(".cursor/mcp.json", good);
  desk.put(".claude.json", '{"mcpServers": {"a": {"command": "x"}');
  desk.put(".codex/config.toml", '[mcp_servers.a]\ncommand = "x\n');
  desk.put(".gemini/settings.json", utf16('{"mcpServers": {}}'));
  mkdirSync(join(desk.home, ".config/zed/settings.json"), { recursive: true });
  desk.put(".codeium/windsurf/mcp_config.json", "");
  desk.put(".config/opencode/opencode.json", Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]));
  const huge = desk.put(".config/Code/User/mcp.json", "{}");
  truncateSync(huge, 9 * 1024 * 1024);
  mkdirSync(join(desk.home, ".config/Claude"), { recursive: true });
  symlinkSync("claude_desktop_config.json", join(desk.home, ".config/Claude/claude_desktop_config.json"));
  execFileSync("mkfifo", [join(desk.home, ".config/Code/User/settings.json")]);
  const { problems, added } = await desk.report("--all");
  expect(added).toEqual(["good"]);
  const told = Object.fromEntries(
    problems.map(({ file, issues: [issue] }) => [
      file.slice(desk.home.length + 1),
      `${String(issue?.line)}:${String(issue?.column)} ${issue?.message ?? ""}`,
    ]),
  );
  expect(told).toEqual({
    ".claude.json": "1:38 the file ends too early: something is not closed",
    ".config/Claude/claude_desktop_config.json": "undefined:undefined the symbolic links of this path go in a circle",
    ".config/Code/User/mcp.json": "undefined:undefined the file has 9437184 bytes: at most 8388608 are read",
    ".config/Code/User/settings.json": "undefined:undefined this is not a regular file",
    ".codex/config.toml": expect.stringMatching(/^2:\d+ this is not TOML from here on$/) as string,
    ".gemini/settings.json": "1:1 the file is UTF-16: save it as UTF-8",
    ".config/zed/settings.json": "undefined:undefined this is a folder: name the file in it",
    ".config/opencode/opencode.json": "1:7 the file is not UTF-8 from here on: save it as UTF-8",
  });
  const { stderr } = await desk.import();
  expect(stderr).toContain(`not read: ${desk.home}/.claude.json:1:38: the file ends too early`);
});

proves("IMP-10", "a byte order mark, comments and trailing commas are fine; one bad entry spoils no other", async () => {
  const desk = new Desk();
  desk.put(
    ".cursor/mcp.json",
    `\uFEFF{
  // mine
  "mcpServers": {
    "good": { "command": "good", "args": ["a",], },
    "number": 5,
    "nothing": {},
    "blank": { "command": " " },
    "args": { "command": "x", "args": "a b" },
    "word": { "command": "x", "args": [["a"]] },
    "env": { "command": "x", "env": ["A=b"] },
    "open": { "command": "x", "args": ["\${A"] },
    "__proto__": { "command": "p" },
  },
}`,
  );
  const { servers, added } = await desk.report("--all");
  expect(added).toEqual(["good", "proto"]);
  expect(
    servers.filter(({ state }) => state === "unusable").map(({ name, places, missing }) => [name, places[0]?.line, missing[0]]),
  ).toEqual([
    ["number", 5, "it is no object"],
    ["nothing", 6, 'it has no "command"'],
    ["blank", 7, 'its "command" is empty'],
    ["args", 8, 'its "args" is no list'],
    ["word", 9, "args 1 is no text"],
    ["env", 10, 'its "env" is no object'],
    ["open", 11, 'args 1: a "${" is not closed by "}"'],
  ]);
  desk.put(".gemini/settings.json", { mcpServers: [1] });
  desk.put(".codex/config.toml", "mcp_servers = 1\n");
  const { problems } = await desk.report();
  expect(problems.map(({ issues }) => issues[0]?.message)).toEqual([
    expect.stringContaining('"mcp_servers" holds no servers'),
    expect.stringContaining('"mcpServers" holds no servers'),
  ]);
});

proves("IMP-4", "a file that is named may be of any host's shape, and is known by what stands in it", async () => {
  const desk = new Desk();
  const shapes = [
    desk.put("a.json", { mcpServers: { a: { command: "a" } } }),
    desk.put("b", "// b\n" + JSON.stringify({ servers: { b: { command: "b" } } })),
    desk.put("c.jsonc", { context_servers: { c: { command: { path: "c" } } } }),
    desk.put("d.json", { mcp: { d: { type: "local", command: ["d"] } } }),
    desk.put("e.toml", '[mcp_servers.e]\ncommand = "e"\n'),
    desk.put("f", '[mcp_servers.f]\ncommand = "f"\n'),
    desk.put("g.json", { mcp: { servers: { g: { command: "g" } }, inputs: [] } }),
  ];
  desk.put(".cursor/mcp.json", good);
  const { added } = await desk.report("--all", ...shapes.flatMap((file) => ["--file", file]));
  expect(added).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  // With hosts named too, both are looked into.
  expect((await desk.report("--from", "cursor", "--file", shapes[0] ?? "")).servers.map(({ name }) => name)).toEqual([
    "a",
    "good",
  ]);
  expect(desk.config).toContain('// imported from ~/e.toml as "e"');
});

proves("IMP-10", "a file that is named and cannot be used ends the import with its place", async () => {
  const desk = new Desk();
  const refusals = [
    [join(desk.home, "none.json"), /none\.json: there is no such file/],
    [desk.put("empty.json", " \n"), /empty\.json: the file is empty/],
    [desk.put("bad.json", '{"mcpServers": {"a": {"command" "x"}}}'), /bad\.json:1:33: a colon is expected/],
    [desk.put("other.json", { name: "x" }), /other\.json: no servers stand in it: they are looked for under "mcpServers"/],
    [desk.home, /home: this is a folder/],
  ] as const;
  for (const [file, said] of refusals) {
    const { code, stderr, stdout } = await desk.import("--file", file, "--all");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(said);
  }
});

proves("IMP-10", "a configuration of ours that cannot be read or added to is left as it is", async () => {
  const desk = new Desk();
  desk.put(".cursor/mcp.json", good);
  const { configFile } = desk.place;
  const refusals = [
    ['{"mcpServers": {', /:1:17: the file ends too early/],
    ["", /the file is empty/],
    ["[]", /servers can only be added to an object/],
    ['{"mcpServers": []}', /:1:16: \/mcpServers: servers can only be added to an object/],
    [utf16("{}"), /UTF-16/],
  ] as const;
  for (const [content, said] of refusals) {
    writeFileSync(configFile, content);
    const { code, stderr } = await desk.import("--all");
    expect(code).toBe(2);
    expect(stderr).toContain("The configuration cannot be read, so nothing was added to it");
    expect(stderr).toMatch(said);
    expect(readFileSync(configFile)).toEqual(Buffer.from(content));
  }
  rmSync(configFile);
  mkdirSync(configFile);
  expect((await desk.import("--all")).code).toBe(2);
  const blocked = await desk.import("--all", "--config", join(desk.put("file", ""), "config.json"));
  expect([blocked.code, blocked.stderr]).toEqual([1, expect.stringContaining("Nothing was added: nothing may be written in")]);
});
