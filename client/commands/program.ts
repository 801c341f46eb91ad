// The command line of CONTRACT section 6: every command, its options and its help. It decides what was asked for; each
// command's code is loaded when it is used, so that asking for help reads almost nothing.
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { PROGRAM } from "../../config/program.ts";
import type { CallOptions } from "./call.ts";
import type { ServiceOptions } from "./autostart-look.ts";
import type { CallsOptions } from "./calls.ts";
import type { DoctorOptions } from "./doctor.ts";
import type { ImportOptions } from "./import.ts";
import type { InitOptions } from "./init.ts";
import type { Interrupts } from "./interrupts.ts";
import type { LogsOptions } from "./logs.ts";
import type { ReviewOptions } from "../review/review-server.ts";
import type { RunOptions } from "./run.ts";
import type { StatusOptions } from "./status.ts";
import type { Run } from "./surroundings.ts";
import type { UpOptions } from "./up.ts";
import type { VersionsOptions } from "./versions.ts";

/** A number is the exit code; anything else means 0. */
type Work = (run: Run, command: Command) => Promise<unknown>;

export interface ProgramOptions {
  /** Called once it is known whether a person or a program reads. */
  readonly begin: (json: boolean) => Run;
  readonly interrupts: Interrupts;
  readonly finish: (exitCode: number) => void;
}

const EXAMPLES = `
Examples:
  toolpool init                                      write a configuration to begin with
  toolpool import                                    bring the servers that other programs have configured
  toolpool up                                        start the daemon, or see where it listens
  toolpool connect demo_alpha                        connect a server of the configuration
  toolpool tools                                     the tools that are published now
  toolpool call mcp__demo_alpha__lookup '{"query":"x"}'
  toolpool run --prompt "What is in this repository?"
  toolpool diff 3 7 --json                           for programs: JSON on stdout

Exit codes: 0 done, 1 the work failed, 2 usage or configuration, 3 no daemon, 130 interrupted.
Environment: TOOLPOOL_STATE, TOOLPOOL_CONFIG, NO_COLOR, TOOLPOOL_DEBUG=1; for run: OPENAI_API_KEY, OPENAI_BASE_URL,
OPENAI_MODEL, OPENAI_API.`;

export function buildProgram({ begin, interrupts, finish }: ProgramOptions): Command {
  const program = new Command("toolpool")
    .description("One pool of MCP servers and their tools for everything on this machine")
    .version(PROGRAM.version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    // `toolpool tools --version 3` is about the registry, `toolpool --version` about the program.
    .enablePositionalOptions()
    .addHelpText("after", EXAMPLES)
    .option("--json", "JSON on stdout, for programs")
    // The command says what went wrong by throwing; the one place that prints it is command-line.ts.
    .exitOverride()
    .configureOutput({ outputError: () => undefined });

  const add = (usage: string, about: string, work: Work): Command => {
    const command = program.command(usage).description(about).option("--json", "JSON on stdout, for programs");
    return command.action(async () => {
      const { json } = command.optsWithGlobals<{ json?: boolean }>();
      const end = await work(begin(json === true), command);
      finish(typeof end === "number" ? end : 0);
    });
  };

  add("up", "start the daemon, or find the one that runs, and say where it listens", async (run, command) => {
    const { up, upInForeground } = await import("./up.ts");
    const options = command.opts<UpOptions & { launchd?: string }>();
    const { launchd } = options;
    if (launchd !== undefined) return (await import("./launchd-start.ts")).upForLaunchd(run, { ...options, launchd }, interrupts);
    return options.foreground === true ? upInForeground(run, options, interrupts) : up(run, options);
  })
    .option("--foreground", "stay in the foreground and show the daemon's log")
    .option("--port <n>", "TCP port on 127.0.0.1; 0 picks a free one (default 7420)", portNumber)
    .option("--config <file>", "the configuration file (default $TOOLPOOL_CONFIG)")
    .addOption(
      new Option("--launchd <file>", "as the launchd agent: variables from this file, no end that starts it again").hideHelp(),
    )
    .addHelpText("after", "\nExamples:\n  toolpool up\n  toolpool up --port 0 --config ./toolpool.json");

  add("down", "close every server and stop the daemon", async (run) => (await import("./down.ts")).down(run));
  add("status", "the daemon, its servers, its sessions (exit code 3: not running)", async (run, command) =>
    (await import("./status.ts")).status(run, command.opts<StatusOptions>()),
  )
    .option("-w, --watch", "draw it again as things change; q or Ctrl-C ends")
    .option("--interval <ms>", "with --watch: read anew what no version tells (default 2000)", wholeNumber);

  add("logs", "the end of the daemon's log", async (run, command) =>
    (await import("./logs.ts")).logs(run, command.opts<LogsOptions>()),
  )
    .option("-f, --follow", "go on showing what is written")
    .option("-n, --lines <n>", "how many lines (default 100)", wholeNumber);

  add("servers [alias]", "the servers of the configuration; one of them in full", async (run, { args }) =>
    (await import("./servers.ts")).servers(run, args[0]),
  );
  add("connect <alias>", "connect a server; the pool holds it until disconnect", async (run, { args }) =>
    (await import("./connect.ts")).connect(run, args[0] ?? "", "connect"),
  );
  add("disconnect <alias>", "end the pool's hold on a server", async (run, { args }) =>
    (await import("./connect.ts")).disconnect(run, args[0] ?? ""),
  );
  add("restart <alias>", "stop a server and start it again", async (run, { args }) =>
    (await import("./connect.ts")).connect(run, args[0] ?? "", "restart"),
  );

  add("tools", "the exposed tools, now or at a version", async (run, command) =>
    (await import("./tools.ts")).tools(run, command.opts<{ version?: number }>().version),
  ).option("--version <n>", "at this registry version", wholeNumber);

  add("versions", "the registry's versions, newest first", async (run, command) =>
    (await import("./versions.ts")).versions(run, command.opts<VersionsOptions>()),
  )
    .option("--since <n>", "only versions above this one", wholeNumber)
    .option("--limit <n>", "at most so many (default 100)", wholeNumber);

  add("diff <from> <to>", "which tools differ between two versions", async (run, { args }) =>
    (await import("./versions.ts")).diff(run, wholeNumber(args[0] ?? ""), wholeNumber(args[1] ?? "")),
  );

  add("calls", "the calls of the journal, newest first, refused ones too", async (run, command) =>
    (await import("./calls.ts")).calls(run, command.opts<CallsOptions>()),
  )
    .option("--session <id>", "only of this session")
    .option("--tool <name>", "only of this tool")
    .addOption(new Option("--status <status>", "only with this status").choices(["started", "ok", "error"]))
    .option("--before <id>", "only records older than this one", wholeNumber)
    .option("--limit <n>", "at most so many (default 20)", wholeNumber);

  add("watch", "follow the registry, one line a version", async (run, command) =>
    (await import("./versions.ts")).watch(run, command.opts<{ since?: number }>().since),
  ).option("--since <n>", "begin after this version (default: the current one)", wholeNumber);

  add("call <tool> [json]", "call one tool; - reads the arguments from stdin", async (run, command) =>
    (await import("./call.ts")).call(run, command.args[0] ?? "", command.args[1], command.opts<CallOptions>()),
  )
    .option("--version <n>", "tag the call with this registry version", wholeNumber)
    .option("--timeout <ms>", "give up after this time", wholeNumber)
    .option("-y, --yes", "allow it where the local policy asks")
    .addHelpText(
      "after",
      `\nExamples:\n  toolpool call mcp__demo_alpha__lookup '{"query":"x"}'\n  echo '{"query":"x"}' | toolpool call mcp__demo_alpha__lookup - --json`,
    );

  add("run", "one agent run with the Lead loop", async (run, command) =>
    (await import("./run.ts")).run(run, command.opts<RunOptions>()),
  )
    .requiredOption("--prompt <text>", "what the agent is to do")
    .option("--cwd <dir>", "where it works: the root of a Git repository (default: here)")
    .addOption(new Option("--approve <how>", "what to do with calls that need approval").choices(["ask", "allow", "deny"]))
    .addHelpText("after", `\nExamples:\n  toolpool run --prompt "What does this repository do?" --approve deny`);

  add("service", "the daemon as a service of the user: systemd (Linux), launchd (macOS)", async (run, command) =>
    (await import("./autostart.ts")).service(run, command.args[0] ?? "", command.opts<ServiceOptions>()),
  )
    .addArgument(new Argument("<action>", "what to do").choices(["install", "uninstall", "status"]))
    .option("--print", "install: only show the file")
    .option("--force", "install: also over a file that it did not write")
    .option("--config <file>", "install: the configuration file (default $TOOLPOOL_CONFIG)")
    .option("--port <n>", "install: TCP port on 127.0.0.1; 0 picks a free one (default 7420)", portNumber)
    .addHelpText("after", "\nExamples:\n  toolpool service install --print\n  toolpool service status");

  add("completion", "the script that lets a shell complete commands, options, aliases and tools", async (run, { args }) =>
    (await import("./completion.ts")).completion(run, args[0] ?? ""),
  )
    .addArgument(new Argument("<shell>", "whose script").choices(["bash", "zsh", "fish"]))
    .addHelpText("after", "\nExamples:\n  source <(toolpool completion bash)\n  toolpool completion fish | source");

  add("reload", "read the configuration file again; only changed servers are touched", async (run) =>
    (await import("./reload.ts")).reload(run),
  );

  add("review [alias]", "look at a server's tools in quarantine, and decide what each may do", async (run, command) => {
    const { review } = await import("./review.ts");
    return review(run, command.args[0], command.opts<ReviewOptions>());
  })
    .option("-y, --yes", "start it and write without asking; the effects come from --policy or from the policy in force")
    .option("--policy <file>", "take the effects from this file")
    .option("--all", "every server of the configuration, not only those that are due")
    .addHelpText(
      "after",
      "\nExamples:\n  toolpool review\n  toolpool review memory\n  toolpool review memory --yes --policy memory.policy.json",
    );

  add("init", "write a configuration to begin with: two demo servers, everything explained", async (run, command) =>
    (await import("./init.ts")).init(run, command.opts<InitOptions>()),
  ).option("--config <file>", "the file to write (default $TOOLPOOL_CONFIG)");

  add("import", "add servers that other programs have configured; nothing is started", async (run, command) =>
    (await import("./import.ts")).importServers(run, command.opts<ImportOptions>()),
  )
    .option("--from <hosts>", "only of these: claude-code, claude-desktop, cursor, vscode, codex, gemini-cli, …", listed)
    .option("--file <file>", "a file of any of their shapes", gathered)
    .option("--config <file>", "the configuration to add to (default $TOOLPOOL_CONFIG)")
    .option("--all", "add all that can be added and are not turned off there")
    .option("--only <names>", "add these: name, host:name or host/scope:name", listed)
    .option("--as <renames>", "other aliases: name=alias,…", listed)
    .option("--dry-run", "write nothing")
    .option("--inline-secrets", "keep secrets in the configuration instead of in variables")
    .addHelpText(
      "after",
      "\nExamples:\n  toolpool import\n  toolpool import --from cursor,vscode --all --dry-run\n  toolpool import --only cursor:memory --as cursor:memory=notes",
    );

  add("check [file]", "validate a configuration without starting anything", async (run, { args }) =>
    (await import("./check.ts")).check(run, args[0]),
  );

  add("doctor", "look at the whole workstation: what is wrong, and the command that mends it", async (run, command) =>
    (await import("./doctor.ts")).doctor(run, command.opts<DoctorOptions>()),
  )
    .option("--fix", "do what is safe: modes, and what a dead daemon or writer left")
    .option("--start", "try every reviewed server that is not connected")
    .addHelpText("after", "\nExamples:\n  toolpool doctor\n  toolpool doctor --fix\n  toolpool doctor --start --json");
  return program;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError(`"${text}" is not a whole number.`);
  return value;
}

/** `a,b`, also given several times. */
function listed(text: string, before: readonly string[] = []): readonly string[] {
  const words = text.split(",").map((word) => word.trim());
  return [...before, ...words.filter((word) => word !== "")];
}

function gathered(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return port;
}
