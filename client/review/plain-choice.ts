// The same choice by questions and answers, one a tool: for a pipe, a terminal that cannot draw, a screen reader. The end of the
// input leaves, and then nothing is decided.
import { nameProblem } from "../../config/exposed-name.ts";
import { visible } from "../output/visible.ts";
import { choiceProblem, isRefused } from "./effect-choice.ts";
import { toolDetails } from "./tool-details.ts";
import type { Choice, ReviewEffect, Row } from "./types.ts";

export type Ask = (question: string) => Promise<string | undefined>;
export type Say = (line: string) => void;

const ANSWERS: Readonly<Record<string, ReviewEffect>> = {
  r: "read",
  read: "read",
  w: "write",
  write: "write",
  e: "external",
  external: "external",
  h: "hidden",
  hidden: "hidden",
};
const WIDTH = 100;

/** Undefined when the person leaves. */
export async function choosePlainly(rows: readonly Row[], ask: Ask, say: Say): Promise<ReadonlyMap<string, Choice> | undefined> {
  const choices = new Map<string, Choice>();
  let rest = false;
  say(
    "For each tool: r read, w write, e external, h hidden, Enter for what stands in brackets, ? details, all for the rest, q to leave.",
  );
  for (const row of rows) {
    const { tool, initial } = row;
    if (isRefused(tool)) {
      say(`${visible(tool.name)} cannot be exposed and is hidden.`);
      choices.set(tool.name, { effect: "hidden" });
      continue;
    }
    const effect = rest ? initial.effect : await askEffect(row, ask, say);
    if (effect === undefined) return undefined;
    if (effect === "all") rest = true;
    const chosen: Choice = { ...initial, effect: effect === "all" ? initial.effect : effect };
    const named = await askName(row, chosen, choices, rows, ask, say);
    if (named === undefined) return undefined;
    choices.set(tool.name, named);
  }
  return choices;
}

async function askEffect(row: Row, ask: Ask, say: Say): Promise<ReviewEffect | "all" | undefined> {
  const { tool, initial, flags } = row;
  const flagged = flags.length === 0 ? "" : `, ${String(flags.length)} to look at`;
  for (;;) {
    const answer = await ask(`${visible(tool.name)} [${initial.effect}${flagged}]? `);
    const word = answer?.toLowerCase();
    if (word === undefined || word === "q") return undefined;
    if (word === "") return initial.effect;
    if (word === "all") return "all";
    if (word === "?") for (const line of toolDetails(row, WIDTH)) say(`  ${line}`);
    else if (Object.hasOwn(ANSWERS, word)) return ANSWERS[word];
    else say("  r, w, e, h, Enter, ?, all or q");
  }
}

/** Asks for a local name where the tool's own does not do. */
async function askName(
  { tool, suggestedAs }: Row,
  choice: Choice,
  earlier: ReadonlyMap<string, Choice>,
  rows: readonly Row[],
  ask: Ask,
  say: Say,
): Promise<Choice | undefined> {
  let named = choice;
  for (;;) {
    const problem = ownProblem(tool.alias, tool.name, named) ?? clash(tool.name, named, earlier, rows);
    if (problem === undefined) return named;
    say(`  ${visible(problem)}`);
    const answer = await ask(`  local name${suggestedAs === undefined ? "" : ` [${suggestedAs}]`}, or h to hide it? `);
    if (answer === undefined) return undefined;
    if (answer.toLowerCase() === "h") return { effect: "hidden" };
    named = { ...choice, as: answer === "" ? (suggestedAs ?? "") : answer };
  }
}

function ownProblem(alias: string, tool: string, { effect, as }: Choice): string | undefined {
  if (effect === "hidden") return undefined;
  if (as !== undefined && !/^[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/.test(as))
    return "a local name takes a–z, 0–9 and _, with no _ at either end";
  return nameProblem(alias, tool, as === undefined ? {} : { as });
}

function clash(tool: string, choice: Choice, earlier: ReadonlyMap<string, Choice>, rows: readonly Row[]): string | undefined {
  const both = rows.filter(({ tool: { name } }) => earlier.has(name) || name === tool);
  return choiceProblem(both, new Map(earlier).set(tool, choice))?.message;
}
