// The configuration a person begins with: an empty one that import fills, and the one of `toolpool init` with the two demo servers,
// every part of it explained where it stands. Pure.

const HEAD = `  // The MCP servers of this workstation that Toolpool may run. Comments and trailing commas are fine; relative paths start at this
  // file's folder. \${NAME} and \${NAME:-default} are variables of the daemon's environment: keep secrets there, not here.
  //   toolpool import          adds servers that other programs have configured
  //   toolpool review <alias>  looks at a server's tools and writes their policy here
  //   toolpool check           says what is wrong in this file;  toolpool doctor  what is wrong around it`;

export function emptyConfiguration(): string {
  return `{\n${HEAD}\n  "mcpServers": {}\n}\n`;
}

export interface DemoPrograms {
  /** Absolute: this very Node.js, for a daemon started by the system finds no other. */
  readonly node: string;
  /** Absolute: the demo server's program file. */
  readonly demoServer: string;
}

export function demoConfiguration({ node, demoServer }: DemoPrograms): string {
  const program = JSON.stringify(node);
  const server = JSON.stringify(demoServer);
  return `{
${HEAD}
  "mcpServers": {
    // The alias: how you, the agents and the tools' names (mcp__demo_alpha__lookup) call the server. a-z, 0-9 and _, at most 32.
    "demo_alpha": {
      // What is started: a program and its arguments, without a shell. "env" and "cwd" may be given too.
      "command": ${program},
      "args": [${server}, "--label", "alpha"],
      "env": { "LANG": "C.UTF-8" },
      "description": "Shows what Toolpool does: answers, fails, waits and ends when it is asked to",
      // How long it may take to start, and how long a call may be silent (milliseconds).
      "startupTimeoutMs": 5000,
      "toolTimeoutMs": 5000,
      // Every tool the server publishes, with what a call of it may do: read, write, external, or hidden from the model.
      // It must publish exactly these, or it is not connected: nobody's tools change behind your back.
      "tools": {
        "lookup": "read",
        "fail": "read",
        // More can be said of a tool: a name of your own ("as"), a time limit, whether to ask before a call ("approval": "ask").
        "delay": { "effect": "read", "timeoutMs": 10000 },
        "terminate": "external"
      }
    },
    // The same program again: two servers of one kind are two entries.
    "demo_beta": {
      "command": ${program},
      "args": [${server}, "--label", "beta"],
      "env": { "LANG": "C.UTF-8" },
      "tools": { "lookup": "read", "fail": "read", "delay": "read", "terminate": "external" }
    }
  },
  // What the daemon holds at most; these are the defaults.
  "limits": { "sessions": 1000, "drainMs": 5000, "versionsInMemory": 1024 }
}
`;
}
