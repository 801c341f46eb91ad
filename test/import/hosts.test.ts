// Where hosts keep their servers, and what becomes of each shape: pure functions, and real files for reading.
import { expect } from "vitest";
import { HOSTS, type FoundServer } from "../../client/import/found.ts";
import { anyHostFile, hostFiles, type World } from "../../client/import/host-files.ts";
import { readHostFile } from "../../client/import/read-host-file.ts";
import { translate, variableName, type TextWorld } from "../../client/import/variables.ts";
import { proves } from "../support/promise.ts";
import { Desk } from "./desk.ts";

const linux: World = { platform: "linux", env: {}, home: "/home/me", cwd: "/work/app/src", gitRoot: "/work/app" };

const filesOf = (world: World, host: string): string[] =>
  hostFiles(world)
    .filter((file) => file.host === host)
    .map(({ scope, file, containers }) => `${scope} ${file} ${containers.map((path) => path.join(".")).join(" ")}`);

proves("IMP-3", "on Linux every host is found where it keeps its servers, for the person and for the project", () => {
  expect(filesOf(linux, "claude-code")).toEqual([
    "local /home/me/.claude.json projects./work/app/src.mcpServers",
    "local /home/me/.claude.json projects./work/app.mcpServers",
    "project /work/app/src/.mcp.json mcpServers",
    "project /work/app/.mcp.json mcpServers",
    "user /home/me/.claude.json mcpServers",
  ]);
  expect(filesOf(linux, "claude-desktop")).toEqual(["user /home/me/.config/Claude/claude_desktop_config.json mcpServers"]);
  expect(filesOf(linux, "cursor").slice(-2)).toEqual([
    "project /work/app/.cursor/mcp.json mcpServers",
    "user /home/me/.cursor/mcp.json mcpServers",
  ]);
  expect(filesOf(linux, "vscode")).toContain("project /work/app/.vscode/mcp.json servers");
  expect(filesOf(linux, "vscode")).toContain("user /home/me/.config/Code/User/mcp.json servers");
  expect(filesOf(linux, "vscode")).toContain("user /home/me/.config/Code/User/settings.json mcp.servers");
  expect(filesOf(linux, "codex").at(-1)).toBe("user /home/me/.codex/config.toml mcp_servers");
  expect(filesOf(linux, "gemini-cli").at(-1)).toBe("user /home/me/.gemini/settings.json mcpServers");
  expect(filesOf(linux, "windsurf")).toEqual(["user /home/me/.codeium/windsurf/mcp_config.json mcpServers"]);
  expect(filesOf(linux, "zed").at(-1)).toBe("user /home/me/.config/zed/settings.json context_servers");
  expect(filesOf(linux, "opencode")).toContain("user /home/me/.config/opencode/opencode.jsonc mcp");
  expect(filesOf(linux, "opencode")).toContain("project /work/app/opencode.json mcp");
  expect(new Set(hostFiles(linux).map(({ host }) => host))).toEqual(new Set(Object.keys(HOSTS)));
});

proves("IMP-3", "macOS, Windows and variables that move a host's folder", () => {
  const mac = { ...linux, platform: "darwin" as const, home: "/Users/me" };
  expect(filesOf(mac, "claude-desktop")).toEqual([
    "user /Users/me/Library/Application Support/Claude/claude_desktop_config.json mcpServers",
  ]);
  expect(filesOf(mac, "vscode")).toContain("user /Users/me/Library/Application Support/Code/User/mcp.json servers");
  expect(filesOf(mac, "zed").at(-1)).toBe("user /Users/me/.config/zed/settings.json context_servers");
  const windows: World = {
    platform: "win32",
    env: { APPDATA: "C:\\Users\\me\\AppData\\Roaming" },
    home: "C:\\Users\\me",
    cwd: "C:\\work\\app",
  };
  expect(filesOf(windows, "claude-desktop")).toEqual([
    "user C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json mcpServers",
  ]);
  expect(filesOf(windows, "cursor").at(-1)).toBe("user C:\\Users\\me\\.cursor\\mcp.json mcpServers");
  // Claude Code writes its projects with either slash.
  expect(filesOf(windows, "claude-code")[0]).toBe(
    "local C:\\Users\\me\\.claude.json projects.C:\\work\\app.mcpServers projects.C:/work/app.mcpServers",
  );
  const moved = { XDG_CONFIG_HOME: "/xdg", CODEX_HOME: "/codex", CLAUDE_CONFIG_DIR: "/claude", OPENCODE_CONFIG: "/oc.json" };
  const files = hostFiles({ ...linux, env: moved }).map(({ file }) => file);
  for (const file of [
    "/xdg/Code/User/mcp.json",
    "/xdg/zed/settings.json",
    "/codex/config.toml",
    "/claude/.claude.json",
    "/oc.json",
  ])
    expect(files).toContain(file);
  // At home there is no project beside the person's own files.
  expect(filesOf({ ...linux, cwd: "/home/me", gitRoot: undefined }, "cursor")).toEqual([
    "user /home/me/.cursor/mcp.json mcpServers",
  ]);
});

const world = (host: TextWorld["host"], more: Partial<TextWorld> = {}): TextWorld => ({
  host,
  home: "/home/me",
  workspace: "/work/app",
  workspaceGuessed: false,
  separator: "/",
  inputs: new Map([["mode", { id: "mode", preset: "fast" }]]),
  ...more,
});

proves("IMP-5", "each host's way to write a variable becomes ours", () => {
  const become = (host: TextWorld["host"], text: string): string => translate(text, world(host)).text;
  expect(become("claude-code", "${A} ${B:-b c}")).toBe("${A} ${B:-b c}");
  expect(become("cursor", "${env:A}/${userHome}${/}x")).toBe("${A}//home/me/x");
  expect(become("vscode", "${workspaceFolder}/a ${workspaceFolderBasename} ${input:brave-key} ${input:mode}")).toBe(
    "/work/app/a app ${BRAVE_KEY} ${MODE:-fast}",
  );
  expect(become("gemini-cli", "$A ${B} cost: $5")).toBe("${A} ${B} cost: $5");
  expect(become("opencode", "{env:A} $B")).toBe("${A} $B");
  expect(become("cursor", "$A {env:B}")).toBe("$A {env:B}");
  expect(translate("${A}-${B:-x}-${A}", world("claude-code")).variables).toEqual(["A", "A"]);
  expect(["brave-key", "githubToken", "2fa", "é"].map(variableName)).toEqual(["BRAVE_KEY", "GITHUB_TOKEN", "_2FA", "INPUT"]);
});

proves("IMP-5", "what only the host knows is named, and what cannot be written here is refused", () => {
  expect(translate("${input:key}", world("vscode")).remarks).toEqual(['what the host asks for ("key") is the variable KEY here']);
  expect(translate("${HOME}/x", world("claude-desktop")).remarks).toEqual(["${HOME} is plain text there, and a variable here"]);
  expect(translate("${workspaceFolder}", world("vscode", { workspaceGuessed: true })).remarks).toEqual([
    "${workspaceFolder} is taken to be this folder",
  ]);
  const problem = (host: TextWorld["host"], text: string): string | undefined => translate(text, world(host)).problem;
  expect(problem("opencode", "{file:~/.key}")).toContain("the content of a file");
  expect(problem("vscode", "${command:pick}")).toContain("only the host knows what ${command:…} stands for");
  expect(problem("claude-code", "${A:-${B}}")).toContain("refers to another variable");
  expect(problem("claude-code", "${not a name}")).toContain("no system takes");
  expect(problem("claude-code", "${A")).toContain("is not closed");
  expect(problem("claude-code", "a } b $ { c")).toBeUndefined();
});

async function found(desk: Desk, path: string, host: string): Promise<readonly FoundServer[]> {
  const world: World = { platform: "linux", env: {}, home: desk.home, cwd: desk.project };
  const source = hostFiles(world).find((file) => file.host === host && file.file === path) ?? anyHostFile(path, desk.project);
  const { servers, issues } = await readHostFile(source, world);
  expect(issues).toEqual([]);
  return servers;
}

proves("IMP-4", "every host's shape: command in one word, list or object; variables, folder, off, remote", async () => {
  const desk = new Desk();
  const vscode = desk.inProject(".vscode/mcp.json", {
    inputs: [{ type: "promptString", id: "k", password: true }],
    servers: {
      a: {
        type: "stdio",
        command: "./run.sh",
        args: ["${workspaceFolder}/x"],
        env: { N: 5, GONE: null, K: "${input:k}" },
        envFile: ".env",
      },
      b: { type: "http", url: "https://x.example/mcp", headers: { A: "b" } },
    },
  });
  expect(await found(desk, vscode, "vscode")).toMatchObject([
    {
      scope: "project",
      name: "a",
      launch: { command: `${desk.project}/run.sh`, args: [`${desk.project}/x`], env: { N: "5", K: "${K}" } },
      variables: ["K"],
      remarks: [expect.stringContaining("variable K"), "not carried over: envFile"],
    },
    { name: "b", kind: "remote", type: "http", url: "https://x.example/mcp" },
  ]);
  const codex = desk.put(
    ".codex/config.toml",
    `model = "o"\n\n[mcp_servers.docs]\ncommand = "docs"\nargs = ["--here"]\nenv_vars = ["DOCS_HOME", { name = "X", source = "local" }]\ncwd = "/srv"\n[mcp_servers.docs.env]\nA = "1"\n\n[mcp_servers."my server"]\ncommand = "x"\nenabled = false\nstartup_timeout_sec = 5\n[mcp_servers.far]\nurl = "https://x.example"\n`,
  );
  expect(await found(desk, codex, "codex")).toMatchObject([
    {
      name: "docs",
      line: 3,
      launch: { command: "docs", args: ["--here"], env: { A: "1", DOCS_HOME: "${DOCS_HOME}", X: "${X}" }, cwd: "/srv" },
    },
    { name: "my server", line: 11, disabled: true, remarks: ["not carried over: startup_timeout_sec"] },
    { name: "far", kind: "remote" },
  ]);
  const zed = desk.put(".config/zed/settings.json", {
    theme: "One",
    context_servers: {
      old: { command: { path: "~/bin/old", args: ["a"], env: { A: "b" } } },
      new: { source: "custom", command: "new", args: [] },
      ext: { source: "extension", settings: {} },
    },
  });
  expect(await found(desk, zed, "zed")).toMatchObject([
    { name: "old", launch: { command: `${desk.home}/bin/old`, args: ["a"], env: { A: "b" } } },
    { name: "new", launch: { command: "new", args: [] } },
    { name: "ext", kind: "unusable", problem: expect.stringContaining("extension") as string },
  ]);
  const opencode = desk.put(".config/opencode/opencode.jsonc", {
    mcp: {
      a: { type: "local", command: ["npx", "-y", "x"], environment: { A: "{env:B}" }, enabled: false },
      b: { type: "remote", url: "u" },
    },
  });
  expect(await found(desk, opencode, "opencode")).toMatchObject([
    { name: "a", disabled: true, launch: { command: "npx", args: ["-y", "x"], env: { A: "${B}" } } },
    { name: "b", kind: "remote" },
  ]);
  const newer = desk.put("newer.json", { mcp: { servers: { s: { type: "local", command: ["x"] } } } });
  expect(await found(desk, newer, "file")).toMatchObject([{ name: "s", launch: { command: "x" } }]);
  const gemini = desk.put(".gemini/settings.json", {
    mcp: { excluded: ["off"] },
    mcpServers: {
      off: { command: "a", env: { T: "$T" } },
      h: { httpUrl: "https://h" },
      t: { command: "b", trust: true, timeout: 5 },
    },
  });
  expect(await found(desk, gemini, "gemini-cli")).toMatchObject([
    { name: "off", disabled: true, launch: { env: { T: "${T}" } } },
    { name: "h", kind: "remote" },
    { name: "t", remarks: ["not carried over: trust, timeout"] },
  ]);
  const windsurf = desk.put(".codeium/windsurf/mcp_config.json", {
    mcpServers: { w: { serverUrl: "https://w" }, d: { command: "d", disabled: true } },
  });
  expect(await found(desk, windsurf, "windsurf")).toMatchObject([{ kind: "remote" }, { name: "d", disabled: true }]);
});

proves(
  "IMP-4",
  "a project's server runs in the project where anything of it is relative; elsewhere paths are made absolute",
  async () => {
    const desk = new Desk();
    const file = desk.inProject(".mcp.json", {
      mcpServers: {
        script: { command: "node", args: ["dist/server.js"] },
        here: { command: "uvx", args: ["mcp-server-git", "--repository", "."] },
        below: { command: "x", cwd: "tools" },
        free: { command: "npx", args: ["-y", "pkg"] },
      },
    });
    const [script, here, below, free] = await found(desk, file, "claude-code");
    expect(script).toMatchObject({ launch: { args: ["dist/server.js"], cwd: desk.project } });
    expect(here).toMatchObject({ launch: { cwd: desk.project } });
    expect(below).toMatchObject({ launch: { cwd: `${desk.project}/tools` } });
    expect(free?.kind === "stdio" && free.launch.cwd).toBeUndefined();
    const user = desk.put(".cursor/mcp.json", { mcpServers: { a: { command: "./a", args: ["./b"] } } });
    const [odd] = await found(desk, user, "cursor");
    expect(odd).toMatchObject({ launch: { command: `${desk.project}/a` } });
    expect(odd?.remarks.join()).toMatch(/relative to wherever the host runs/);
  },
);
