// How a launch is shown before the first start: everything that will run, nothing of it cut, one argument a line where they are
// long; of the environment the names alone, and which variables of the launch are set; and what to be careful about.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { WrittenLaunch } from "../../daemon/contract/index.ts";
import type { Colours } from "../output/colours.ts";
import { visible } from "../output/visible.ts";
import { launchWarnings, type LaunchSurroundings } from "./launch-warnings.ts";

export interface LaunchToShow {
  readonly launch: WrittenLaunch;
  /** Names of the variables it refers to, those with a default aside. */
  readonly variables: readonly string[];
  /** Where the daemon would look; undefined: not known from here. */
  readonly isSet: (name: string) => boolean | undefined;
}

const LONG = 100;

export function launchLines(shown: LaunchToShow, surroundings: LaunchSurroundings, colours: Colours): readonly string[] {
  const { launch, variables, isSet } = shown;
  const { command, args, cwd, env } = launch;
  const words = [command, ...args].map(word);
  const oneLine = words.join(" ");
  const commandLines = oneLine.length <= LONG ? [`  command      ${oneLine}`] : longCommand(words);
  return [
    ...commandLines,
    `  folder       ${cwd === "." ? "." : word(cwd)}${cwd === "." ? " (of the configuration file)" : ""}`,
    `  environment  ${env.length === 0 ? "nothing is added" : env.map(word).join(", ")}${env.length === 0 ? "" : "  (names; values are not shown)"}`,
    ...variables.map((name) => `  \${${visible(name)}}`.padEnd(15) + ` ${stateOf(isSet(name), colours)}`),
    ...launchWarnings(launch, surroundings).map((warning) => colours.yellow(`  ! ${visible(warning)}`)),
  ];
}

function longCommand([command = "", ...args]: readonly string[]): readonly string[] {
  return [`  command      ${command}`, ...args.map((arg, at) => `  ${at === 0 ? "arguments  " : "           "}  ${arg}`)];
}

function stateOf(set: boolean | undefined, colours: Colours): string {
  if (set === undefined) return colours.dim("is looked up when it starts");
  return set ? colours.green("is set") : colours.red("is not set: the server cannot start");
}

/** In quotes where its ends could not be seen otherwise. */
function word(text: string): string {
  const shown = visible(text);
  return text === "" || /[\s"'`\\;&|<>()]/.test(text) || shown !== text ? `"${shown.replaceAll('"', '\\"')}"` : text;
}

/** By the mode of the file and of its folder; of what cannot be looked at, nothing is said. A sticky folder protects its files. */
export function othersMayWrite(path: string): boolean {
  const open = (place: string, sticky: boolean): boolean => {
    try {
      const { mode } = statSync(place);
      return (mode & 0o002) !== 0 && !(sticky && (mode & 0o1000) !== 0);
    } catch {
      return false;
    }
  };
  return open(path, false) || open(dirname(path), true);
}
