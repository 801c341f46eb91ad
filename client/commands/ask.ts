// A yes-or-no question to the person at the terminal. Where nobody sits (no terminal on stdin or stderr) the answer is no, at
// once and without a word on the screen.
import { createInterface } from "node:readline/promises";
import type { Run } from "./surroundings.ts";

export async function ask({ stdin, stderr, signal, interrupt }: Run, question: string): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return false;
  const lines = createInterface({ input: stdin, output: stderr });
  lines.on("SIGINT", interrupt);
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
