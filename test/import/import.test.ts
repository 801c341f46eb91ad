// `toolpool import` without a terminal: the real program over a home full of other programs' files.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { Desk } from "./desk.ts";

const memory = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };

proves(
  "IMP-13",
  "without a choice the list is shown and nothing is written; --dry-run shows the change and writes nothing",
  async () => {
    const desk = new Desk();
    desk.put(".cursor/mcp.json", { mcpServers: { memory } });
    const before = desk.config;
    const listed = await desk.import();
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout).toMatch(/Cursor \(user\) +memory → memory +can be added +npx -y @modelcontextprotocol\/server-memory/);
    expect(listed.stdout).toContain("Nothing was added yet. Choose: toolpool import --all, or --only name,name");
    const dry = await desk.import("--all", "--dry-run");
    expect(dry.stdout).toMatch(/^\+ +"memory": \{$/m);
    expect(dry.stdout).toContain("Would add to");
    expect(desk.config).toBe(before);
    const none = await new Desk().import();
    expect(none.stdout).toMatch(/No servers were found. Looked into:\n  ~\/|  \/tmp/);
    expect(none.code).toBe(0);
  },
);

proves("IMP-13", "--all takes what is on there, --only what is named, --from the hosts that are named", async () => {
  const desk = new Desk();
  desk.put(".cursor/mcp.json", {
    mcpServers: { memory, off: { command: "off", disabled: true }, far: { url: "https://x.example" } },
  });
  desk.put(".codex/config.toml", '[mcp_servers.docs]\ncommand = "docs"\n');
  const all = await desk.report("--all", "--from", "cursor");
  expect(all.added).toEqual(["memory"]);
  expect(desk.servers).toEqual({ memory });
  expect(all.servers.map(({ name, state, disabled }) => [name, state, disabled])).toEqual([
    ["memory", "new", false],
    ["off", "new", true],
    ["far", "remote", false],
  ]);
  expect((await desk.report("--only", "off,codex:docs")).added).toEqual(["off", "docs"]);
  expect(desk.servers.off).toEqual({ command: "off", disabled: true });
  const refusals = [
    [["--only", "far"], /"far" cannot be added: it is a remote server/],
    [["--only", "nobody"], /nothing that was found is called "nobody"/],
    [["--from", "emacs"], /--from does not know "emacs"/],
    [["--as", "memory"], /--as takes name=alias/],
    [["--as", "memory=Big"], /"Big" cannot be an alias/],
  ] as const;
  for (const [words, said] of refusals) {
    const { code, stderr } = await desk.import(...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
  }
});

proves(
  "IMP-6",
  "the same launch in several places is one server that knows them all, and afterwards it is there already",
  async () => {
    const desk = new Desk();
    const launch = { command: "db", args: ["--password", "hunter2-canary"], env: { API_TOKEN: "token-canary", LANG: "C" } };
    desk.put(".claude.json", { mcpServers: { db: { type: "stdio", ...launch } } });
    desk.put(".cursor/mcp.json", { mcpServers: { Database: launch } });
    desk.inProject(".vscode/mcp.json", { servers: { db: launch } });
    const first = await desk.report("--all");
    expect(first.added).toEqual(["db"]);
    expect(first.servers).toHaveLength(1);
    expect(first.servers[0]?.places.map(({ host, scope, name, line }) => [host, scope, name, line])).toEqual([
      ["claude-code", "user", "db", 1],
      ["cursor", "user", "Database", 1],
      ["vscode", "project", "db", 1],
    ]);
    expect(desk.config).toContain("// imported from Claude Code (~/.claude.json) and Cursor (~/.cursor/mcp.json) and VS Code (");
    const written = desk.config;
    // Inline there, a variable here: the same server.
    const again = await desk.report("--all");
    expect(again).toMatchObject({ added: [], servers: [{ state: "present", alias: "db" }] });
    expect(desk.config).toBe(written);
    // Under another name it is the same one still; with another argument it is not.
    desk.put(".cursor/mcp.json", {
      mcpServers: { other: launch, db: { ...launch, args: ["--password", "another-canary", "-v"] } },
    });
    expect((await desk.report()).servers.map(({ name, state }) => [name, state])).toEqual([
      ["db", "present"],
      ["db", "clash"],
    ]);
  },
);

proves("IMP-7", "names that clash are refused together with the --as to use; nothing is renamed or written", async () => {
  const desk = new Desk();
  desk.put(".claude.json", { mcpServers: { memory } });
  desk.put(".cursor/mcp.json", { mcpServers: { Memory: { command: "other" } } });
  desk.put(".codex/config.toml", '[mcp_servers.memory]\ncommand = "third"\n[mcp_servers."日本"]\ncommand = "fourth"\n');
  const before = desk.config;
  const refused = await desk.import("--all");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("Nothing was added, because names clash");
  expect(refused.stderr).toContain('Memory (Cursor (user)): the alias "memory" is that of "memory" of Claude Code (user) too');
  expect(refused.stderr).toContain("日本 (Codex (user)): nothing of its name can be an alias");
  expect(desk.config).toBe(before);
  const said = /Give them other aliases: --as (.*)/.exec(refused.stderr)?.[1] ?? "";
  expect(said).toBe("Memory=memory_cursor,codex:memory=memory_codex,'日本=server'");
  const aliases = said.replaceAll("'", "");
  const added = await desk.report("--all", "--as", aliases);
  expect(added.added.toSorted()).toEqual(["memory", "memory_codex", "memory_cursor", "server"]);
  // An alias that is configured already is no less a clash.
  desk.put(".gemini/settings.json", { mcpServers: { memory: { command: "fifth" } } });
  const taken = await desk.import("--only", "gemini-cli:memory");
  expect(taken.stderr).toContain('the alias "memory" is taken by another server of the configuration');
  expect(taken.stderr).toContain("--as gemini-cli:memory=memory_gemini_cli");
  const ambiguous = await desk.import("--only", "memory");
  expect(ambiguous.stderr).toMatch(/"memory" is the name of 3 different servers[\s\S]*claude-code:memory[\s\S]*codex:memory/);
});

const CANARIES = {
  token: "canary-token-7f3a",
  flag: "canary-flag-91bc",
  password: "canary-pass-55de",
  header: "canary-header-03aa",
  json: "canary-json-77aa",
  shaped: "ghp_0123456789canaryCANARY0123456789abcd",
};

function secretive(desk: Desk): void {
  desk.put(".cursor/mcp.json", {
    mcpServers: {
      github: {
        command: "docker",
        args: ["run", "-e", "TOKEN"],
        env: { TOKEN: CANARIES.token, NOTE: CANARIES.shaped, LANG: "C" },
      },
      db: {
        command: "db",
        args: ["--api-key", CANARIES.flag, `postgres://u:${CANARIES.password}@h/d`, "--header", `X-Key: ${CANARIES.header}`],
      },
      far: {
        url: `https://u:${CANARIES.password}@far.example/?token=${CANARIES.token}`,
        headers: { Authorization: CANARIES.header },
      },
      odd: { command: "x", args: ["--config", `{"apiKey":"${CANARIES.json}"}`, 5], env: { SECRET: CANARIES.flag } },
    },
  });
  desk.put(".codex/config.toml", `[mcp_servers.x]\ncommand = "x"\nargs = ["--token", "${CANARIES.token}"\n`);
  desk.inProject(".mcp.json", `{"mcpServers": {"y": {"command": "y", "env": {"TOKEN": "${CANARIES.token}" "B": 1}}}}`);
}

const leaks = (text: string): string[] => Object.values(CANARIES).filter((canary) => text.includes(canary));

proves(
  "IMP-9",
  "no secret is in a table, a difference, an error, JSON or our file; each is a variable whose name is told",
  async () => {
    const desk = new Desk();
    secretive(desk);
    const outputs = [
      await desk.import(),
      await desk.import("--all", "--dry-run"),
      await desk.import("--all", "--dry-run", "--json"),
    ];
    outputs.push(
      await desk.import("--all", "--as", "db=github"),
      await desk.import("--only", "odd"),
      await desk.import("--all", "--from", "cursor"),
    );
    for (const { stdout, stderr } of outputs) expect(leaks(stdout + stderr)).toEqual([]);
    expect(outputs[0]?.stdout).toContain("holds a secret: variable TOKEN, variable NOTE");
    expect(outputs[0]?.stdout).toContain("db --api-key <secret> postgres://u:<secret>@h/d");
    expect(outputs.at(-1)).toMatchObject({ code: 0 });
    expect(leaks(desk.config)).toEqual([]);
    expect(desk.servers).toEqual({
      github: { command: "docker", args: ["run", "-e", "TOKEN"], env: { TOKEN: "${TOKEN}", NOTE: "${NOTE}", LANG: "C" } },
      db: {
        command: "db",
        args: ["--api-key", "${DB_API_KEY}", "postgres://u:${DB_SECRET}@h/d", "--header", "X-Key: ${DB_X_KEY}"],
      },
    });
    for (const name of ["TOKEN", "NOTE", "DB_API_KEY", "DB_SECRET", "DB_X_KEY"]) {
      expect(outputs.at(-1)?.stdout).toMatch(new RegExp(`^  ${name} +not set here$`, "m"));
    }
    expect(outputs.at(-1)?.stdout).toContain("for toolpool service, in ~/.config/toolpool/environment");
  },
);

proves("IMP-9", "two secrets never share a variable, and one that is set to something else is told", async () => {
  const desk = new Desk({ WORK_TOKEN: "else", B_TOKEN: "two" });
  desk.put(".cursor/mcp.json", {
    mcpServers: {
      a: { command: "a", env: { TOKEN: "one" } },
      b: { command: "b", env: { TOKEN: "two", WORK_TOKEN: "real" } },
      c: { command: "c", args: ["--c-token", "one", "--token=two", "--token=three"] },
    },
  });
  const { variables } = await desk.report("--all");
  expect(desk.servers).toEqual({
    a: { command: "a", env: { TOKEN: "${A_TOKEN}" } },
    b: { command: "b", env: { TOKEN: "${B_TOKEN}", WORK_TOKEN: "${WORK_TOKEN}" } },
    c: { command: "c", args: ["--c-token", "${C_TOKEN}", "--token=${C_TOKEN_2}", "--token=${C_TOKEN_3}"] },
  });
  const states = Object.fromEntries(variables.map(({ name, state }) => [name, state]));
  expect(states).toMatchObject({ A_TOKEN: "unset", B_TOKEN: "set", WORK_TOKEN: "different", C_TOKEN_2: "unset" });
});

proves("IMP-9", "--inline-secrets keeps them in the file, and still shows none", async () => {
  const desk = new Desk();
  secretive(desk);
  const { stdout, stderr } = await desk.import("--all", "--from", "cursor", "--inline-secrets");
  expect(leaks(stdout + stderr)).toEqual([]);
  expect(desk.servers.github).toMatchObject({ env: { TOKEN: CANARIES.token } });
});

proves("IMP-11", "nothing is started, and what other programs own stays as it is, to the byte and the time", async () => {
  const desk = new Desk();
  const { command, ran } = desk.marker("probe");
  desk.put(".claude.json", {
    mcpServers: { probe: { command } },
    projects: { [desk.project]: { mcpServers: { local: { command, args: ["1"] } } } },
  });
  desk.inProject(".mcp.json", { mcpServers: { project: { command, args: ["2"] } } });
  desk.inProject(".vscode/settings.json", { mcp: { servers: { settings: { command, args: ["3"] } } } });
  desk.put(".codex/config.toml", `[mcp_servers.toml]\ncommand = ${JSON.stringify(command)}\nargs = ["4"]\n`);
  const before = desk.fingerprint();
  expect((await desk.import()).code).toBe(0);
  expect((await desk.import("--all", "--dry-run")).code).toBe(0);
  expect((await desk.report("--all")).added).toEqual(["local", "project", "probe", "settings", "toml"]);
  expect((await desk.run("check")).stdout).toContain("toolpool review probe");
  expect(desk.fingerprint()).toEqual(before);
  expect(existsSync(ran)).toBe(false);
});

proves(
  "IMP-15",
  "an imported server cannot be connected before it was reviewed, and a running daemon does not start it",
  async () => {
    const desk = new Desk();
    const { command, ran } = desk.marker("server");
    desk.put(".cursor/mcp.json", { mcpServers: { server: { command } } });
    expect((await desk.report("--all")).added).toEqual(["server"]);
    try {
      expect((await desk.run("up", "--port", "0")).code).toBe(0);
      const refused = await desk.run("connect", "server");
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/config_invalid[\s\S]*toolpool review server/);
      expect(existsSync(ran)).toBe(false);
    } finally {
      await desk.place.close();
    }
  },
);

proves(
  "IMP-14",
  "what is configured stays to the byte: comments, order, mode; a new file is its owner's and explains itself",
  async () => {
    const desk = new Desk();
    desk.put(".cursor/mcp.json", { mcpServers: { memory } });
    const own =
      '{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"demo": { "command": "x", "tools": {} }, // kept\r\n\t},\r\n\t"limits": { "sessions": 5 },\r\n}\r\n';
    writeFileSync(desk.place.configFile, own);
    chmodSync(desk.place.configFile, 0o640);
    expect((await desk.report("--all")).added).toEqual(["memory"]);
    expect(desk.config).toBe(
      own.replace(
        "// kept\r\n",
        '// kept\r\n\t\t// imported from Cursor (~/.cursor/mcp.json) as "memory"\r\n\t\t"memory": {\r\n\t\t\t"command": "npx",\r\n\t\t\t"args": ["-y", "@modelcontextprotocol/server-memory"]\r\n\t\t},\r\n',
      ),
    );
    expect(statSync(desk.place.configFile).mode & 0o777).toBe(0o640);
    const fresh = join(desk.place.folder, "made", "here", "config.json");
    const made = await desk.import("--all", "--config", fresh);
    expect(made.stdout).toContain("(new): memory");
    expect(statSync(fresh).mode & 0o777).toBe(0o600);
    expect(statSync(join(fresh, "..")).mode & 0o777).toBe(0o700);
    expect(readFileSync(fresh, "utf8")).toContain("toolpool review <alias>");
  },
);

proves("IMP-14", "imports at once from several programs are all kept", async () => {
  const desk = new Desk();
  const names = ["one", "two", "three"];
  const files = names.map((name) =>
    desk.put(`${name}.json`, { mcpServers: { [name]: { command: name }, shared: { command: "shared" } } }),
  );
  const ends = await Promise.all(files.map((file) => desk.import("--file", file, "--all", "--json")));
  // The shared one is added once: whoever comes later sees that it is there.
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
  expect(Object.keys(desk.servers).toSorted()).toEqual(["one", "shared", "three", "two"]);
});
