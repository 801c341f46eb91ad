// Reads the members of one object of the configuration: known keys only, each once, each of its type. Everything wrong is
// reported with its place and what to do about it; a reader then answers undefined and the rest is read on.
import { distance } from "fastest-levenshtein";
import type { ConfigIssue } from "../daemon/contract/index.ts";
import type { Member, ObjectValue, Place, Value } from "./document.ts";

/** What is wrong with one part of the file, in the order of the file. */
export class Issues {
  readonly #found: ConfigIssue[] = [];

  report({ pointer, line, column }: Place, message: string): void {
    this.#found.push({ pointer, message, line, column });
  }

  get list(): readonly ConfigIssue[] {
    return this.#found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  }
}

/** The largest number of any setting: the longest time a timer takes. */
const MAX_NUMBER = 2 ** 31 - 1;
const SHOWN = 60;

export class Fields {
  readonly #members = new Map<string, Member>();
  readonly #object: ObjectValue;
  readonly #issues: Issues;

  /** `hints` says more of a key that is not known here but elsewhere. */
  constructor(object: ObjectValue, known: readonly string[], issues: Issues, hints: ReadonlyMap<string, string> = new Map()) {
    this.#object = object;
    this.#issues = issues;
    for (const member of object.members) {
      if (!known.includes(member.key)) issues.report(member.place, unknownKey(member.key, known, hints.get(member.key)));
      else if (!this.#members.has(member.key)) this.#members.set(member.key, member);
    }
  }

  member(key: string): Member | undefined {
    return this.#members.get(key);
  }

  /** A missing member is pointed at itself, at the line of the object it is missing in. */
  missing(key: string, message: string): void {
    this.#issues.report({ ...this.#object.place, pointer: `${this.#object.place.pointer}/${key}` }, message);
  }

  text(key: string): string | undefined {
    const member = this.#members.get(key);
    return member === undefined ? undefined : textOf(member.value, `"${key}"`, this.#issues);
  }

  flag<T extends boolean | undefined>(key: string, fallback: T): boolean | T {
    const member = this.#members.get(key);
    if (member === undefined) return fallback;
    if (member.value.kind === "boolean") return member.value.value;
    this.#issues.report(member.value.place, `"${key}" must be true or false`);
    return fallback;
  }

  whole<T extends number | undefined>(key: string, least: number, fallback: T): number | T {
    const member = this.#members.get(key);
    if (member === undefined) return fallback;
    const { value } = member;
    if (value.kind === "number" && Number.isInteger(value.value) && value.value >= least && value.value <= MAX_NUMBER)
      return value.value;
    this.#issues.report(value.place, `"${key}" must be a whole number from ${least} to ${MAX_NUMBER}`);
    return fallback;
  }

  oneOf<T extends string, F extends T | undefined>(key: string, choices: readonly T[], fallback: F): T | F {
    const member = this.#members.get(key);
    if (member === undefined) return fallback;
    return choiceOf(member.value, `"${key}"`, choices, this.#issues) ?? fallback;
  }

  object(key: string, what: string): ObjectValue | undefined {
    const member = this.#members.get(key);
    if (member === undefined) return undefined;
    if (member.value.kind === "object") return member.value;
    this.#issues.report(member.value.place, `"${key}" must be an object: ${what}`);
    return undefined;
  }
}

export function textOf(value: Value, what: string, issues: Issues): string | undefined {
  if (value.kind === "string") return value.value;
  issues.report(value.place, `${what} must be a string${value.kind === "number" ? ": put it in double quotes" : ""}`);
  return undefined;
}

export function choiceOf<T extends string>(value: Value, what: string, choices: readonly T[], issues: Issues): T | undefined {
  const listed = choices.map(quoted).join(", ");
  if (value.kind !== "string") {
    issues.report(value.place, `${what} must be one of ${listed}`);
    return undefined;
  }
  const chosen = choices.find((choice) => choice === value.value);
  if (chosen === undefined) issues.report(value.place, `${what} cannot be ${quoted(value.value)}: it is one of ${listed}`);
  return chosen;
}

/** Every key that stands twice in one object, at any depth. */
export function reportDuplicates(value: Value, issues: Issues, deep = true): void {
  if (value.kind === "array" && deep) for (const item of value.items) reportDuplicates(item, issues);
  if (value.kind !== "object") return;
  const seen = new Map<string, Member>();
  for (const member of value.members) {
    const first = seen.get(member.key);
    if (first === undefined) seen.set(member.key, member);
    else
      issues.report(
        member.place,
        `${quoted(member.key)} stands here twice (first in line ${first.place.line}): keep one of them`,
      );
    if (deep) reportDuplicates(member.value, issues);
  }
}

/** A key, name or choice as a message shows it: on one line, and not longer than a line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);
}

function unknownKey(key: string, known: readonly string[], hint: string | undefined): string {
  if (hint !== undefined) return `${quoted(key)} is not a known key: ${hint}`;
  const short = key.slice(0, SHOWN).toLowerCase();
  const [nearest] = known.toSorted((a, b) => distance(short, a.toLowerCase()) - distance(short, b.toLowerCase()));
  return `${quoted(key)} is not a known key; the nearest is ${quoted(nearest ?? "")}`;
}
