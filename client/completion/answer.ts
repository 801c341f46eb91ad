// `toolpool __complete -- <words>`: what the shells' scripts ask at a press of TAB. One candidate a line, `value<TAB>about`; a line
// that starts with `:` leaves paths to the shell. Whatever happens, nothing goes to stderr and the exit code is 0.
import type { Command } from "commander";
import type { Surroundings } from "../commands/surroundings.ts";
import type { Terminal } from "../output/screen.ts";
import { visible } from "../output/visible.ts";
import { aliases, tools } from "./names.ts";
import { wantedAt, type Candidate, type Wanted } from "./wanted.ts";

/** `words` as they came, the first one is `--`. */
export async function answerCompletion(
  program: Command,
  words: readonly string[],
  world: Surroundings,
  stdout: Terminal,
): Promise<void> {
  try {
    const asked = words[0] === "--" ? words.slice(1) : words;
    const wanted = wantedAt(program, asked);
    const writing = (asked.at(-1) ?? "").slice(wanted.before.length);
    const lines = await linesFor(wanted, writing, world);
    if (lines.length > 0) stdout.write(`${lines.join("\n")}\n`);
  } catch {
    // No candidate is all that a prompt can take.
  }
}

async function linesFor(wanted: Wanted, writing: string, world: Surroundings): Promise<readonly string[]> {
  switch (wanted.kind) {
    case "nothing":
      return [];
    case "files":
    case "folders":
      return [`:${wanted.kind}`];
    case "words":
      return listed(wanted.candidates, wanted.before, writing);
    case "aliases":
      return listed(await aliases(world), wanted.before, writing);
    case "tools":
      return listed(await tools(world), wanted.before, writing);
  }
}

function listed(candidates: readonly Candidate[], before: string, writing: string): readonly string[] {
  return candidates
    .filter(({ value }) => value.startsWith(writing))
    .map(({ value, about }) => visible(`${before}${value}`) + (about === "" ? "" : `\t${visible(about)}`));
}
