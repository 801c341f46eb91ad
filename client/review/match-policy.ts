// Holds a policy from a file against what the server publishes: it must decide every tool, name no other, and be possible.
import { readPolicyFile } from "../../config/policy-file.ts";
import type { ToolPolicy } from "../../daemon/contract/index.ts";
import { Failure } from "../commands/failure.ts";
import { issueLine } from "../output/issue-line.ts";
import { visible } from "../output/visible.ts";
import { choiceProblem } from "./effect-choice.ts";
import type { Choice, Row } from "./types.ts";

/** Rejects with a Failure that says everything that is wrong. */
export async function choicesFromFile(path: string, rows: readonly Row[]): Promise<ReadonlyMap<string, Choice>> {
  const read = await readPolicyFile(path);
  if (read.kind === "refused")
    throw refused(
      path,
      read.issues.map((issue) => issueLine(path, issue)),
    );
  const problems = policyProblems(read.policy, rows);
  if (problems.length > 0) throw refused(path, problems);
  return choicesOf(read.policy, rows);
}

const choicesOf = (policy: ReadonlyMap<string, ToolPolicy>, rows: readonly Row[]): ReadonlyMap<string, Choice> =>
  new Map(
    rows.flatMap(({ tool: { name } }) => {
      const rule = policy.get(name);
      return rule === undefined ? [] : [[name, { effect: rule.effect, ...(rule.as === undefined ? {} : { as: rule.as }) }]];
    }),
  );

export function policyProblems(policy: ReadonlyMap<string, ToolPolicy>, rows: readonly Row[]): readonly string[] {
  const published = new Set(rows.map(({ tool }) => tool.name));
  const missing = [...published].filter((name) => !policy.has(name));
  const unknown = [...policy.keys()].filter((name) => !published.has(name));
  const listed = (names: readonly string[]): string => names.map(visible).join(", ");
  const decided = rows.filter(({ tool }) => policy.has(tool.name));
  return [
    ...(missing.length === 0 ? [] : [`published and not decided: ${listed(missing)}`]),
    ...(unknown.length === 0 ? [] : [`decided and not published: ${listed(unknown)}`]),
    ...impossible(decided, choicesOf(policy, rows)).map(({ tool, message }) => `${visible(tool)}: ${visible(message)}`),
  ];
}

/** All of them: who writes a file wants to correct it once. */
function impossible(
  rows: readonly Row[],
  choices: ReadonlyMap<string, Choice>,
): readonly NonNullable<ReturnType<typeof choiceProblem>>[] {
  const problem = choiceProblem(rows, choices);
  if (problem === undefined) return [];
  return [
    problem,
    ...impossible(
      rows.filter(({ tool }) => tool.name !== problem.tool),
      choices,
    ),
  ];
}

function refused(path: string, lines: readonly string[]): Failure {
  const next = "Correct the file: every published tool needs an effect, and no other may be named.";
  return new Failure(2, `The policy in ${visible(path)} cannot be taken`, { reason: "policy_invalid", lines, next });
}
