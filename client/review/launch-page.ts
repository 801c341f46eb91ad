// What would be started, in full, before anything is: the command and every argument untruncated, the folder, the names of the
// variables. What it was before, where it was reviewed. And what a person should know of such a command.
import type { Colours } from "../output/colours.ts";
import { visible } from "../output/visible.ts";
import { changeLines, launchChanges } from "./differences.ts";
import { launchWarnings, othersMayWrite } from "./launch-warnings.ts";
import type { Subject } from "./subjects.ts";

export interface LaunchPage {
  /** Of the configuration file. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly colours: Colours;
}

export function launchPage({ entry, locked }: Subject, { folder, env, colours }: LaunchPage): readonly string[] {
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
    ...launchWarnings(written, { folder, othersMayWrite }).map((warning) => `  ${colours.yellow("!")} ${warning}`),
    ...(changes.length === 0 ? [] : ["", colours.yellow("  This is not what was reviewed:")]),
    ...changes.flatMap((change) => changeLines(change, colours)).map((line) => `    ${line}`),
  ];
}
