// Completion as a person has it: `toolpool __complete` with and without a pool, and real shells with the real scripts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { Workplace } from "../commands/toolpool.ts";
import { scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { has, runs, types } from "./shells.ts";

const places: Workplace[] = [];
function workplace(...given: ConstructorParameters<typeof Workplace>): Workplace {
  const place = new Workplace(...given);
  places.push(place);
  return place;
}
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

const servers = {
  alpha: scripted({ tools: [{ name: "lookup" }, { name: "read" }] }, { tools: { read: "write" } }),
  beta: { command: "x", tools: {}, disabled: true },
};

async function withPool(): Promise<Workplace> {
  const place = workplace(servers);
  await place.up();
  await place.ok("connect", "alpha");
  return place;
}

const asked = async (place: Workplace, ...words: string[]): Promise<string> => {
  const { code, stdout, stderr } = await place.toolpool(["__complete", "--", ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};

proves("CMP-2", "with a pool: aliases with their state, tools with their effect; what runs is asked, not the file", async () => {
  const place = await withPool();
  place.configure({});
  expect(await asked(place, "connect", "")).toBe("alpha\tconnected\nbeta\tdisabled\n");
  expect(await asked(place, "call", "")).toBe("mcp__alpha__lookup\tread\nmcp__alpha__read\twrite\n");
  expect(await asked(place, "calls", "--tool=mcp__alpha__r")).toBe("--tool=mcp__alpha__read\twrite\n");
  expect(await asked(place, "servers", "b")).toBe("beta\tdisabled\n");
  expect(await asked(place, "tools", "")).toBe("");
});

proves("CMP-2", "without a pool: aliases of the configuration, no tools, and no daemon is started", async () => {
  const place = workplace(servers);
  expect(await asked(place, "connect", "")).toBe("alpha\nbeta\tdisabled\n");
  expect(await asked(place, "call", "")).toBe("");
  expect(await asked(place, "check", "")).toBe(":files\n");
  expect(place.stateFiles()).toEqual([]);
});

proves("CMP-3", "a configuration that is broken, missing or a folder, no words, and words of nonsense", async () => {
  const place = workplace();
  for (const text of ["{", "", "\u0000", JSON.stringify({ mcpServers: { "b\u001b[31mad": {} } })]) {
    writeFileSync(place.configFile, text);
    expect(await asked(place, "connect", "")).not.toContain("\u001b");
  }
  const { code, stdout, stderr } = await place.toolpool(["__complete", "--", "connect", ""], {
    env: { TOOLPOOL_CONFIG: place.folder },
  });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
  for (const words of [[], ["--"], ["nonsense", "--x", ""], ["call", "a", "b", "c", "\u0007"]])
    expect(await asked(place, ...words)).toBeDefined();
});

proves("CMP-3", "a daemon that does not answer is given up after a moment, and the configuration answers", async () => {
  const place = workplace(servers);
  const { pid } = await place.up();
  process.kill(pid, "SIGSTOP");
  try {
    const begun = performance.now();
    expect(await asked(place, "connect", "a")).toBe("alpha\n");
    // 600 ms and a start of Node.js; a hello alone would be waited for 5 s.
    expect(performance.now() - begun).toBeLessThan(4_000);
  } finally {
    process.kill(pid, "SIGCONT");
  }
});

proves("CMP-3", "the command prints the script, as JSON for programs; another shell is a usage mistake", async () => {
  const place = workplace();
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = await place.ok("completion", shell);
    expect(script).toContain("toolpool __complete -- ");
    expect(await place.json("completion", shell)).toEqual({ shell, script });
  }
  const other = await place.toolpool(["completion", "csh"]);
  expect(other.code).toBe(2);
  expect(other.stderr).toContain("bash, zsh, fish");
});

/** Each line with the words as bash cuts them; the answer is COMPREPLY, one row a line. */
function bashCompletes(place: Workplace, lines: readonly (readonly string[])[], before = ""): readonly string[] {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const calls = lines.map(([line = "", ...words]) => `try ${[line, ...words].map(quoted).join(" ")}`);
  const script = `set -u
${before}
source <(toolpool completion bash)
try() {
  COMP_LINE=$1 COMP_POINT=\${#1}; shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _toolpool
  printf '%s ' \${COMPREPLY[@]+"\${COMPREPLY[@]}"}; echo .
}
${calls.join("\n")}`;
  return runs(place, ["bash", "--norc"], script).trimEnd().split("\n");
}

proves(
  "CMP-4",
  "commands, choices behind = and a blank, aliases, tools, paths, quotes, and words with : and blanks before",
  async () => {
    const place = await withPool();
    writeFileSync(join(place.folder, "my pool.json"), "{}");
    const got = bashCompletes(place, [
      ["toolpool conn", "toolpool", "conn"],
      ["toolpool run --approve=al", "toolpool", "run", "--approve", "=", "al"],
      ["toolpool run --approve=", "toolpool", "run", "--approve", "="],
      ["toolpool   run  --approve ", "toolpool", "run", "--approve", ""],
      ["toolpool connect ", "toolpool", "connect", ""],
      ["toolpool 'connect' \"al", "toolpool", "'connect'", '"al'],
      ["toolpool up --config a:b c", "toolpool", "up", "--config", "a", ":", "b", "c"],
      [
        "toolpool calls --session 'a b:c' --tool mcp__alpha__l",
        "toolpool",
        "calls",
        "--session",
        "'a b:c'",
        "--tool",
        "mcp__alpha__l",
      ],
      ["toolpool call mcp__alpha__", "toolpool", "call", "mcp__alpha__"],
      ["toolpool check my", "toolpool", "check", "my"],
      ["toolpool up --config=my", "toolpool", "up", "--config", "=", "my"],
      ['toolpool check "my p', "toolpool", "check", '"my p'],
      ["toolpool call x$(touch evil) ", "toolpool", "call", "x$(touch evil)", ""],
    ]);
    expect(got).toEqual([
      "connect .",
      "allow .",
      "ask allow deny .",
      "ask allow deny .",
      "alpha beta .",
      "alpha .",
      " .",
      "mcp__alpha__lookup .",
      "mcp__alpha__lookup mcp__alpha__read .",
      "my pool.json .",
      "my pool.json .",
      "my pool.json .",
      " .",
    ]);
    expect(() => readFileSync(join(place.folder, "evil"))).toThrow();
  },
);

proves("CMP-4", "at a prompt TAB writes it, and without a toolpool on PATH nothing is said", async () => {
  const place = await withPool();
  const screen = await types(place, "bash --norc -i", [
    { keys: "PS1='ready> '; source <(toolpool completion bash)\n", shows: /\nready> $/ },
    { keys: "toolpool connect al\t", shows: /toolpool connect alpha $/ },
    { keys: "\u0015toolpool run --approve=de\t", shows: /--approve=deny $/ },
    { keys: "\u0015toolpool call mcp__alpha__r\t", shows: /call mcp__alpha__read $/ },
  ]);
  expect(screen).not.toMatch(/error|not found/i);
  const silent = bashCompletes(place, [["toolpool conn", "toolpool", "conn"]]);
  expect(silent).toEqual(["connect ."]);
  const script = await place.ok("completion", "bash");
  writeFileSync(join(place.folder, "saved.bash"), script);
  const gone = `COMP_LINE='toolpool c' COMP_POINT=10 COMP_WORDS=(toolpool c) COMP_CWORD=1; PATH=/nowhere; _toolpool; echo "\${#COMPREPLY[@]}"`;
  expect(runs(place, ["bash", "--norc"], `source saved.bash; source saved.bash; ${gone}`)).toBe("0\n");
});

proves(
  "CMP-5",
  has("zsh") ? "at a prompt TAB writes commands, choices, aliases, tools and paths" : "no zsh here: only the text is looked at",
  async () => {
    const place = await withPool();
    writeFileSync(join(place.folder, "pool.json"), "{}");
    expect(await place.ok("completion", "zsh")).toMatch(/^#compdef toolpool\n[^]*compdef _toolpool toolpool/);
    if (!has("zsh")) return;
    const screen = await types(place, "zsh -f -i", [
      { keys: "PROMPT='ready> '; setopt no_prompt_cr; source <(toolpool completion zsh)\n", shows: /\n *ready> $/ },
      { keys: "toolpool conn\t", shows: /toolpool connect *$/ },
      { keys: "al\t", shows: /alpha *$/ },
      { keys: "\u0015toolpool run --approve=de\t", shows: /--approve=deny *$/ },
      { keys: "\u0015toolpool 'call' \"mcp__alpha__r\t", shows: /mcp__alpha__read" *$/ },
      { keys: "\u0015toolpool up --config=poo\t", shows: /--config=pool\.json *$/ },
      { keys: "\u0015toolpool check poo\t", shows: /check pool\.json *$/ },
      { keys: "\u0015toolpool connect \t\t", shows: /alpha +-- connected[^]*beta +-- disabled/ },
    ]);
    expect(screen).not.toMatch(/error|not found/i);
  },
);

proves(
  "CMP-6",
  has("fish") ? "complete offers commands, choices, aliases, tools and paths" : "no fish here: only the text is looked at",
  async () => {
    const place = await withPool();
    writeFileSync(join(place.folder, "pool.json"), "{}");
    expect(await place.ok("completion", "fish")).toContain("complete -c toolpool -f -a '(__toolpool_complete)'\n");
    if (!has("fish")) return;
    const lines = [
      "toolpool conn",
      "toolpool connect ",
      "toolpool run --approve=de",
      "toolpool run --approve d",
      "toolpool call mcp__alpha__r",
      'toolpool call "mcp__alpha__r',
      "toolpool up --config=poo",
      "toolpool check poo",
      "toolpool call 'a b:c' ",
    ];
    const script = lines.map((line) => `complete -C '${line.replaceAll("'", "\\'")}'; echo .`).join("\n");
    const got = runs(place, ["fish", "--no-config", "-c", `toolpool completion fish | source\n${script}\n`]);
    expect(got.split(/^\.\n/m).map((part) => part.trim().split("\n"))).toEqual([
      ["connect\tconnect a server; the pool holds it until disconnect"],
      ["alpha\tconnected", "beta\tdisabled"],
      ["--approve=deny"],
      ["deny"],
      ["mcp__alpha__read\twrite"],
      ["mcp__alpha__read\twrite"],
      ["--config=pool.json"],
      ["pool.json"],
      [""],
      [""],
    ]);
  },
);
