// The person's answers, line by line, at a terminal or through a pipe: one reader for the whole review, as a second reader of one
// pipe would miss what the first has read ahead. The end of the input is an answer too: undefined.
import { createInterface, type Interface } from "node:readline";

export interface AnswerStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** Ctrl-C while a question stands: in raw mode it is a key and no signal. */
  readonly interrupt: () => void;
}

export class Answers {
  readonly #streams: AnswerStreams;
  #lines: Interface | undefined;
  readonly #read: string[] = [];
  #ended = false;
  #unanswered = false;
  #wake: () => void = () => undefined;

  constructor(streams: AnswerStreams) {
    this.#streams = streams;
  }

  /** A person sits at a terminal that can draw. */
  get atTerminal(): boolean {
    const { stdin, stderr } = this.#streams;
    return stdin.isTTY && stderr.isTTY;
  }

  /** Rejects with the signal's reason when it aborts. */
  async ask(question: string): Promise<string | undefined> {
    const { stderr, signal } = this.#streams;
    signal.throwIfAborted();
    this.#open();
    stderr.write(question);
    const onAbort = (): void => this.#wake();
    signal.addEventListener("abort", onAbort);
    try {
      while (this.#read.length === 0 && !this.#ended && !signal.aborted) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
    signal.throwIfAborted();
    const answer = this.#read.shift();
    this.#unanswered = answer === undefined;
    // What was piped in is not on the screen.
    if (!this.#streams.stdin.isTTY) stderr.write(`${answer ?? ""}\n`);
    return answer?.trim();
  }

  /** The last question was answered by the end of the input. */
  get unanswered(): boolean {
    return this.#unanswered;
  }

  /** Undefined at the end of the input. */
  async confirm(question: string): Promise<boolean | undefined> {
    const answer = await this.ask(`${question} [y/N] `);
    return answer === undefined ? undefined : /^y(es)?$/i.test(answer);
  }

  /** Gives the terminal back, for a list that reads keys itself; the next question takes it again. */
  pause(): void {
    if (!this.#streams.stdin.isTTY) return;
    this.#lines?.close();
    this.#lines = undefined;
    this.#ended = false;
  }

  close(): void {
    this.#lines?.close();
    this.#lines = undefined;
  }

  #open(): void {
    if (this.#lines !== undefined || this.#ended) return;
    const { stdin, stderr, interrupt } = this.#streams;
    const lines = createInterface(stdin.isTTY ? { input: stdin, output: stderr } : { input: stdin });
    this.#lines = lines;
    lines.on("SIGINT", interrupt);
    lines.on("line", (line) => {
      this.#read.push(line);
      this.#wake();
    });
    lines.once("close", () => {
      if (this.#lines !== lines) return;
      this.#ended = true;
      this.#wake();
    });
  }
}
