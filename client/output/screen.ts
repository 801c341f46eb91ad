// Where a command writes: its result to stdout, everything about it to stderr. Knows whether a person or a program reads, and
// keeps colours and moving lines away from programs.
import { coloursFor, type Colours } from "./colours.ts";
import { indentJson } from "./json-text.ts";
import { renderTable, type Cell, type Column } from "./table.ts";
import { visibleLines } from "./visible.ts";

export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  /** At every change of `columns` or `rows`. */
  on?(event: "resize", listener: () => void): unknown;
  off?(event: "resize", listener: () => void): unknown;
}

export interface ScreenOptions {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** The reader is a program: stdout carries JSON text only. */
  readonly json: boolean;
}

export class Screen {
  readonly json: boolean;
  /** For stdout. */
  readonly colours: Colours;
  /** For stderr. */
  readonly noteColours: Colours;
  readonly #stdout: Terminal;
  readonly #stderr: Terminal;
  readonly #plain: boolean;
  #moving = false;

  constructor({ stdout, stderr, env, json }: ScreenOptions) {
    this.json = json;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#plain = env.TERM === "dumb";
    this.colours = coloursFor(stdout, env);
    this.noteColours = coloursFor(stderr, env);
  }

  get width(): number {
    return this.#stdout.isTTY === true ? (this.#stdout.columns ?? 80) : Number.MAX_SAFE_INTEGER;
  }

  /** Where lines can be drawn in place: a terminal with a person before it. */
  get terminal(): Terminal | undefined {
    return this.#stdout.isTTY === true && !this.json && !this.#plain ? this.#stdout : undefined;
  }

  line(text = ""): void {
    this.#still();
    this.#stdout.write(`${text}\n`);
  }

  table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): void {
    this.line(renderTable(columns, rows, this));
  }

  /** JSON text: as it is for a program and into a pipe, laid out and made visible for a person. */
  jsonText(text: string): void {
    this.line(this.json || this.#stdout.isTTY !== true ? text : visibleLines(indentJson(text)));
  }

  /** Text that somebody else wrote: as it is into a pipe, made visible for a person. */
  text(text: string): void {
    this.line(this.#stdout.isTTY === true ? visibleLines(text) : text);
  }

  value(value: unknown): void {
    this.jsonText(JSON.stringify(value));
  }

  note(text: string): void {
    this.#still();
    this.#stderr.write(`${text}\n`);
  }

  /** A line that the next one replaces; only where somebody can see it move. */
  moving(text: string): void {
    if (this.#stderr.isTTY !== true || this.json) return;
    this.#stderr.write(`\r\u001b[2K${text}`);
    this.#moving = true;
  }

  #still(): void {
    if (this.#moving) this.#stderr.write("\r\u001b[2K");
    this.#moving = false;
  }

  /** Takes a moving line away. */
  settle(): void {
    this.#still();
  }
}
