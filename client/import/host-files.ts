// Where the hosts keep their servers. Pure: every path follows from what is handed in, and no file is looked at. The places, and
// the date at which each was read (2026-11):
//   Claude Code     https://code.claude.com/docs/en/mcp (scopes), https://code.claude.com/docs/en/settings (CLAUDE_CONFIG_DIR)
//   Claude Desktop  https://modelcontextprotocol.io/docs/develop/connect-local-servers; Linux as its packages there do
//   Cursor          https://cursor.com/docs/context/mcp
//   VS Code         https://code.visualstudio.com/docs/copilot/reference/mcp-configuration; before 1.102 in settings.json
//   Codex           https://developers.openai.com/codex/mcp, …/codex/config-reference (CODEX_HOME, project files)
//   Gemini CLI      https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
//   Windsurf        https://docs.windsurf.com/windsurf/cascade/mcp
//   Zed             https://zed.dev/docs/ai/mcp, https://zed.dev/docs/configuring-zed
//   OpenCode        https://opencode.ai/docs/config, https://opencode.ai/docs/mcp-servers
import { posix, win32 } from "node:path";
import type { Origin, Scope } from "./found.ts";

export interface World {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute, as all paths here. */
  readonly home: string;
  /** Where the command was given. */
  readonly cwd: string;
  /** The root of the Git repository around it. */
  readonly gitRoot?: string | undefined;
}

export interface HostFile {
  readonly host: Origin;
  readonly scope: Scope;
  readonly file: string;
  readonly format: "json" | "toml" | "any";
  /** Where servers stand in it. */
  readonly containers: readonly (readonly string[])[];
  /** Lists of names that are turned off. */
  readonly off?: readonly (readonly string[])[];
  /** VS Code's questions, which `${input:…}` refers to. */
  readonly inputs?: readonly string[];
  /** What relative paths begin at; where the host would take the folder it happens to run in, absent. */
  readonly base?: string;
  readonly maxBytes: number;
}

const MIB = 1024 * 1024;
const SETTINGS = { maxBytes: 8 * MIB } as const;
/** Claude Code keeps its history in the same file. */
const STATE = { maxBytes: 64 * MIB } as const;

/** In the order in which they are shown: of one that stands in several places the first names it. */
export function hostFiles(world: World): readonly HostFile[] {
  const files = [claudeCode, claudeDesktop, cursor, vscode, codex, geminiCli, windsurf, zed, openCode].flatMap((host) =>
    host(world),
  );
  const seen = new Set<string>();
  return files.filter(({ host, file, containers }) => {
    const key = JSON.stringify([host, file, containers]);
    return !seen.has(key) && seen.add(key);
  });
}

const given = (value: string | undefined): string | undefined => (value === "" ? undefined : value);

const pathsOf = ({ platform }: World): typeof posix => (platform === "win32" ? win32 : posix);

const joinIn =
  (world: World) =>
  (...parts: readonly string[]): string =>
    pathsOf(world).join(...parts);

/** Here, and at the root of the repository. */
const projectsOf = ({ cwd, gitRoot, home }: World): readonly string[] =>
  // The home folder is no project: its files are the person's.
  [...new Set([cwd, ...(gitRoot === undefined ? [] : [gitRoot])])].filter((folder) => folder !== home);

function configHome({ platform, env, home }: World): string {
  const path = platform === "win32" ? win32 : posix;
  const named = env.XDG_CONFIG_HOME;
  return named !== undefined && path.isAbsolute(named) ? named : path.join(home, ".config");
}

/** Where programs with windows keep what is theirs. */
function applicationFolder(world: World): string {
  const join = joinIn(world);
  switch (world.platform) {
    case "darwin":
      return join(world.home, "Library", "Application Support");
    case "win32":
      return given(world.env.APPDATA) ?? join(world.home, "AppData", "Roaming");
    default:
      return configHome(world);
  }
}

function claudeCode(world: World): readonly HostFile[] {
  const join = joinIn(world);
  const state = join(given(world.env.CLAUDE_CONFIG_DIR) ?? world.home, ".claude.json");
  const projects = projectsOf(world);
  const common = { host: "claude-code", format: "json", ...STATE } as const;
  return [
    // The nearer scope stands in for the wider one, as Claude Code has it.
    ...projects.map((folder) => {
      // On Windows projects are kept with either slash.
      const keys = [...new Set([folder, folder.replaceAll("\\", "/")])];
      const below = (name: string): string[][] => keys.map((key) => ["projects", key, name]);
      const off = below("disabledMcpServers");
      return { ...common, scope: "local", file: state, containers: below("mcpServers"), off, base: folder } as const;
    }),
    ...projects.map((folder) => {
      return {
        ...common,
        scope: "project",
        file: join(folder, ".mcp.json"),
        containers: [["mcpServers"]],
        base: folder,
      } as const;
    }),
    {
      ...common,
      scope: "user",
      file: state,
      containers: [["mcpServers"]],
      off: projects.map((at) => ["projects", at, "disabledMcpServers"]),
    },
  ];
}

function claudeDesktop(world: World): readonly HostFile[] {
  const file = pathsOf(world).join(applicationFolder(world), "Claude", "claude_desktop_config.json");
  return [{ host: "claude-desktop", scope: "user", file, format: "json", containers: [["mcpServers"]], ...SETTINGS }];
}

function cursor(world: World): readonly HostFile[] {
  return inFolder(world, "cursor", [".cursor", "mcp.json"], [["mcpServers"]]);
}

function vscode(world: World): readonly HostFile[] {
  const join = joinIn(world);
  const common = { host: "vscode", format: "json", ...SETTINGS } as const;
  const mcp = { containers: [["servers"]], inputs: ["inputs"] };
  const settings = { containers: [["mcp", "servers"]], inputs: ["mcp", "inputs"] };
  const user = ["Code", "Code - Insiders"].map((program) => join(applicationFolder(world), program, "User"));
  return [
    ...projectsOf(world).flatMap((base) => [
      { ...common, ...mcp, scope: "project" as const, file: join(base, ".vscode", "mcp.json"), base },
      { ...common, ...settings, scope: "project" as const, file: join(base, ".vscode", "settings.json"), base },
    ]),
    ...user.flatMap((folder) => [
      // Servers of the user are started in the home folder.
      { ...common, ...mcp, scope: "user" as const, file: join(folder, "mcp.json"), base: world.home },
      { ...common, ...settings, scope: "user" as const, file: join(folder, "settings.json"), base: world.home },
    ]),
  ];
}

function codex(world: World): readonly HostFile[] {
  const join = joinIn(world);
  const common = { host: "codex", format: "toml", containers: [["mcp_servers"]], ...SETTINGS } as const;
  return [
    ...projectsOf(world).map((base) => ({
      ...common,
      scope: "project" as const,
      file: join(base, ".codex", "config.toml"),
      base,
    })),
    { ...common, scope: "user", file: join(given(world.env.CODEX_HOME) ?? join(world.home, ".codex"), "config.toml") },
  ];
}

function geminiCli(world: World): readonly HostFile[] {
  return inFolder(world, "gemini-cli", [".gemini", "settings.json"], [["mcpServers"]]).map((file) => ({
    ...file,
    off: [["mcp", "excluded"]],
  }));
}

function windsurf(world: World): readonly HostFile[] {
  const file = pathsOf(world).join(world.home, ".codeium", "windsurf", "mcp_config.json");
  return [{ host: "windsurf", scope: "user", file, format: "json", containers: [["mcpServers"]], ...SETTINGS }];
}

function zed(world: World): readonly HostFile[] {
  const join = joinIn(world);
  const common = { host: "zed", format: "json", containers: [["context_servers"]], ...SETTINGS } as const;
  const folder =
    world.platform === "win32"
      ? join(applicationFolder(world), "Zed")
      : join(world.platform === "darwin" ? join(world.home, ".config") : configHome(world), "zed");
  return [
    ...projectsOf(world).map((base) => ({
      ...common,
      scope: "project" as const,
      file: join(base, ".zed", "settings.json"),
      base,
    })),
    { ...common, scope: "user", file: join(folder, "settings.json") },
  ];
}

function openCode(world: World): readonly HostFile[] {
  const join = joinIn(world);
  const common = { host: "opencode", format: "json", containers: [["mcp"]], ...SETTINGS } as const;
  const named = given(world.env.OPENCODE_CONFIG);
  const folder = join(configHome(world), "opencode");
  return [
    ...projectsOf(world).flatMap((base) =>
      ["opencode.json", "opencode.jsonc", join(".opencode", "opencode.json"), join(".opencode", "opencode.jsonc")].map((name) => {
        return { ...common, scope: "project" as const, file: join(base, name), base };
      }),
    ),
    ...(named === undefined ? [] : [{ ...common, scope: "user" as const, file: pathsOf(world).resolve(world.cwd, named) }]),
    ...["opencode.json", "opencode.jsonc", "config.json"].map((name) => {
      return { ...common, scope: "user" as const, file: join(folder, name) };
    }),
  ];
}

/** The same file in a folder of the project and of the home. */
function inFolder(world: World, host: Origin, parts: readonly string[], containers: HostFile["containers"]): readonly HostFile[] {
  const join = joinIn(world);
  const common = { host, format: "json", containers, ...SETTINGS } as const;
  return [
    ...projectsOf(world).map((base) => ({ ...common, scope: "project" as const, file: join(base, ...parts), base })),
    { ...common, scope: "user", file: join(world.home, ...parts) },
  ];
}

/** A file named by hand: it is known by what stands in it. */
export function anyHostFile(file: string, base: string): HostFile {
  const containers = [["mcpServers"], ["servers"], ["context_servers"], ["mcp"], ["mcp_servers"]];
  return { host: "file", scope: "user", file, format: "any", containers, inputs: ["inputs"], base, ...STATE };
}
