// A program under a real pseudo-terminal (`script` of util-linux makes it), and what a person would see of it: an emulator reads
// every byte and keeps the screen. `type` presses keys; `until` waits for what the screen shows, never for time.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { promisify } from "node:util";
import xterm from "@xterm/headless";

export const KEYS = Object.freeze({
  up: "\u001b[A",
  down: "\u001b[B",
  enter: "\r",
  escape: "\u001b",
  space: " ",
  backspace: "\u007f",
  ctrlC: "\u0003",
});

export interface TerminalOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
}

export class TestTerminal {
  readonly #child: ChildProcess;
  readonly #screen: InstanceType<typeof xterm.Terminal>;
  readonly #watchers = new Set<() => void>();
  #raw = "";
  /** The program's exit code, when it has ended and everything it wrote is on the screen. */
  readonly ended: Promise<number | null>;
  #over = false;

  /** `words`: the program and its arguments. */
  constructor(words: readonly string[], { env = process.env, cwd, columns = 100, rows = 30 }: TerminalOptions = {}) {
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5_000 });
    const command = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const size = `stty cols ${String(columns)} rows ${String(rows)}`;
    this.#child = spawn("script", ["-qfec", `${size}; exec ${command}`, "/dev/null"], {
      env: { ...env, SHELL: "/bin/sh", TERM: "xterm-256color" },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child.stdin?.on("error", () => undefined);
    this.#child.stdout?.on("data", (bytes: Buffer) => {
      this.#raw += bytes.toString("latin1");
      this.#screen.write(bytes, () => this.#wake());
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("close", (code) => {
        this.#screen.write("", () => {
          this.#over = true;
          resolve(code);
          this.#wake();
        });
      });
    });
  }

  type(...keys: readonly string[]): void {
    for (const key of keys) this.#child.stdin?.write(key);
  }

  /** Everything the terminal shows, with what has scrolled away, right ends trimmed. */
  get text(): string {
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  /** The lines that are visible now. */
  get screen(): string {
    const { active } = this.#screen.buffer;
    const lines = Array.from(
      { length: this.#screen.rows },
      (_, at) => active.getLine(active.baseY + at)?.translateToString(true) ?? "",
    );
    return lines.join("\n").trimEnd();
  }

  /** Every byte that came, for what a screen does not keep: colours, clearing. */
  get raw(): string {
    return this.#raw;
  }

  /** Resolves once the text of the terminal matches; rejects when the program ends first. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) {
      if (this.#over) throw new Error(`ended without ${String(pattern)}:\n${this.text}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** As if the person had drawn the window larger or smaller: the program is told by SIGWINCH. */
  async resize(columns: number, rows: number): Promise<void> {
    const children = `/proc/${String(this.#child.pid)}/task/${String(this.#child.pid)}/children`;
    const [program = ""] = readFileSync(children, "utf8").trim().split(" ");
    this.#screen.resize(columns, rows);
    const tty = readlinkSync(`/proc/${program}/fd/0`);
    await promisify(execFile)("stty", ["-F", tty, "cols", String(columns), "rows", String(rows)]);
  }

  /** Ends what still runs. */
  async close(): Promise<void> {
    this.#child.stdin?.destroy();
    if (!this.#over) this.#child.kill("SIGTERM");
    await this.ended;
    this.#screen.dispose();
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}
