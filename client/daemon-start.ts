// Starts one daemon process and waits for the one thing it says: ready, or why not. Until then the process is ours, and
// giving up ends it; once it is ready it is on its own and outlives us.
import { spawn, type ChildProcess } from "node:child_process";
import { isJsonObject, type Discovery } from "../daemon/contract/index.ts";
import { asError } from "./exchange.ts";
import { isDiscovery } from "./probe.ts";

/** Of a process. In our own words, because it is part of the published types, which need none of Node's. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface DaemonProgram {
  /** Path of the daemon's program file. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Environment;
}

export type StartEnd =
  | { readonly kind: "ready"; readonly discovery: Discovery }
  | { readonly kind: "failed"; readonly exitCode: number; readonly code: string; readonly message: string }
  /** It ended without a word. */
  | { readonly kind: "died"; readonly how: string };

/** How long an unready daemon may take to end itself (ms). */
const STOP_MS = 5_000;

/** An abort ends the process, waits until it is gone, and rejects with the signal's reason. */
export async function startDaemon(program: DaemonProgram, signal: AbortSignal): Promise<StartEnd> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [program.file, ...program.args], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: program.env,
    // It must not keep the folder busy in which somebody happened to start it.
    cwd: "/",
  });
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, by) => resolve(by === null ? `exit code ${String(code)}` : `signal ${by}`));
    child.once("error", (error) => resolve(error.message));
  });
  try {
    const word = await firstWord(child, ended, signal);
    if (word.kind !== "ready") await ended;
    return word;
  } catch (error) {
    await end(child, ended);
    throw error;
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/** It never said it is ready, so nobody else knows it: it may be ended the hard way when it does not listen. */
async function end(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill("SIGTERM");
  const hard = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(hard);
}

function firstWord(child: ChildProcess, ended: Promise<string>, signal: AbortSignal): Promise<StartEnd> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(asError(signal.reason));
    const done = (end: StartEnd): void => {
      signal.removeEventListener("abort", onAbort);
      resolve(end);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    child.on("message", (message) => {
      const end = readReport(message);
      if (end !== undefined) done(end);
    });
    // The report may still be in the channel when the exit is noticed: the channel's end comes after it.
    void ended.then((how) => {
      if (child.connected) child.once("disconnect", () => done({ kind: "died", how }));
      else done({ kind: "died", how });
    });
  });
}

export function readReport(message: unknown): StartEnd | undefined {
  if (!isJsonObject(message)) return undefined;
  if (isDiscovery(message.ready)) return { kind: "ready", discovery: message.ready };
  const { failed } = message;
  if (!isJsonObject(failed)) return undefined;
  const code = typeof failed.code === "string" ? failed.code : "fault";
  const exitCode = typeof failed.exitCode === "number" ? failed.exitCode : 3;
  return { kind: "failed", exitCode, code, message: typeof failed.message === "string" ? failed.message : "it did not say why" };
}
