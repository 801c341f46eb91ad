// The real servers that travel: which package, in which releases, how a host has it configured, and what is to come of it. Pure
// data; credentials are made up here, so that nothing that looks like one stands in a file.

export type HostFileName =
  | "claude-user"
  | "claude-local"
  | "claude-project"
  | "claude-desktop"
  | "cursor"
  | "vscode"
  | "codex"
  | "gemini"
  | "windsurf"
  | "zed"
  | "opencode";

export interface JourneyServer {
  /** What `import` is expected to make of `name`. */
  readonly alias: string;
  /** As the host calls it. */
  readonly name: string;
  readonly host: HostFileName;
  readonly package: string;
  readonly release: string;
  /** Installed and reviewed first, so that `release` is a real update. Without it the update is one of ours. */
  readonly earlier?: string;
  /** What the package's program is called, and where it lies in the package. */
  readonly program: string;
  readonly file: string;
  /** By its name in node_modules/.bin, or by `npx` from the folder above; otherwise `node` runs the file. */
  readonly by?: "program" | "npx";
  /** `{home}` and `{project}` are replaced. */
  readonly args?: readonly string[];
  /** As it stands in the host's file, secrets too. */
  readonly env?: Readonly<Record<string, string>>;
  /** A harmless call; `code`: what comes of it where there is no network and no account. */
  readonly call?: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>>; readonly code: string };
  /** Whose description the update of ours changes. */
  readonly changes?: string;
  /** Why it is awkward, by what was measured of real servers. */
  readonly awkward?: string;
}

/** Looks like a key of that kind to whatever looks for keys. */
const madeUp = (prefix: string, length: number): string => prefix + "a1B2c3D4e5F6".repeat(8).slice(0, length);

export const SERVERS: readonly JourneyServer[] = [
  {
    alias: "everything",
    name: "everything",
    host: "claude-user",
    package: "@modelcontextprotocol/server-everything",
    release: "2026.8.31",
    earlier: "2026.1.26",
    program: "mcp-server-everything",
    file: "dist/index.js",
    call: { tool: "get_sum", arguments: { a: 2, b: 3 }, code: "ok" },
    awkward: "announces a changed list before the first list was asked for",
  },
  {
    alias: "github",
    name: "github",
    host: "claude-user",
    package: "@modelcontextprotocol/server-github",
    release: "2025.4.8",
    program: "mcp-server-github",
    file: "dist/index.js",
    by: "program",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: madeUp("ghp_", 36) },
    call: { tool: "search_repositories", arguments: { query: "toolpool" }, code: "mcp_remote_error" },
    changes: "search_repositories",
  },
  {
    alias: "memory",
    name: "memory",
    host: "claude-project",
    package: "@modelcontextprotocol/server-memory",
    release: "2026.8.31",
    earlier: "2025.11.25",
    program: "mcp-server-memory",
    file: "dist/index.js",
    env: { MEMORY_FILE_PATH: "${MEMORY_FILE}" },
    call: { tool: "read_graph", arguments: {}, code: "ok" },
  },
  {
    alias: "sequential_thinking",
    name: "sequential-thinking",
    host: "claude-local",
    package: "@modelcontextprotocol/server-sequential-thinking",
    release: "2026.8.31",
    earlier: "2025.12.18",
    program: "mcp-server-sequential-thinking",
    file: "dist/index.js",
    call: {
      tool: "sequentialthinking",
      arguments: { thought: "All of it at once?", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      code: "ok",
    },
  },
  {
    alias: "filesystem",
    name: "filesystem",
    host: "claude-desktop",
    package: "@modelcontextprotocol/server-filesystem",
    release: "2026.8.31",
    earlier: "2025.12.18",
    program: "mcp-server-filesystem",
    file: "dist/index.js",
    args: ["{project}"],
    call: { tool: "list_allowed_directories", arguments: {}, code: "ok" },
  },
  {
    alias: "elasticsearch",
    name: "elasticsearch",
    host: "claude-desktop",
    package: "@elastic/mcp-server-elasticsearch",
    release: "0.3.1",
    earlier: "0.2.0",
    program: "mcp-server-elasticsearch",
    file: "dist/index.js",
    env: { ES_URL: "http://127.0.0.1:9", ES_API_KEY: madeUp("", 60) },
    call: { tool: "list_indices", arguments: { indexPattern: "*" }, code: "ok" },
    awkward: "its log goes to stdout, and it ignores the end of its input",
  },
  {
    alias: "framelink_figma",
    name: "Framelink Figma",
    host: "cursor",
    package: "figma-developer-mcp",
    release: "0.13.2",
    program: "figma-developer-mcp",
    file: "dist/bin.js",
    args: [`--figma-api-key=${madeUp("figd_", 40)}`, "--stdio"],
    env: { FRAMELINK_TELEMETRY: "off" },
    call: { tool: "get_figma_data", arguments: { fileKey: "abc" }, code: "mcp_remote_error" },
    changes: "get_figma_data",
    awkward: "a description of its tool names the folder it was started in; its key is an argument",
  },
  {
    alias: "context7",
    name: "context7",
    host: "cursor",
    package: "@upstash/context7-mcp",
    release: "4.1.1",
    program: "context7-mcp",
    file: "dist/index.js",
    by: "program",
    call: { tool: "resolve_library_id", arguments: { libraryName: "Vitest", query: "matchers" }, code: "ok" },
    changes: "resolve-library-id",
  },
  {
    alias: "postgres",
    name: "postgres",
    host: "vscode",
    package: "@modelcontextprotocol/server-postgres",
    release: "0.6.2",
    program: "mcp-server-postgres",
    file: "dist/index.js",
    args: ["postgresql://app:${input:pg-password}@127.0.0.1:9/app"],
    call: { tool: "query", arguments: { sql: "select 1" }, code: "mcp_remote_error" },
    changes: "query",
  },
  {
    alias: "chrome_devtools",
    name: "chrome-devtools",
    host: "vscode",
    package: "chrome-devtools-mcp",
    release: "1.11.0",
    earlier: "1.10.1",
    program: "chrome-devtools-mcp",
    file: "build/src/bin/chrome-devtools-mcp.js",
    args: ["--headless", "--isolated"],
    call: { tool: "list_pages", arguments: {}, code: "mcp_remote_error" },
    awkward: "starts a watchdog in a process group of its own",
  },
  {
    alias: "code_runner",
    name: "code-runner",
    host: "codex",
    package: "mcp-server-code-runner",
    release: "0.1.8",
    program: "mcp-server-code-runner",
    file: "dist/cli.js",
    call: { tool: "run_code", arguments: { languageId: "javascript", code: "console.log(6 * 7)" }, code: "ok" },
    changes: "run-code",
    awkward: "greets on stdout in plain words",
  },
  {
    alias: "linear_workspace",
    name: "linear-workspace",
    host: "codex",
    package: "@tacticlaunch/mcp-linear",
    release: "1.4.3",
    earlier: "1.1.2",
    program: "mcp-linear",
    file: "dist/index.js",
    env: { LINEAR_API_TOKEN: madeUp("lin_api_", 40) },
    call: { tool: "linear_getserverstatus", arguments: {}, code: "ok" },
    awkward: "198 tools, two with names that do not fit into 64 characters",
  },
  {
    alias: "airbnb",
    name: "airbnb",
    host: "gemini",
    package: "@openbnb/mcp-server-airbnb",
    release: "0.3.0",
    program: "mcp-server-airbnb",
    file: "dist/index.js",
    by: "npx",
    args: ["--ignore-robots-txt"],
    call: { tool: "airbnb_search", arguments: { location: "Lisbon" }, code: "mcp_remote_error" },
    changes: "airbnb_search",
    awkward: "ignores the end of its input, and is started by npx: three processes, of which the last is the server",
  },
  {
    alias: "git",
    name: "git",
    host: "gemini",
    package: "@cyanheads/git-mcp-server",
    release: "2.15.3",
    earlier: "2.10.5",
    program: "git-mcp-server",
    file: "dist/index.js",
    by: "program",
    env: { MCP_LOG_LEVEL: "error" },
    call: { tool: "git_status", arguments: { path: "{project}" }, code: "ok" },
  },
  {
    alias: "drawio",
    name: "drawio",
    host: "windsurf",
    package: "@drawio/mcp",
    release: "1.6.1",
    earlier: "1.5.0",
    program: "drawio-mcp",
    file: "src/index.js",
    by: "program",
    call: { tool: "list_pages", arguments: { path: "{project}/plan.drawio" }, code: "ok" },
    awkward: "one description of 34 kB",
  },
  {
    alias: "netlify",
    name: "netlify",
    host: "windsurf",
    package: "@netlify/mcp",
    release: "1.15.1",
    program: "netlify-mcp",
    file: "dist/netlify-mcp.js",
    by: "program",
    env: { NETLIFY_PERSONAL_ACCESS_TOKEN: madeUp("nfp_", 36) },
    call: {
      tool: "netlify_user_services_reader",
      arguments: { selectSchema: { operation: "get-user" } },
      code: "mcp_remote_error",
    },
    changes: "netlify-user-services-reader",
    awkward:
      'without a network one of its tools has `"enum": []`, which no value can ever match: refused, and hidden in the policy',
  },
  {
    alias: "figma_console_desktop",
    name: "figma-console-desktop",
    host: "zed",
    package: "figma-console-mcp",
    release: "1.40.4",
    earlier: "1.40.0",
    program: "figma-console-mcp",
    file: "dist/local.js",
    env: { FIGMA_ACCESS_TOKEN: madeUp("figd_", 40) },
    call: { tool: "figma_get_status", arguments: {}, code: "ok" },
    awkward: "121 tools, one name needs `as`; it ignores the end of its input and listens on a port",
  },
  {
    alias: "currents",
    name: "currents",
    host: "opencode",
    package: "@currents/mcp",
    release: "2.1.1",
    program: "mcp",
    file: "build/index.js",
    env: { CURRENTS_API_KEY: "{env:CURRENTS_API_KEY}" },
    call: { tool: "currents_get_projects", arguments: {}, code: "ok" },
    changes: "currents-get-projects",
    awkward: "the time stands in a `default`, other at each start: no drift",
  },
  {
    alias: "gitlab",
    name: "gitlab",
    host: "opencode",
    package: "@modelcontextprotocol/server-gitlab",
    release: "2025.4.25",
    program: "mcp-server-gitlab",
    file: "dist/index.js",
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: madeUp("glpat-", 20) },
    awkward: "broken by a dependency's update: no tool's schema says that it is an object, so none can be exposed",
  },
];
