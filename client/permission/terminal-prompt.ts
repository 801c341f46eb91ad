// The question at the terminal: who wants to call what, what it may do, and with which arguments, with every character that
// could hide or move something made visible. Without a terminal on both sides nobody is asked and the answer is no.
import { createInterface } from "node:readline/promises";
import { assertNever } from "../../daemon/contract/index.ts";
import { indentJson } from "../output/json-text.ts";
import { visible, visibleLines } from "../output/visible.ts";
import { nobody, type Answer, type PermissionPrompt, type Question } from "./permission.ts";
import type { CallSource } from "./rules.ts";

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Ctrl-C while the question stands: in raw mode it is a key and no signal. */
  readonly onInterrupt: () => void;
}

export function terminalPrompt(streams: TerminalStreams): PermissionPrompt {
  if (streams.input.isTTY !== true || streams.output.isTTY !== true) return nobody;
  return { name: "terminal", ask: (question, signal) => askAtTerminal(streams, question, signal) };
}

const CHOICES = "Allow? [y] once  [a] always for this tool in this run  [n] no: ";
/** Longer arguments are shown up to here, and how much is missing is said. */
const MOST_SHOWN = 20_000;

async function askAtTerminal(
  { input, output, onInterrupt }: TerminalStreams,
  question: Question,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const lines = createInterface({ input, output, prompt: CHOICES });
  // Ends the reading below, as the end of the input does.
  const onAbort = (): void => lines.close();
  signal.addEventListener("abort", onAbort, { once: true });
  lines.on("SIGINT", onInterrupt);
  try {
    output.write(`\n${describeQuestion(question)}\n`);
    lines.prompt();
    for await (const said of lines) {
      const answer = readAnswer(said);
      if (answer !== undefined) return answer;
      lines.prompt();
    }
    signal.throwIfAborted();
    return "deny";
  } finally {
    signal.removeEventListener("abort", onAbort);
    lines.close();
  }
}

export function describeQuestion({ agent, tool, source, effect, argumentsText }: Question): string {
  const laidOut = visibleLines(indentJson(argumentsText));
  const missing = laidOut.length - MOST_SHOWN;
  const shown = missing > 0 ? `${laidOut.slice(0, MOST_SHOWN)}\n… ${String(missing)} more characters are not shown` : laidOut;
  const indented = shown.replaceAll("\n", "\n    ");
  return `${visible(agent)} wants to call ${visible(tool)}  (${effect}, ${origin(source)})\n    ${indented}`;
}

function origin(source: CallSource): string {
  switch (source.kind) {
    case "mcp":
      return `server ${source.alias}`;
    case "management":
      return "the pool itself";
    case "builtin":
      return "built in";
    default:
      return assertNever(source);
  }
}

/** Undefined: not understood, ask again. */
function readAnswer(said: string): Answer | undefined {
  const word = said.trim().toLowerCase();
  if (["y", "yes", "once"].includes(word)) return "once";
  if (["a", "always"].includes(word)) return "always";
  if (["", "n", "no"].includes(word)) return "deny";
  return undefined;
}
