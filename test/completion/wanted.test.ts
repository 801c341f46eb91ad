// What is offered where: the program's own definition read by the completion, without a shell.
import { Argument, Command, Option } from "commander";
import { expect } from "vitest";
import { Interrupts } from "../../client/commands/interrupts.ts";
import { buildProgram } from "../../client/commands/program.ts";
import { wantedAt, type Wanted } from "../../client/completion/wanted.ts";
import { proves } from "../support/promise.ts";

function own(): Command {
  const interrupts = new Interrupts(() => undefined);
  interrupts.release();
  const begin = (): never => {
    throw new Error("nothing is run here");
  };
  return buildProgram({ begin, interrupts, finish: () => undefined });
}

function shown(program: Command, ...words: string[]): string | readonly string[] {
  const wanted: Wanted = wantedAt(program, words);
  return wanted.kind === "words" ? wanted.candidates.map(({ value }) => `${wanted.before}${value}`) : wanted.kind;
}

proves("CMP-1", "every command that the help shows is offered, with its sentence, and nothing that is hidden", () => {
  const program = own();
  const wanted = wantedAt(program, [""]);
  if (wanted.kind !== "words") throw new Error(wanted.kind);
  expect(wanted.candidates).toEqual(program.commands.map((one) => ({ value: one.name(), about: one.description() })));
  expect(shown(program, "up", "-")).toEqual(["--json", "--foreground", "--port", "--config", "--help"]);
  expect(shown(program, "--")).toContain("--version");
});

proves("CMP-1", "an argument is offered what its name says, in the place where it stands", () => {
  const program = own();
  for (const command of ["connect", "disconnect", "restart", "servers"]) expect(shown(program, command, "")).toBe("aliases");
  expect(shown(program, "connect", "alpha", "")).toBe("nothing");
  expect(shown(program, "--json", "connect", "a")).toBe("aliases");
  expect(shown(program, "call", "--version", "3", "")).toBe("tools");
  expect(shown(program, "call", "--version=3", "-y", "mcp")).toBe("tools");
  expect(shown(program, "call", "--version", "")).toBe("nothing");
  expect(shown(program, "call", "x", "")).toBe("nothing");
  expect(shown(program, "calls", "--tool", "")).toBe("tools");
  expect(shown(program, "check", "")).toBe("files");
  expect(shown(program, "up", "--config", "")).toBe("files");
  expect(shown(program, "run", "--cwd=x")).toBe("folders");
  expect(shown(program, "service", "")).toEqual(["install", "uninstall", "status"]);
  expect(shown(program, "completion", "z")).toEqual(["bash", "zsh", "fish"]);
});

proves("CMP-1", "choices of options, with and without =; an option that stands already is not offered again", () => {
  const program = own();
  expect(shown(program, "run", "--approve", "")).toEqual(["ask", "allow", "deny"]);
  expect(shown(program, "run", "--approve=a")).toEqual(["--approve=ask", "--approve=allow", "--approve=deny"]);
  expect(shown(program, "calls", "--status", "ok", "--limit", "3", "--")).toEqual([
    "--json",
    "--session",
    "--tool",
    "--before",
    "--help",
  ]);
  expect(shown(program, "run", "--json=x")).toBe("nothing");
  expect(shown(program, "run", "--unknown", "--unknown=", "")).toBe("nothing");
  // Behind -- a dash begins an argument.
  expect(shown(program, "connect", "--", "-")).toBe("aliases");
});

proves("CMP-1", "commands that are yet to come: variadic arguments, aliases of commands, hidden options and commands", () => {
  const program = new Command("p");
  const two = program
    .command("two")
    .alias("zwei")
    .addOption(new Option("--secret").hideHelp())
    .option("-v, --level <n...>", "how");
  two.addArgument(new Argument("<alias...>", ""));
  program.command("old", { hidden: true });
  expect(shown(program, "")).toEqual(["two", "help"]);
  expect(shown(program, "zwei", "a", "b", "")).toBe("aliases");
  expect(shown(program, "two", "-v", "1", "-")).toEqual(["--level", "--help"]);
});
