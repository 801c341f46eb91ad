// What a script chose with --all, --only and --as. Pure; whatever is not clear is refused with the words that make it clear, and
// nothing is renamed or left out in silence.
import { ALIAS_PATTERN } from "../../daemon/contract/index.ts";
import { usage, type Failure } from "../commands/failure.ts";
import {
  clashesAmong,
  ownReference,
  referencesTo,
  type Candidate,
  type Clash,
  type Configured,
  type Launchable,
} from "./candidates.ts";
import { placeName } from "./found.ts";
import { clashSentence } from "./report.ts";
import { aliasFor } from "../../config/alias.ts";

export interface Wishes {
  /** Everything that can be added and is not turned off there. */
  readonly all: boolean;
  /** References. */
  readonly only: readonly string[];
}

export const isLaunchable = (candidate: Candidate): candidate is Launchable => candidate.kind === "stdio";

/** `name=alias,…`. */
export function readRenames(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    words.map((word): [string, string] => {
      const at = word.lastIndexOf("=");
      const [name, alias] = [word.slice(0, at), word.slice(at + 1)];
      if (at < 1)
        throw usage(`--as takes name=alias, not "${word}"`, "For example: toolpool import --as cursor:memory=memory_cursor");
      if (!ALIAS_PATTERN.test(alias)) {
        throw usage(`"${alias}" cannot be an alias: a lower-case letter, then a–z, 0–9 and _, at most 32 characters`);
      }
      return [name, alias];
    }),
  );
}

/** The candidates with the aliases they were given. Throws a Failure. */
export function withAliases(candidates: readonly Candidate[], as: ReadonlyMap<string, string>): readonly Candidate[] {
  const given = new Map([...as].map(([reference, alias]) => [theOne(candidates, reference, "--as"), alias]));
  return candidates.map((candidate) => {
    const alias = given.get(candidate);
    return alias === undefined || !isLaunchable(candidate) ? candidate : { ...candidate, alias };
  });
}

/** Throws a Failure when what was asked for is not there, cannot be added, or clashes. */
export function choose(candidates: readonly Candidate[], { all, only }: Wishes, configured: Configured): readonly Launchable[] {
  const named = only.map((reference) => theOne(candidates, reference, "--only"));
  for (const candidate of named) if (!isLaunchable(candidate)) throw notAddable(candidate);
  const chosen = candidates.filter(isLaunchable).filter((candidate) => {
    return candidate.present === undefined && (named.includes(candidate) || (all && !candidate.disabled));
  });
  const clashes = clashesAmong(chosen, configured);
  if (clashes.length > 0) throw clashing(clashes, candidates, configured);
  return chosen;
}

function theOne(candidates: readonly Candidate[], reference: string, option: string): Candidate {
  const meant = candidates.filter((candidate) => referencesTo(candidate).includes(reference));
  const [first] =
    meant.length > 0 ? meant : candidates.filter((candidate) => isLaunchable(candidate) && candidate.alias === reference);
  if (first === undefined) {
    throw usage(`${option}: nothing that was found is called "${reference}"`, "See what was found: toolpool import --dry-run");
  }
  if (meant.length <= 1) return first;
  const lines = meant.map(
    (candidate) => `${ownReference(candidate, candidates) ?? candidate.name}  ${placeName(candidate.places[0])}`,
  );
  throw usage(`${option}: "${reference}" is the name of ${String(meant.length)} different servers`, "Say which one:", lines);
}

function notAddable(candidate: Exclude<Candidate, Launchable>): Failure {
  const why = candidate.kind === "remote" ? "it is a remote server, and this release runs stdio servers only" : candidate.problem;
  return usage(`"${candidate.name}" cannot be added: ${why}`, "See what can be: toolpool import --dry-run");
}

function clashing(clashes: readonly Clash[], candidates: readonly Candidate[], configured: Configured): Failure {
  const taken = new Set([...configured.keys(), ...candidates.flatMap((each) => (isLaunchable(each) ? [each.alias ?? ""] : []))]);
  const words = clashes.map(({ candidate }) => {
    const alias = freeAlias(candidate, taken);
    taken.add(alias);
    return `${ownReference(candidate, candidates) ?? candidate.name}=${alias}`;
  });
  const lines = clashes.map(
    (clash) => `${clash.candidate.name} (${placeName(clash.candidate.places[0])}): ${clashSentence(clash)}`,
  );
  return usage(
    "Nothing was added, because names clash",
    `Give them other aliases: --as ${words.map(shellWord).join(",")}`,
    lines,
  );
}

/** A proposal, for a person to take or to change. */
export function freeAlias({ name, places: [{ host }] }: Launchable, taken: ReadonlySet<string>): string {
  const base = aliasFor(name) ?? "server";
  const proposals = [base, `${base.slice(0, 31 - host.length)}_${aliasFor(host) ?? ""}`];
  for (let at = 2; proposals.length < taken.size + 3; at++) proposals.push(`${base.slice(0, 28)}_${String(at)}`);
  return proposals.find((proposal) => !taken.has(proposal) && ALIAS_PATTERN.test(proposal)) ?? base;
}

const shellWord = (word: string): string => (/^[\w:/=.@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
