// Holds a policy from a file against what the server publishes: it must decide every tool, name no other, and be possible.
import { readPolicyFile } from "../../config/policy-file.ts";
import type { ToolPolicy } from "../../daemon/contract/index.ts";
import { Failure } from "../commands/failure.ts";
import { issueLine } from "../output/issue-line.ts";
import { visible } from "../output/visible.ts";
import { choiceProblems, problemText } from "./choice-rules.ts";
import type { Row } from "./types.ts";

type Policy = ReadonlyMap<string, ToolPolicy>;

export type PolicyMatch =
  /** In the order of the rows, each with everything the file says of it. */
  | { readonly kind: "matched"; readonly choices: Policy }
  /** One sentence each. */
  | { readonly kind: "refused"; readonly problems: readonly string[] };

/** Rejects with a Failure that says everything that is wrong. */
export async function choicesFromFile(path: string, rows: readonly Row[]): Promise<Policy> {
  const read = await readPolicyFile(path);
  if (read.kind === "refused")
    throw refused(
      path,
      read.issues.map((issue) => issueLine(path, issue)),
      "Correct the file, then review again.",
    );
  const match = matchPolicy(read.policy, rows);
  if (match.kind === "matched") return match.choices;
  throw refused(path, match.problems, "Correct the file: every published tool needs an effect, and no other may be named.");
}

export function matchPolicy(policy: Policy, rows: readonly Row[]): PolicyMatch {
  const names = rows.map(({ tool }) => tool.name);
  const missing = names.filter((name) => !policy.has(name));
  const published = new Set(names);
  const unknown = [...policy.keys()].filter((name) => !published.has(name));
  const decided = rows.filter(({ tool }) => policy.has(tool.name));
  const problems = [
    ...(missing.length === 0 ? [] : [`published and not decided: ${listed(missing)}`]),
    ...(unknown.length === 0 ? [] : [`decided and not published: ${listed(unknown)}`]),
    ...choiceProblems(decided, policy).map(problemText),
  ];
  if (problems.length > 0) return { kind: "refused", problems };
  const choices = names.flatMap((name) => {
    const rule = policy.get(name);
    return rule === undefined ? [] : [[name, rule] as const];
  });
  return { kind: "matched", choices: new Map(choices) };
}

const listed = (names: readonly string[]): string => names.map(visible).join(", ");

const refused = (path: string, lines: readonly string[], next: string): Failure =>
  new Failure(2, `The policy in ${visible(path)} cannot be taken`, { reason: "policy_invalid", lines, next });
