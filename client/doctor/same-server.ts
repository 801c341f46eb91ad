// When two things are the same server: two launches, or a launch and a running process. By what is started, never by a name that
// somebody gave it. Pure.
import { basename, isAbsolute } from "node:path";
import { maskArgs } from "../../config/secrets.ts";
import type { StdioLaunch } from "../../daemon/contract/index.ts";
import type { ProcessFacts } from "./facts.ts";
import { packageSpec } from "./package-spec.ts";

type Started = Pick<StdioLaunch, "command" | "args">;

/** The same program with the same arguments, or the same package, whatever its version. */
export function isSameServer(one: Started, other: Started): boolean {
  const packages = [one, other].map(({ command, args }) => packageSpec(command, args)?.name);
  if (packages[0] !== undefined && packages[0] === packages[1]) return true;
  return basename(one.command) === basename(other.command) && sameArguments(one.args, other.args);
}

/** An import keeps a secret as a variable: what stands in its place on either side does not tell two servers apart. */
function sameArguments(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  const masked = [maskArgs(one), maskArgs(other)] as const;
  const secret = (at: number): boolean => masked[0][at] !== one[at] || masked[1][at] !== other[at];
  return one.every((arg, at) => arg === other[at] || secret(at));
}

/** What may stand before the program in a command line: its folder, or an interpreter that a `#!` line names. */
const BEFORE = /^(?:(?:\S*\/)?(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|php|sh|bash|dash|zsh)(?: -\S+)* )?(?:\S*\/)?$/;

/** The process that a launch of this shape becomes. */
export function isCopyOf({ command, args, cwd }: StdioLaunch, { line, package: runs, cwd: there }: ProcessFacts): boolean {
  const fetched = packageSpec(command, args)?.name;
  if (fetched !== undefined) return fetched === runs;
  const expected = [basename(command), ...args].join(" ");
  if (!line.endsWith(expected) || !BEFORE.test(line.slice(0, -expected.length))) return false;
  // `node server.js` is another program in every folder.
  return isAbsolute(command) || args.some((arg) => isAbsolute(arg)) || there === undefined || there === cwd;
}
