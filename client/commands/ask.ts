// A yes-or-no question to the person at the terminal. Where nobody sits (no terminal on stdin or stderr) the answer is no, at
// once and without a word on the screen.
import { createInterface } from "node:readline/promises";

export interface AskOptions {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  readonly interrupt: () => void;
}

export async function ask({ stdin, stderr, signal, interrupt }: AskOptions, question: string): Promise<boolean> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return false;
  const lines = createInterface({ input: stdin, output: stderr });
  lines.on("SIGINT", interrupt);
  try {
    // When the input ends (Ctrl-D), readline leaves the question open for ever.
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
