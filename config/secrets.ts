// Finds the secrets that stand in a command line or in a variable, so that none is shown, kept in a lock file or written into a
// configuration by accident. Pure, and it errs on the safe side: what is called a secret is one, what looks like one is one. It
// answers positions, and shows nothing. References such as `${TOKEN}` are not secrets; the default in `${TOKEN:-x}` is.
// (Looked for a library: secretlint needs Node 22, @npmcli/redact and @visulima/redact rewrite logs and know no flags.)
import { createHash } from "node:crypto";
import { judgeName, type NameVerdict } from "./secret-names.ts";
import { isPath, shapedSecrets, type Range } from "./secret-shapes.ts";

export { isSecretName } from "./secret-names.ts";

/** A part of one argument. */
export interface SecretPart extends Range {
  /** Of the argument. */
  readonly index: number;
  /** What it is called where it stands: the flag, the variable, the header; absent where nothing names it. */
  readonly name?: string;
}

/** A part of a text. */
export interface NamedRange extends Range {
  readonly name?: string;
}

/** In the order of the arguments; parts never overlap. */
export function secretsInArgs(args: readonly string[]): readonly SecretPart[] {
  return args.flatMap((arg, index) => {
    const before = args[index - 1];
    const named = before === undefined ? undefined : flagOf(before);
    const found = named !== undefined && !isFlag(arg) && holds(judgeName(named), arg) ? [all(arg, named)] : [];
    const isScript = before !== undefined && /^-[a-z]*c$|^\/c$/i.test(before);
    return apart(arg, [...found, ...inText(arg, isScript)]).map((range) => ({ index, ...range }));
  });
}

/** The same arguments with every secret part replaced by its fingerprint: equal secrets stay equal, and none can be read. */
export function maskArgs(args: readonly string[]): readonly string[] {
  const parts = secretsInArgs(args);
  return args.map((arg, index) =>
    replaceParts(
      arg,
      parts.filter((part) => part.index === index),
      fingerprint,
    ),
  );
}

/** The secret parts of a variable's value: all of it when the name says so, otherwise what looks like one. */
export function secretsInVariable(name: string, value: string): readonly NamedRange[] {
  return apart(value, holds(judgeName(name), value) ? [all(value, name)] : inText(value, false));
}

/** `ranges` in order and apart, as the functions above answer them. */
export function replaceParts<T extends Range>(
  text: string,
  ranges: readonly T[],
  replacement: (secret: string, range: T) => string,
): string {
  let replaced = "";
  let at = 0;
  for (const range of ranges) {
    replaced += text.slice(at, range.start) + replacement(text.slice(range.start, range.end), range);
    at = range.end;
  }
  return replaced + text.slice(at);
}

export function fingerprint(secret: string): string {
  return `<secret sha256:${createHash("sha256").update(secret).digest("hex").slice(0, 16)}>`;
}

function inText(text: string, isScript: boolean): readonly NamedRange[] {
  const whole = isScript ? undefined : assignment(text);
  if (whole !== undefined && holds(judgeName(whole.name), text.slice(whole.start))) return [whole];
  return [...shapedSecrets(text), ...headers(text), ...assignments(text), ...members(text), ...flagsInText(text)];
}

/** `--api-key=X`, `TOKEN=X`: everything behind the sign, also with blanks in it. */
function assignment(text: string): (NamedRange & { readonly name: string }) | undefined {
  const match = /^-{0,2}([A-Za-z_][\w.-]*)=/.exec(text);
  return match === null ? undefined : { start: match[0].length, end: text.length, name: match[1] ?? "" };
}

/** Inside a text: the query of an address, `Password=…;` of a connection, `TOKEN=… npx` of a script. */
function assignments(text: string): readonly NamedRange[] {
  return named(text, /(?<=^|[;\s?&,"'=])-{0,2}([A-Za-z_][\w.-]*)=(?:"([^"]*)"|'([^']*)'|([^;&\s"'#]+))/g);
}

/** `X-Api-Key: …`, `Authorization: Bearer …`, alone or after a flag's `=`. */
function headers(text: string): readonly NamedRange[] {
  return named(text, /(?<=^|[\s"'=])([A-Za-z][A-Za-z0-9_-]*):\s*(?:(?:Bearer|Basic|Token)\s+)?(?!\/\/)([^\s"',]+)/gi);
}

/** Of JSON that is handed over as one argument, also when its quotes are escaped. */
function members(text: string): readonly NamedRange[] {
  return named(text, /\\*"([^"\\]{1,80})\\*"\s*:\s*\\*"([^"\\]+)\\*"/g);
}

/** `--token X` inside a script. */
function flagsInText(text: string): readonly NamedRange[] {
  return named(text, /(?<=\s|^)--?([A-Za-z][\w.-]*)\s+(?:"([^"]*)"|'([^']*)'|([^-\s"'][^\s"']*))/g);
}

/** First group: the name; the first of the others that is there: the value. */
function named(text: string, pattern: RegExp): readonly NamedRange[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole = "", name = "", ...values]: readonly (string | undefined)[] = match;
    const value = values.find((group) => group !== undefined) ?? "";
    if (!holds(judgeName(name), value)) return [];
    const start = match.index + whole.lastIndexOf(value);
    return [{ start, end: start + value.length, name }];
  });
}

/** The name that a flag gives to the argument behind it. */
function flagOf(arg: string): string | undefined {
  return /^--?([A-Za-z][\w.-]*)$/.exec(arg)?.[1];
}

/** A secret may begin with a hyphen; what reads as an option is one. */
function isFlag(arg: string): boolean {
  return /^--[A-Za-z][\w-]*(?:=|$)|^-[A-Za-z]$/.test(arg);
}

const REFERENCES = /^(?:\$\{(?:(?!:-)[^}])*\}|\s|Bearer|Basic|Token)*$/i;
const PLAIN = /^(?:true|false|yes|no|on|off|none|null|undefined|\d{1,5}|)$/i;
/** `oauth2`, `device-code`: a choice, not a secret. */
const WORDS = /^[a-z]+(?:[-_][a-z]+)*\d?$/;

/** Whether a value under a name of this verdict is a secret. */
function holds(verdict: NameVerdict, value: string): boolean {
  if (verdict === "no" || REFERENCES.test(value) || PLAIN.test(value) || isPath(value)) return false;
  // An address is not secret as a whole; what is in it is found by its shape.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false;
  return verdict === "sure" || !WORDS.test(value);
}

function all(text: string, name: string): NamedRange {
  const scheme = /^(?:Bearer|Basic|Token)\s+/i.exec(text)?.[0].length ?? 0;
  return { start: scheme, end: text.length, name };
}

/** In order; what overlaps becomes one, with the first name there is. References are left out. */
function apart(text: string, ranges: readonly NamedRange[]): readonly NamedRange[] {
  const joined: NamedRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1);
    if (last === undefined || range.start >= last.end) {
      if (!REFERENCES.test(text.slice(range.start, range.end))) joined.push(range);
      continue;
    }
    const name = last.name ?? range.name;
    joined[joined.length - 1] = {
      start: last.start,
      end: Math.max(last.end, range.end),
      ...(name === undefined ? {} : { name }),
    };
  }
  return joined;
}
