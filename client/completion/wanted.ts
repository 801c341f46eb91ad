// What may stand where the cursor is: computed from the program's own definition, so that it cannot go stale. Pure. Names that
// only the pool or the configuration knows, and paths that only the shell knows, are named by their kind.
import type { Argument, Command, Option } from "commander";

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

export type Wanted = {
  /** Of every candidate's value: what stands before it in the same word, as in `--approve=`. */
  readonly before: string;
} & (
  | { readonly kind: "words"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "aliases" | "tools" | "files" | "folders" | "nothing" }
);

type Value = Exclude<Wanted["kind"], "words" | "nothing">;

/** `words` are those behind the program's name; the last one is being written and may be empty. */
export function wantedAt(program: Command, words: readonly string[]): Wanted {
  const writing = words.at(-1) ?? "";
  const line = readLine(program, words.slice(0, -1));
  const { command, pending, onlyArguments, position } = line;
  if (pending !== undefined) return optionValue(pending, "");
  if (!onlyArguments && writing.startsWith("-")) {
    const at = writing.indexOf("=");
    if (at < 0) return { kind: "words", before: "", candidates: optionsOf(line) };
    const option = findOption(line, writing.slice(0, at));
    return option === undefined || !takesValue(option)
      ? { kind: "nothing", before: "" }
      : optionValue(option, writing.slice(0, at + 1));
  }
  if (command === program) return { kind: "words", before: "", candidates: commandsOf(program) };
  const argument = command.registeredArguments[position] ?? lastVariadic(command);
  return argument === undefined ? { kind: "nothing", before: "" } : argumentValue(argument);
}

interface Line {
  readonly program: Command;
  readonly command: Command;
  /** The option whose value the word being written is. */
  readonly pending: Option | undefined;
  readonly onlyArguments: boolean;
  /** How many arguments of the command stand already. */
  readonly position: number;
  readonly used: ReadonlySet<Option>;
}

function readLine(program: Command, words: readonly string[]): Line {
  let command = program;
  let pending: Option | undefined;
  let onlyArguments = false;
  let position = 0;
  const used = new Set<Option>();
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (!onlyArguments && word === "--") {
      onlyArguments = true;
    } else if (!onlyArguments && word.startsWith("-") && word !== "-") {
      const [name = ""] = word.split("=", 1);
      const option = findOption({ program, command }, name);
      if (option === undefined) continue;
      used.add(option);
      if (takesValue(option) && name === word) pending = option;
    } else if (command === program) {
      command = program.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? command;
    } else position += 1;
  }
  return { program, command, pending, onlyArguments, position, used };
}

const takesValue = ({ required }: Option): boolean => required;

function findOption({ program, command }: Pick<Line, "program" | "command">, name: string): Option | undefined {
  return [command, program].flatMap(({ options }) => options).find(({ long, short }) => name === long || name === short);
}

function optionsOf({ command, used }: Line): readonly Candidate[] {
  const shown = command.createHelp().visibleOptions(command);
  return shown
    .filter((option) => option.variadic || !used.has(option))
    .flatMap(({ long, short, description }) => ((long ?? short) ? [{ value: long ?? short ?? "", about: description }] : []));
}

function commandsOf(program: Command): readonly Candidate[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .map((one) => ({ value: one.name(), about: one.description() }));
}

const lastVariadic = ({ registeredArguments }: Command): Argument | undefined => {
  const last = registeredArguments.at(-1);
  return last?.variadic === true ? last : undefined;
};

const choices = (values: readonly string[], before: string): Wanted => ({
  kind: "words",
  before,
  candidates: values.map((value) => ({ value, about: "" })),
});

/** By what the usage calls it: `<file>` is a file wherever it stands. */
const KINDS: Readonly<Record<string, Value>> = { alias: "aliases", tool: "tools", file: "files", dir: "folders" };

function argumentValue(argument: Argument): Wanted {
  if (argument.argChoices !== undefined) return choices(argument.argChoices, "");
  return { kind: KINDS[argument.name()] ?? "nothing", before: "" };
}

function optionValue(option: Option, before: string): Wanted {
  if (option.argChoices !== undefined) return choices(option.argChoices, before);
  if (option.attributeName() === "tool") return { kind: "tools", before };
  const placeholder = /[<[](\w+)/.exec(option.flags)?.[1] ?? "";
  return { kind: KINDS[placeholder] ?? "nothing", before };
}
