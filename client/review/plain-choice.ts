// The same choice by questions and answers, one a tool: for a pipe, a terminal that cannot draw, a screen reader. The end of the
// input leaves, and then nothing is decided.
import { visible } from "../output/visible.ts";
import {
  choiceProblems,
  finalChoices,
  isAboutName,
  isRefused,
  localNameProblem,
  problemText,
  type Choices,
} from "./choice-rules.ts";
import { toolDetails } from "./tool-details.ts";
import { isSerious, type Choice, type ReviewEffect, type Row } from "./types.ts";

export type Ask = (question: string) => Promise<string | undefined>;
export type Say = (line: string) => void;

const ANSWERS: ReadonlyMap<string, ReviewEffect> = new Map<string, ReviewEffect>([
  ["r", "read"],
  ["read", "read"],
  ["w", "write"],
  ["write", "write"],
  ["e", "external"],
  ["external", "external"],
  ["h", "hidden"],
  ["hidden", "hidden"],
]);
const WIDTH = 100;

/** Undefined when the person leaves. */
export async function choosePlainly(rows: readonly Row[], ask: Ask, say: Say): Promise<Choices | undefined> {
  const choices = new Map<string, Choice>();
  let rest = false;
  if (rows.length > 0)
    say(
      "For each tool: r read, w write, e external, h hidden, Enter for what stands in brackets, ? details, all for the rest that is not flagged, q to leave.",
    );
  for (const row of rows) {
    const { tool, initial } = row;
    if (isRefused(tool)) {
      say(`${visible(tool.name)} cannot be exposed and is hidden: ${reasonOf(row)}`);
      choices.set(tool.name, { ...initial, effect: "hidden" });
      continue;
    }
    // What is flagged is decided one by one.
    const answer = rest && !row.flags.some(isSerious) ? initial.effect : await askEffect(row, ask, say);
    if (answer === undefined) return undefined;
    if (answer === "all") rest = true;
    const choice = await askName(
      row,
      { ...initial, effect: answer === "all" ? initial.effect : answer },
      { rows, choices, ask, say },
    );
    if (choice === undefined) return undefined;
    choices.set(tool.name, choice);
  }
  return finalChoices(rows, choices);
}

const reasonOf = ({ tool }: Row): string =>
  tool.refusals
    .filter(({ code }) => !isAboutName(code))
    .map(({ pointer, message }) => visible(pointer === "" ? message : `${pointer} ${message}`))
    .join("; ");

async function askEffect(row: Row, ask: Ask, say: Say): Promise<ReviewEffect | "all" | undefined> {
  const { tool, initial, proposal, flags } = row;
  const facts = [
    initial.effect,
    ...(proposal.effect === initial.effect ? [] : [`proposed ${proposal.effect}`]),
    ...(flags.length === 0 ? [] : [`${String(flags.length)} to look at`]),
  ];
  for (;;) {
    const answer = await ask(`${visible(tool.name)} [${facts.join(", ")}]? `);
    const word = answer?.trim().toLowerCase();
    if (word === undefined || word === "q" || word === "quit") return undefined;
    if (word === "") return initial.effect;
    if (word === "all") return "all";
    const effect = ANSWERS.get(word);
    if (effect !== undefined) return effect;
    if (word === "?") for (const line of toolDetails(row, WIDTH)) say(`  ${line}`);
    else say("  r, w, e, h, Enter, ?, all or q");
  }
}

interface Talk {
  readonly rows: readonly Row[];
  /** Of the tools before this one. */
  readonly choices: Choices;
  readonly ask: Ask;
  readonly say: Say;
}

/** Asks for a local name where the tool's own does not do, or one before it has the same. */
async function askName(row: Row, choice: Choice, { rows, choices, ask, say }: Talk): Promise<Choice | undefined> {
  const { tool, suggestedAs } = row;
  const decided = rows.filter((other) => other === row || choices.has(other.tool.name));
  let named = choice;
  for (;;) {
    const problem = choiceProblems(decided, new Map(choices).set(tool.name, named)).find((one) => one.tool === tool.name);
    if (problem === undefined) return named;
    say(`  ${problemText(problem)}`);
    for (;;) {
      const answer = await ask(`  local name${suggestedAs === undefined ? "" : ` [${suggestedAs}]`}, or - to hide it? `);
      const word = answer?.trim().toLowerCase();
      if (word === undefined || word === "q" || word === "quit") return undefined;
      // Answers to other questions, which a pipe may give one too early.
      if (/^(?:y|yes|n|no|all|\?)$/.test(word)) {
        say("  a name, Enter for the one in brackets, - to hide the tool, q to leave");
        continue;
      }
      if (word === "-") return { effect: "hidden" };
      const as = word === "" ? suggestedAs : word;
      const fault = as === undefined ? "it needs a name" : localNameProblem(tool, as);
      if (fault === undefined) {
        named = { effect: choice.effect, ...(as === undefined ? {} : { as }) };
        break;
      }
      say(`  ${visible(fault)}`);
    }
  }
}
