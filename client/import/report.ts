// What import shows: the table of what was found, what is missing for each, and the same for programs. No secret is in any of it:
// words are shown masked, variables by their names.
import { assertNever } from "../../daemon/contract/index.ts";
import type { Screen } from "../output/screen.ts";
import { visible } from "../output/visible.ts";
import { cut } from "../output/width.ts";
import type { Candidate, Clash, Place } from "./candidates.ts";
import { placeName } from "./found.ts";
import { secretPlaces, shownWords } from "./secret-variables.ts";
import { maskArgs } from "../../config/secrets.ts";

export interface Facts {
  /** Commands that were not found. */
  readonly absentCommands: ReadonlySet<string>;
  readonly env: NodeJS.ProcessEnv;
  readonly clashes: readonly Clash[];
  /** Home folder, shown as `~`. */
  readonly home: string;
}

export interface Shown {
  readonly name: string;
  readonly alias: string | null;
  readonly state: "new" | "present" | "clash" | "remote" | "unusable";
  readonly disabled: boolean;
  readonly places: readonly Place[];
  readonly command?: string;
  readonly args?: readonly string[];
  /** Names only. */
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly url?: string;
  /** Sentences. */
  readonly missing: readonly string[];
}

export function shownOf(candidate: Candidate, facts: Facts): Shown {
  const { name, places, remarks } = candidate;
  const common = { name, places };
  switch (candidate.kind) {
    case "remote": {
      const url = maskedUrl(candidate.url);
      const why = `remote (${candidate.type}): this release runs stdio servers only, so it is not added`;
      return { ...common, alias: null, state: "remote", disabled: false, url, missing: [why, ...remarks] };
    }
    case "unusable":
      return { ...common, alias: null, state: "unusable", disabled: false, missing: [candidate.problem, ...remarks] };
    case "stdio":
      break;
    default:
      return assertNever(candidate);
  }
  const { launch, present, disabled } = candidate;
  const clash = present === undefined ? facts.clashes.find((each) => each.candidate === candidate) : undefined;
  const [command = "", ...args] = shownWords(launch);
  return {
    ...common,
    alias: present ?? candidate.alias ?? null,
    state: present !== undefined ? "present" : clash !== undefined ? "clash" : "new",
    disabled,
    command,
    args,
    env: Object.keys(launch.env),
    ...(launch.cwd === undefined ? {} : { cwd: launch.cwd }),
    missing:
      present !== undefined ? [] : [...(clash === undefined ? [] : [clashSentence(clash)]), ...missingOf(candidate, facts)],
  };
}

function missingOf(candidate: Extract<Candidate, { kind: "stdio" }>, { absentCommands, env }: Facts): readonly string[] {
  const { launch, disabled, remarks } = candidate;
  const unset = candidate.variables.filter((name) => !Object.hasOwn(env, name));
  const secrets = secretPlaces(launch);
  return [
    ...(disabled ? ['it is turned off there, and comes along as "disabled": true'] : []),
    ...(absentCommands.has(launch.command) ? ["its command was not found in the PATH"] : []),
    ...(unset.length === 0 ? [] : [`not set here: ${unset.join(", ")}`]),
    ...(secrets.length === 0 ? [] : [`holds a secret: ${secrets.join(", ")}`]),
    ...remarks,
  ];
}

export function clashSentence(clash: Clash): string {
  switch (clash.kind) {
    case "configured":
      return `the alias "${clash.alias}" is taken by another server of the configuration`;
    case "twice": {
      const [place] = clash.first.places;
      return `the alias "${clash.alias}" is that of "${clash.first.name}" of ${placeName(place)} too, which is started differently`;
    }
    case "nameless":
      return "nothing of its name can be an alias";
    default:
      return assertNever(clash);
  }
}

/** Of an address only what no secret is in. */
const maskedUrl = (url: string): string => (maskArgs([url])[0] ?? "").replace(/<secret [^>]*>/g, "<secret>");

const WORDS: Readonly<Record<Shown["state"], string>> = {
  new: "can be added",
  present: "already there",
  clash: "clash",
  remote: "remote",
  unusable: "not usable",
};
const NARROW_COMMAND = 60;

export function sayTable(screen: Screen, shown: readonly Shown[], home: string): void {
  const { colours } = screen;
  const paint = { new: colours.green, present: colours.dim, clash: colours.yellow, remote: colours.dim, unusable: colours.red };
  screen.table(
    [{ head: "where" }, { head: "name → alias" }, { head: "" }, { head: "command" }],
    shown.map((one) => [
      [...new Set(one.places.map(placeName))].join(", "),
      one.alias === null ? one.name : `${one.name} → ${one.alias}`,
      { text: one.disabled && one.state === "new" ? "turned off there" : WORDS[one.state], paint: paint[one.state] },
      cut(commandOf(one, home), NARROW_COMMAND),
    ]),
  );
  const noted = shown.filter(({ missing }) => missing.length > 0);
  if (noted.length > 0) screen.line();
  for (const { name, places, missing } of noted) {
    screen.line(
      `${visible(name)}  ${colours.dim(visible(`${short(places[0]?.file ?? "", home)}:${String(places[0]?.line ?? 1)}`))}`,
    );
    for (const sentence of missing) screen.line(`  ${visible(sentence)}`);
  }
}

function commandOf({ command, args = [], url }: Shown, home: string): string {
  if (command === undefined) return url ?? "";
  return [command, ...args].map((word) => quotedWord(short(word, home))).join(" ");
}

const quotedWord = (word: string): string => (word === "" || /[\s"']/.test(word) ? JSON.stringify(word) : word);

/** The home folder as `~`. */
export function short(path: string, home: string): string {
  return path === home ? "~" : path.startsWith(`${home}/`) || path.startsWith(`${home}\\`) ? `~${path.slice(home.length)}` : path;
}
