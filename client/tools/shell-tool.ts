// The built-in shell: one command in its own process group, with a time limit and bounded output. Whatever is left of the group
// when the command ends, is cancelled, or runs out of time is ended too: nothing goes on running behind the agent's back. It is
// not confined: that is why its effect is `external` and every call is asked about.
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { defineTool, text, ToolProblem, wholeNumber, type BuiltInTool } from "./built-in.ts";
import { BoundedText } from "./bounded-text.ts";
import type { Workspace } from "./workspace.ts";

export interface ShellLimits {
  readonly timeoutMs: number;
  /** Between SIGTERM and SIGKILL (ms). */
  readonly graceMs: number;
  /** Characters of output that are kept: half from the beginning, half from the end. */
  readonly output: number;
}

export const SHELL_LIMITS: ShellLimits = Object.freeze({ timeoutMs: 60_000, graceMs: 2_000, output: 32_768 });
const LONGEST_MS = 600_000;

type Stop = "time" | "abort";

export function shellTool(workspace: Workspace, env: NodeJS.ProcessEnv, limits: ShellLimits = SHELL_LIMITS): BuiltInTool {
  return defineTool({
    name: "shell",
    description: "Runs a command with /bin/sh in the working directory and shows its output and exit code. No input.",
    effect: "external",
    parameters: {
      command: text("The command line."),
      timeoutMs: wholeNumber("Time limit in milliseconds.", { minimum: 1, maximum: LONGEST_MS, absent: limits.timeoutMs }),
    },
    run: async ({ command, timeoutMs }, { signal }) => {
      signal.throwIfAborted();
      const child = spawn("/bin/sh", ["-c", command], {
        cwd: workspace.root,
        env: withoutKeys(env),
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { output, how, stop } = await supervise(child, timeoutMs, limits, signal);
      signal.throwIfAborted();
      if (stop === "time") {
        throw new ToolProblem("timeout", `The command was ended after ${String(timeoutMs)} ms`, [output]);
      }
      return `${output === "" ? "[no output]" : output}\n[${how}]`;
    },
  });
}

/** The model's key is not the command's business. */
function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { OPENAI_API_KEY: _, ...rest } = env;
  return rest;
}

interface End {
  readonly output: string;
  readonly how: string;
  readonly stop: Stop | undefined;
}

/** Resolves when the whole group is gone. */
async function supervise(child: ChildProcess, timeoutMs: number, limits: ShellLimits, signal: AbortSignal): Promise<End> {
  const output = new BoundedText(limits.output);
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const drained = Promise.all(streams.map((stream) => drain(stream, output)));
  let stop: Stop | undefined;
  let hard: NodeJS.Timeout | undefined;
  const end = (why: Stop): void => {
    if (stop !== undefined) return;
    stop = why;
    signalGroup(child, "SIGTERM");
    hard = setTimeout(() => signalGroup(child, "SIGKILL"), limits.graceMs);
  };
  const onAbort = (): void => end("abort");
  const timer = setTimeout(() => end("time"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const how = await exit(child);
    // What it started in the background belongs to the group and holds its output open.
    signalGroup(child, "SIGKILL");
    // A process that left the group may hold the output open for ever: it is given the grace time, no more.
    await Promise.race([drained, pause(limits.graceMs, undefined, { ref: false })]);
    return { output: output.text(), how, stop };
  } finally {
    clearTimeout(timer);
    clearTimeout(hard);
    for (const stream of streams) stream.destroy();
    signal.removeEventListener("abort", onAbort);
  }
}

function exit(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, by) => resolve(by === null ? `exit code ${String(code)}` : `ended by ${by}`));
    child.once("error", (error) => reject(new ToolProblem("failed", `The shell could not be started: ${error.message}`)));
  });
}

/** Ends with the stream, whether it ended or broke. */
function drain(stream: Readable, output: BoundedText): Promise<void> {
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => output.add(piece));
  stream.on("error", () => undefined);
  return new Promise((resolve) => stream.once("close", () => resolve()));
}

/** The pid is the group's; the group outlives its leader, and its number is not given away while it does. */
function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group is gone.
  }
}
