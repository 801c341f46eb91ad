// What the operating system knows of processes, ports and files: the demo's independent witness.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";

/** Empty where the system has no /proc. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, "utf8")
      .replaceAll("\0", " ")
      .trim();
  } catch {
    return "";
  }
}

export interface MarkedProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/** Living processes, children of children too, whose environment holds `mark`. Linux only; elsewhere empty. */
export function processesMarked(mark: string): readonly MarkedProcess[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(name).includes(mark))
    .map((name) => ({ pid: Number(name), commandLine: commandLineOf(Number(name)) }));
}

/** A zombie's is empty. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

export function isListening(
  target: { readonly path: string } | { readonly host: string; readonly port: number },
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(target);
    const done = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}
