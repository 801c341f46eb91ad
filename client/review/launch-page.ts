// What would be started, in full, before anything is: the command and every argument untruncated, the folder, the names of the
// variables. What it was before, where it was reviewed. And what a person should know of such a command.
import { basename } from "node:path";
import { packageRunner } from "../../config/package-runner.ts";
import type { WrittenLaunch } from "../../daemon/contract/index.ts";
import type { Colours } from "../output/colours.ts";
import { visible } from "../output/visible.ts";
import { changeLines, launchChanges } from "./differences.ts";
import type { Subject } from "./subjects.ts";

export function launchPage({ entry, locked }: Subject, env: NodeJS.ProcessEnv, colours: Colours): readonly string[] {
  const { written, variables } = entry;
  const fact = (name: string, value: string): string => `  ${name.padEnd(9)} ${value}`;
  const args = written.args.map((arg, at) => fact(at === 0 ? "arguments" : "", JSON.stringify(visible(arg))));
  const set = (name: string): string => `${visible(name)} (${Object.hasOwn(env, name) ? "set here" : "not set here"})`;
  const changes = locked === undefined ? [] : launchChanges(locked.launch, written);
  return [
    fact("command", visible(written.command)),
    ...(args.length === 0 ? [fact("arguments", "none")] : args),
    fact("folder", visible(written.cwd)),
    fact("variables", written.env.length === 0 ? "none" : written.env.map(visible).join(", ")),
    ...(variables.length === 0 ? [] : [fact("refers to", variables.map(set).join(", "))]),
    ...launchWarnings(written).map((warning) => `  ${colours.yellow("!")} ${warning}`),
    ...(changes.length === 0 ? [] : ["", colours.yellow("  This is not what was reviewed:")]),
    ...changes.flatMap((change) => changeLines(change, colours)).map((line) => `    ${line}`),
  ];
}

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "fish", "cmd", "powershell", "pwsh"]);

export function launchWarnings({ command, args }: Pick<WrittenLaunch, "command" | "args">): readonly string[] {
  const program = basename(command.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/\.exe$/, "");
  const warnings: string[] = [];
  if (SHELLS.has(program)) warnings.push("a shell runs it: read the whole script, it can start anything");
  const runner = packageRunner({ command, args });
  if (runner === "docker" || runner === "podman") {
    warnings.push("a container runs it: it outlives its client unless it was started with --rm, and is as open as its mounts");
  } else if (runner !== undefined && !args.some((arg) => /.@[0-9][^/]*$|==[0-9]/.test(arg))) {
    warnings.push("the package has no version: every start may download and run a newer one; pin it, as in name@1.2.3");
  }
  const temporary = [command, ...args].find((word) => /^(?:\/tmp\/|\/var\/tmp\/|\/dev\/shm\/)/.test(word));
  if (temporary !== undefined)
    warnings.push(`${visible(temporary)} lies where others may write: it can be swapped after the review`);
  return warnings;
}
