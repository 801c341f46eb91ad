// Runs a program of the platform that is found on PATH, without a shell, bounded in time, and returns what came of it. Never throws
// for what the program did; an interrupt ends it and rejects.
import { execFile } from "node:child_process";

export type Ran =
  | { readonly kind: "ended"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "missing" };

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** A stop may take as long as the unit's own limit (90 s). */
const TIMEOUT_MS = 120_000;

export type RunProgram = (program: string, args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<Ran>;

export function programsOf({ env, signal, timeoutMs = TIMEOUT_MS }: RunOptions): RunProgram {
  return (program, args, more = {}) =>
    new Promise((settle, reject) => {
      // No pager, no colours, no translated words.
      const plain = { SYSTEMD_PAGER: "", SYSTEMD_COLORS: "0", LC_ALL: "C.UTF-8" };
      const options = { env: { ...env, ...plain, ...more }, signal, timeout: timeoutMs, cwd: "/" };
      const child = execFile(program, [...args], options, (error, stdout, stderr) => {
        if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error("interrupted"));
        else if (error?.code === "ENOENT") settle({ kind: "missing" });
        else if (error === null) settle({ kind: "ended", code: 0, stdout, stderr });
        else
          settle({
            kind: "ended",
            code: typeof error.code === "number" ? error.code : 1,
            stdout,
            stderr: stderr || error.message,
          });
      });
      child.stdin?.end();
    });
}
