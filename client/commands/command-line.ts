// From words to an exit code: what was asked is carried out, and whatever goes wrong is told in one place, as a sentence and
// what to do next (or as one JSON line on stderr for programs). No stack trace without TOOLPOOL_DEBUG=1.
import { CommanderError } from "commander";
import { Screen, type Terminal } from "../output/screen.ts";
import { tell } from "./tell.ts";
import { asFailure, interrupted, usage, type Failure } from "./failure.ts";
import type { Interrupts } from "./interrupts.ts";
import { buildProgram } from "./program.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Streams {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
}

/** What the shells' scripts ask. Not a command of the program: help, documents and completion itself do not know it. */
const COMPLETE = "__complete";

/** `words` are the arguments after the program's name. */
export async function commandLine(
  words: readonly string[],
  surroundings: Surroundings,
  streams: Streams,
  interrupts: Interrupts,
): Promise<number> {
  let exitCode = 0;
  const screenFor = (json: boolean): Screen => new Screen({ ...streams, env: surroundings.env, json });
  const program = buildProgram({
    begin: (json) => ({ ...surroundings, screen: screenFor(json) }),
    interrupts,
    finish: (code) => (exitCode = code),
  });
  if (words[0] === COMPLETE) {
    const { answerCompletion } = await import("../completion/answer.ts");
    await answerCompletion(program, words.slice(1), surroundings, streams.stdout);
    return 0;
  }
  try {
    await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Without a command the help was shown already.
    if (error instanceof CommanderError && error.code === "commander.help") return 2;
    const failure = surroundings.signal.aborted ? interrupted() : failureOf(error, words);
    tell(screenFor(words.includes("--json")), failure, surroundings.env.TOOLPOOL_DEBUG === "1");
    return failure.exitCode;
  }
}

function failureOf(error: unknown, words: readonly string[]): Failure {
  if (!(error instanceof CommanderError)) return asFailure(error);
  const [sentence = "", ...more] = error.message.replace(/^error: /, "").split("\n");
  const command = words.find((word) => !word.startsWith("-"));
  const known = error.code === "commander.unknownCommand" || command === undefined ? "" : ` ${command}`;
  return usage(sentence, `See how it is used: toolpool${known} --help`, more);
}
