// Real shells for the tests: a folder with `toolpool` first on PATH, and a person who types a line and presses TAB in an interactive
// shell under a pseudo-terminal (`script`).
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TOOLPOOL, type Workplace } from "../commands/toolpool.ts";

export const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

export function shellEnv(place: Workplace): Record<string, string> {
  const bin = join(place.folder, "bin");
  mkdirSync(bin, { recursive: true });
  const program = join(bin, "toolpool");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${TOOLPOOL}' "$@"\n`);
  chmodSync(program, 0o755);
  return {
    PATH: `${bin}:${process.env.PATH ?? ""}`,
    HOME: place.folder,
    XDG_CONFIG_HOME: join(place.folder, ".config"),
    XDG_DATA_HOME: join(place.folder, ".data"),
    TOOLPOOL_STATE: place.state,
    TOOLPOOL_CONFIG: place.configFile,
    TERM: "xterm",
    LC_ALL: "C.UTF-8",
  };
}

/** A shell that runs a script to its end. */
export function runs(place: Workplace, words: readonly string[], input = ""): string {
  const [program = "", ...rest] = words;
  const { stdout, stderr, status } = spawnSync(program, rest, {
    env: shellEnv(place),
    cwd: place.folder,
    input,
    encoding: "utf8",
  });
  if (status !== 0 || stderr !== "") throw new Error(`${program} ended with ${String(status)}: ${stdout}${stderr}`);
  return stdout;
}

export interface Typed {
  /** Sent as it is. */
  readonly keys: string;
  /** What then stands on the screen, escape sequences taken away. */
  readonly shows: RegExp;
}

/** Types one after the other, each when the one before has been answered. Rejects with the screen when the shell ends early. */
export async function types(place: Workplace, shell: string, steps: readonly Typed[]): Promise<string> {
  const options = { env: shellEnv(place), cwd: place.folder };
  const child = spawn("script", ["-qec", shell, "/dev/null"], options);
  let screen = "";
  let wake = (): void => undefined;
  const over = new AbortController();
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
    wake();
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => {
      over.abort();
      wake();
      resolve();
    });
  });
  let all = "";
  // A screen that never shows it is told, with what it shows instead.
  const late = setTimeout(() => {
    over.abort();
    wake();
  }, 20_000);
  try {
    for (const { keys, shows } of steps) {
      all += screen;
      screen = "";
      child.stdin.write(keys);
      while (!shows.test(plain(screen))) {
        if (over.signal.aborted)
          throw new Error(`${shell} never showed ${String(shows)}: ${JSON.stringify(plain(all + screen))}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
    return plain(all + screen);
  } finally {
    clearTimeout(late);
    // The terminal goes away with it, and the shell with the terminal.
    child.kill("SIGKILL");
    await ended;
  }
}

/** Without colours and movements of the cursor. */
const plain = (text: string): string =>
  text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]|\u001b[=>]|[^\n]\u0008/g, "").replaceAll("\r", "");
