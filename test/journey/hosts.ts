// The configuration files of the hosts, as their users have them: each in its own place and its own way to write a server, with
// whatever else stands in such a file.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "smol-toml";
import type { HostFileName, JourneyServer } from "./catalog.ts";

export interface HostPlaces {
  readonly home: string;
  /** Where `import` is called: the root of a repository. */
  readonly project: string;
}

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

interface HostFile {
  /** What `import` is to say of where it was. */
  readonly says: string;
  readonly path: (places: HostPlaces) => string;
  readonly text: (servers: Readonly<Record<string, Launch>>, places: HostPlaces) => string;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Claude Code keeps the person's servers and those of one project in one file. */
const CLAUDE_STATE = ".claude.json";

export const HOST_FILES: Readonly<Record<HostFileName, HostFile>> = {
  "claude-user": {
    says: "Claude Code (user)",
    path: ({ home }) => join(home, CLAUDE_STATE),
    text: (mcpServers) => json({ numStartups: 112, mcpServers }),
  },
  "claude-local": {
    says: "Claude Code (local)",
    path: ({ home }) => join(home, CLAUDE_STATE),
    text: (mcpServers, { project }) => json({ projects: { [project]: { allowedTools: [], mcpServers } } }),
  },
  "claude-project": {
    says: "Claude Code (project)",
    path: ({ project }) => join(project, ".mcp.json"),
    text: (mcpServers) => json({ mcpServers }),
  },
  "claude-desktop": {
    says: "Claude Desktop (user)",
    path: ({ home }) => join(home, ".config/Claude/claude_desktop_config.json"),
    text: (mcpServers) => json({ globalShortcut: "", mcpServers }),
  },
  cursor: {
    says: "Cursor (user)",
    path: ({ home }) => join(home, ".cursor/mcp.json"),
    text: (mcpServers) => json({ mcpServers }),
  },
  vscode: {
    says: "VS Code (project)",
    path: ({ project }) => join(project, ".vscode/mcp.json"),
    text: (servers) =>
      `// Shared by the team.\n${json({
        inputs: [{ id: "pg-password", type: "promptString", description: "Password of the database", password: true }],
        servers: Object.fromEntries(Object.entries(servers).map(([name, launch]) => [name, { type: "stdio", ...launch }])),
      })}`,
  },
  codex: {
    says: "Codex (user)",
    path: ({ home }) => join(home, ".codex/config.toml"),
    text: (mcp_servers) => `# Codex\nmodel = "a-model"\n\n${stringify({ mcp_servers })}\n`,
  },
  gemini: {
    says: "Gemini CLI (user)",
    path: ({ home }) => join(home, ".gemini/settings.json"),
    text: (mcpServers) => json({ ui: { theme: "Default" }, mcpServers }),
  },
  windsurf: {
    says: "Windsurf (user)",
    path: ({ home }) => join(home, ".codeium/windsurf/mcp_config.json"),
    text: (mcpServers) => json({ mcpServers }),
  },
  zed: {
    says: "Zed (user)",
    path: ({ home }) => join(home, ".config/zed/settings.json"),
    text: (servers) => {
      const context_servers = Object.fromEntries(
        Object.entries(servers).map(([name, launch]) => [name, { source: "custom", ...launch }]),
      );
      return `// Zed settings\n${json({ vim_mode: true, context_servers })}`;
    },
  },
  opencode: {
    says: "OpenCode (user)",
    path: ({ home }) => join(home, ".config/opencode/opencode.json"),
    text: (servers) => {
      const mcp = Object.entries(servers).map(([name, { command, args, env }]) => {
        const environment = env === undefined ? {} : { environment: env };
        return [name, { type: "local", command: [command, ...args], enabled: true, ...environment }] as const;
      });
      return json({ $schema: "https://opencode.ai/config.json", mcp: Object.fromEntries(mcp) });
    },
  },
};

/** Writes the files of every host that has one of the servers. Returns them, by path. */
export function writeHostFiles(servers: readonly JourneyServer[], places: HostPlaces): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  for (const host of new Set(servers.map((server) => server.host))) {
    const { path, text } = HOST_FILES[host];
    const launches = servers
      .filter((server) => server.host === host)
      .map((server) => [server.name, launchOf(server, places)] as const);
    const file = path(places);
    const before = written.get(file);
    const now = text(Object.fromEntries(launches), places);
    const together = before === undefined ? now : json({ ...members(before), ...members(now) });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, together, { mode: 0o600 });
    written.set(file, together);
  }
  return written;
}

const members = (text: string): Readonly<Record<string, unknown>> => JSON.parse(text) as Record<string, unknown>;

/** Where a server is installed for the person: the place stays, what is in it is updated. */
export const installedAt = ({ home }: HostPlaces, alias: string): string => join(home, "mcp", alias);

export const filled = (text: string, { home, project }: HostPlaces): string =>
  text.replaceAll("{home}", home).replaceAll("{project}", project);

function launchOf(server: JourneyServer, places: HostPlaces): Launch {
  const folder = installedAt(places, server.alias);
  const args = (server.args ?? []).map((arg) => filled(arg, places));
  const rest = server.env === undefined ? {} : { env: server.env };
  if (server.by === "npx") return { command: "npx", args: ["-y", server.program, ...args], cwd: folder, ...rest };
  if (server.by === "program") return { command: join(folder, "node_modules/.bin", server.program), args, ...rest };
  return { command: "node", args: [join(folder, "node_modules", server.package, server.file), ...args], ...rest };
}
