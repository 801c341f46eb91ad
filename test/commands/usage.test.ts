// What goes wrong before anything runs: usage, settings, folders, configurations; and the run of a scripted Lead.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import type { SessionInfo, VersionRow } from "../../daemon/contract/index.ts";
import { scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { Workplace } from "./toolpool.ts";

const places: Workplace[] = [];
function workplace(...given: ConstructorParameters<typeof Workplace>): Workplace {
  const place = new Workplace(...given);
  places.push(place);
  return place;
}
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

proves("CMD-17", "usage mistakes: one sentence, the way to the help, exit code 2, nothing on stdout, no stack", async () => {
  const place = workplace();
  const mistakes: [string[], RegExp][] = [
    [["statsu"], /unknown command 'statsu'\n.*Did you mean status/],
    [["status", "--what"], /unknown option '--what'\nSee how it is used: toolpool status --help/],
    [["call"], /missing required argument 'tool'/],
    [["connect", "a", "b"], /too many arguments/],
    [["tools", "--version", "-1"], /whole number/],
    [["diff", "one", "2"], /"one" is not a whole number/],
    [["up", "--port", "70000"], /0 to 65535/],
    [["run"], /required option '--prompt <text>'/],
    [["run", "--prompt", "x", "--approve", "maybe"], /ask, allow, deny/],
  ];
  for (const [words, wanted] of mistakes) {
    const { code, stdout, stderr } = await place.toolpool(words);
    expect({ code, stdout }, words.join(" ")).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(wanted);
    expect(stderr).not.toMatch(/\n\s+at /);
  }
  expect(place.stateFiles()).toEqual([]);
});

proves(
  "CMD-17",
  "help is on stdout with examples and exit code 0, for programs errors are JSON; the version is the package's",
  async () => {
    const place = workplace();
    const help = await place.toolpool(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const word of ["up [options]", "check [options] [file]", "Examples:", "Exit codes:"])
      expect(help.stdout).toContain(word);
    expect((await place.toolpool(["call", "--help"])).stdout).toContain(`'{"query":"x"}'`);
    expect((await place.toolpool([])).code).toBe(2);
    expect(await place.ok("--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
    const program = await place.toolpool(["diff", "a", "b", "--json"]);
    expect(JSON.parse(program.stderr)).toMatchObject({ error: { exitCode: 2, reason: "usage" } });
  },
);

proves("CMD-17", "every command that needs a daemon is exit code 3 without one and says how to start it", async () => {
  const place = workplace();
  const commands = [
    ["servers"],
    ["connect", "a"],
    ["disconnect", "a"],
    ["tools"],
    ["versions"],
    ["diff", "1", "2"],
    ["calls"],
    ["call", "x"],
  ];
  const ends = await Promise.all(commands.map((words) => place.toolpool(words)));
  for (const { code, stdout, stderr } of ends) {
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("Start it: toolpool up");
  }
});

proves("CMD-17", "TOOLPOOL_DEBUG=1 shows where a failure comes from", async () => {
  const { stderr } = await workplace().toolpool(["status"], { env: { TOOLPOOL_DEBUG: "1" } });
  expect(stderr).toMatch(/\[cause\] DaemonUnavailable[^]*\n\s+at /);
});

proves("CMD-25", "all missing settings in one message, before the folder is looked at and before anything exists", async () => {
  const place = workplace();
  const none = await place.toolpool(["run", "--prompt", "x"]);
  expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 2, stdout: "" });
  for (const name of ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API"])
    expect(none.stderr).toContain(`${name} is not set`);
  const some = await place.toolpool(["run", "--prompt", "x"], { env: { OPENAI_API_KEY: "k", OPENAI_API: "telepathy" } });
  expect(some.code).toBe(2);
  expect(some.stderr).not.toContain("OPENAI_API_KEY");
  expect(some.stderr).toMatch(/OPENAI_BASE_URL[^]*OPENAI_API must be chat or responses/);
  expect(readdirSync(place.folder)).toEqual(["toolpool.json"]);
});

proves(
  "CMD-25",
  "then the folder: no folder, no repository, inside a repository but not its root; nothing exists afterwards",
  async () => {
    const place = workplace();
    const repository = place.repository();
    mkdirSync(join(repository, "inner"));
    const script = join(place.folder, "script.json");
    writeFileSync(script, JSON.stringify({ turns: [{ text: "hello" }] }));
    const env = { OPENAI_MODEL: `scripted:${script}` };
    for (const cwd of ["nowhere", ".", join(repository, "inner"), script]) {
      const { code, stderr } = await place.toolpool(["run", "--prompt", "x", "--cwd", cwd], { env });
      expect(code, cwd).toBe(2);
      expect(stderr).toMatch(/--cwd DIR/);
    }
    expect(place.stateFiles()).toEqual([]);
  },
);

proves(
  "CMD-26",
  "the answer alone is on stdout, the timeline on stderr; two runs share the daemon and leave no session",
  async () => {
    const place = workplace({ alpha: scripted({ tools: [{ name: "lookup" }] }) });
    const script = join(place.folder, "script.json");
    const turns = [
      { text: "connecting", calls: [{ tool: "connect_mcp", arguments: { alias: "alpha" } }] },
      { calls: [{ tool: "mcp__alpha__lookup", arguments: { q: "x" } }] },
      { text: "All done." },
    ];
    writeFileSync(script, JSON.stringify({ turns }));
    // It would start one itself, on the standard port: somebody else may have that on this machine.
    await place.up();
    const env = { OPENAI_MODEL: "scripted:../script.json" };
    const first = await place.toolpool(["run", "--prompt", "go", "--approve", "allow"], { env, cwd: place.repository() });
    expect({ code: first.code, stdout: first.stdout }).toEqual({ code: 0, stdout: "All done.\n" });
    expect(first.stderr).toMatch(/request 1 → version \d+: connect_mcp, disconnect_mcp[^]*→ mcp__alpha__lookup[^]*lead · done/);
    const second = await place.toolpool(["run", "--prompt", "go", "--json"], { env, cwd: place.repository() });
    expect(JSON.parse(second.stdout)).toMatchObject({ kind: "done", text: "All done.", exitCode: 0 });
    expect(second.stderr).toContain("permission_denied");
    const left = await place.withClient((client) => client.get<readonly SessionInfo[]>("/v1/sessions"));
    expect(left).toEqual([]);
    const rows = await place.json<VersionRow[]>("versions");
    expect(rows.filter(({ added }) => added.includes("mcp__alpha__lookup"))).toHaveLength(1);
  },
);

proves("CMD-24", "Ctrl-C during a run: 130, the call is cancelled, the session is closed", async () => {
  const place = workplace({ slow: scripted({ tools: [{ name: "wait", does: { untilCancelled: true } }] }) });
  const script = join(place.folder, "script.json");
  const turns = [
    { calls: [{ tool: "connect_mcp", arguments: { alias: "slow" } }] },
    { calls: [{ tool: "mcp__slow__wait", arguments: {} }] },
    { text: "never said" },
  ];
  writeFileSync(script, JSON.stringify({ turns }));
  await place.up();
  const running = place.start(["run", "--prompt", "go", "--approve", "allow"], {
    env: { OPENAI_MODEL: `scripted:${script}` },
    cwd: place.repository(),
  });
  await running.until(/→ mcp__slow__wait/);
  running.process.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(stderr).toContain("interrupted");
  expect(await place.withClient((client) => client.get<readonly SessionInfo[]>("/v1/sessions"))).toEqual([]);
  const [call] = await place.json<{ code: string }[]>("calls", "--tool", "mcp__slow__wait");
  expect(call?.code).toBe("cancelled");
});

proves("CMD-27", "a sound file is 0; faults are 2 with file, line, column and the nearest key; nothing is started", async () => {
  const place = workplace({ alpha: { command: "true", tools: { a: "read", b: "write", c: "hidden" } } });
  const sound = await place.toolpool(["check"]);
  expect(sound).toMatchObject({ code: 0, stderr: "" });
  expect(sound.stdout).toMatch(/toolpool\.json is sound\n +alpha +valid +stdio +1 read, 1 write, 1 hidden/);
  const file = join(place.folder, "other.json");
  writeFileSync(file, '{"mcpServers": {\n  "bad": {"comand": "x", "tools": {}},\n  "fine": {"command": "y", "tools": {}}\n}}');
  const faulty = await place.toolpool(["check", "other.json"]);
  expect(faulty.code).toBe(2);
  expect(faulty.stdout).toMatch(/other\.json:2:\d+: \/mcpServers\/bad\/comand: .*command/);
  const program = await place.toolpool(["check", "other.json", "--json"]);
  expect(program.code).toBe(2);
  expect(JSON.parse(program.stdout)).toMatchObject({ ok: false, kind: "checked", file });
  writeFileSync(file, "{");
  const refused = await place.toolpool(["check", file]);
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain("refused as a whole");
  expect((await place.toolpool(["check", "nowhere.json"])).code).toBe(2);
  expect(place.stateFiles()).toEqual([]);
});
