// What may be chosen for a tool, whoever chooses and however: what cannot be exposed is hidden, every other exposed tool has a name
// that fits and that no other one has. Admission decides in the end; this says it before anything is written.
import { assertNever } from "../../daemon/contract/index.ts";
import { exposedName, nameProblem } from "../../config/exposed-name.ts";
import { visible } from "../output/visible.ts";
import type { Choice, ReviewEffect, ReviewTool, Row } from "./types.ts";

export type Choices = ReadonlyMap<string, Choice>;

export type ChoiceProblem = { readonly tool: string } & (
  | { readonly kind: "undecided" | "refused" }
  /** The sentence names the remedy in the configuration. */
  | { readonly kind: "name"; readonly message: string }
  | { readonly kind: "taken"; readonly by: string }
);

export const EFFECTS = ["read", "write", "external", "hidden"] as const satisfies readonly ReviewEffect[];

/** As admission and the configuration take it. */
const LOCAL_NAME = /^[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/;

/** A refusal that no name mends: the tool can only be hidden. */
export const isRefused = ({ refusals }: ReviewTool): boolean => refusals.some(({ code }) => !isAboutName(code));

export const isAboutName = (code: string): boolean => code === "name_rejected" || code === "name_collision";

/** What stands there at first; a tool that cannot be exposed is hidden, whatever a policy said of it before. */
export const startingChoices = (rows: readonly Row[]): Choices =>
  new Map(rows.map(({ tool, initial }) => [tool.name, isRefused(tool) ? hiddenChoice(initial) : initial]));

/** As it is to be written: a hidden tool has no local name, unless the policy says so already. */
export const finalChoices = (rows: readonly Row[], choices: Choices): Choices =>
  new Map(
    rows.map(({ tool, initial }) => {
      const choice = choices.get(tool.name) ?? initial;
      return [tool.name, choice.effect === "hidden" ? hiddenChoice(initial) : choice];
    }),
  );

const hiddenChoice = (initial: Choice): Choice => (initial.effect === "hidden" ? initial : { effect: "hidden" });

/** Everything that keeps the choices from being taken, in the order of the rows. */
export function choiceProblems(rows: readonly Row[], choices: Choices): readonly ChoiceProblem[] {
  const taken = new Map<string, string>();
  const problems: ChoiceProblem[] = [];
  for (const { tool } of rows) {
    const choice = choices.get(tool.name);
    const problem = ownProblem(tool, choice) ?? clash(tool, choice, taken);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

function ownProblem(tool: ReviewTool, choice: Choice | undefined): ChoiceProblem | undefined {
  if (choice === undefined) return { tool: tool.name, kind: "undecided" };
  if (choice.effect === "hidden") return undefined;
  if (isRefused(tool)) return { tool: tool.name, kind: "refused" };
  const message = choice.as === undefined ? nameProblem(tool.alias, tool.name, {}) : localNameProblem(tool, choice.as);
  return message === undefined ? undefined : { tool: tool.name, kind: "name", message };
}

function clash(tool: ReviewTool, choice: Choice | undefined, taken: Map<string, string>): ChoiceProblem | undefined {
  if (choice === undefined || choice.effect === "hidden") return undefined;
  const name = nameWith(tool, choice);
  const by = taken.get(name);
  if (by !== undefined) return { tool: tool.name, kind: "taken", by };
  taken.set(name, tool.name);
  return undefined;
}

/** Why `as` cannot be the local name, whatever the others have. */
export function localNameProblem({ alias, name }: ReviewTool, as: string): string | undefined {
  return LOCAL_NAME.test(as)
    ? nameProblem(alias, name, { as })
    : "a local name takes a–z, 0–9 and _, and no _ stands at either end";
}

/** The tool that has this tool's exposed name already, were it called `as`; hidden ones have none. */
export function nameOwner(rows: readonly Row[], choices: Choices, tool: ReviewTool, as: string): string | undefined {
  const name = nameWith(tool, { as });
  const owner = rows.find(({ tool: other }) => {
    const choice = choices.get(other.name);
    return other.name !== tool.name && choice !== undefined && choice.effect !== "hidden" && nameWith(other, choice) === name;
  });
  return owner?.tool.name;
}

const nameWith = ({ alias, name }: ReviewTool, { as }: Pick<Choice, "as">): string =>
  exposedName(alias, name, as === undefined ? {} : { as });

export function problemText(problem: ChoiceProblem): string {
  const tool = visible(problem.tool);
  switch (problem.kind) {
    case "undecided":
      return `${tool}: is not decided`;
    case "refused":
      return `${tool}: cannot be exposed: it can only be hidden`;
    case "name":
      return `${tool}: ${problem.message}`;
    case "taken":
      return `${tool}: would have the local name of "${visible(problem.by)}": give it another ("as"), or hide one`;
    default:
      return assertNever(problem);
  }
}
