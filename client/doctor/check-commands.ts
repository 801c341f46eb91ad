// Whether the programs of the servers are there, where they were looked for, and what a package runner would fetch at each start.
// Commands and folders are shown as they are written: variables unexpanded.
import type { CommandFacts, ConfigurationFacts, Facts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { packageSpec } from "./package-spec.ts";
import { editAt } from "./shell-word.ts";

/** How to get a program that many servers are started with. */
const INSTALL: Readonly<Record<string, string>> = {
  uvx: "pipx install uv",
  uv: "pipx install uv",
  bunx: "npm install --global bun",
  bun: "npm install --global bun",
  pnpm: "npm install --global pnpm",
  pnpx: "npm install --global pnpm",
  yarn: "npm install --global yarn",
  pipx: "python3 -m pip install --user pipx",
};

export function checkCommands(facts: Facts): readonly Finding[] {
  const configuration = seen(facts.configuration);
  const commands = seen(facts.commands);
  if (configuration === undefined || commands === undefined) return [];
  const findings = commands.flatMap((one) => [...program(one, configuration), ...pinned(one, configuration)]);
  const bad = findings.some(({ id }) => id === "command_not_found");
  if (bad || commands.length === 0) return findings;
  return [...findings, ok("command_not_found", configuration.file, "The commands of all servers are found")];
}

function program({ spec, resolved, forDaemon }: CommandFacts, { file, lines }: ConfigurationFacts): readonly Finding[] {
  const { alias, written } = spec;
  const edit = (member: string): string => editAt(file, lines.get(`${alias}/${member}`) ?? lines.get(alias));
  if (resolved.kind === "cwd_missing" || resolved.kind === "cwd_not_a_folder") {
    const how = resolved.kind === "cwd_missing" ? "does not exist" : "is no folder";
    const sentence = `The working folder of ${alias} ${how}: ${written.cwd}`;
    return [{ id: "cwd_missing", level: "error", about: alias, sentence, command: edit("cwd") }];
  }
  if (resolved.kind === "not_found" || resolved.kind === "not_executable") {
    const how = resolved.kind === "not_found" ? "was not found" : "is not an executable program";
    return [
      {
        id: "command_not_found",
        level: "error",
        about: alias,
        sentence: `The command of ${alias} ${how}: ${written.command}`,
        ...searchedIn(resolved.searched, written.command),
        command: INSTALL[written.command] ?? edit("command"),
      },
    ];
  }
  if (forDaemon === undefined || forDaemon.kind === "found") return [];
  const sentence = `The command of ${alias} is found here, but not on the PATH that the daemon was started with: ${written.command}`;
  return [
    {
      id: "daemon_path",
      level: "error",
      about: alias,
      sentence,
      command: "toolpool down && toolpool up",
      ...searchedFor(forDaemon),
    },
  ];
}

function searchedFor(resolved: CommandFacts["resolved"]): { details?: readonly string[] } {
  return "searched" in resolved ? searchedIn(resolved.searched, "") : {};
}

function searchedIn(searched: readonly string[] | undefined, command: string): { details?: readonly string[] } {
  if (searched !== undefined)
    return { details: [`looked in: ${searched.length === 0 ? "nowhere, PATH is empty" : [...new Set(searched)].join(", ")}`] };
  return command.includes("/") ? {} : { details: ["looked in the PATH that the configuration sets for it"] };
}

function pinned({ spec }: CommandFacts, { file, lines }: ConfigurationFacts): readonly Finding[] {
  const { alias, written } = spec;
  const fetched = packageSpec(written.command, written.args);
  if (fetched === undefined || fetched.pinned) return [];
  const { runner, name } = fetched;
  return [
    {
      id: "unpinned_package",
      level: "warning",
      about: alias,
      sentence: `${alias} runs whatever version of ${name} is the newest when ${runner} starts it: write the version behind it`,
      command: editAt(file, lines.get(`${alias}/args`)),
    },
  ];
}
