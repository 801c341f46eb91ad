// The same choice by questions and answers, line by line: for a terminal that cannot draw, for a pipe, for a screen reader. One
// question a tool; what was answered can be gone back to; nothing is decided by silence: when the input ends, the review is left.
import { isLocalName } from "../../config/tool-policy.ts";
import type { Colours } from "../output/colours.ts";
import { cut, visible } from "../output/visible.ts";
import { EFFECTS, isRefused } from "./effect-state.ts";
import { ReviewLeft } from "./left.ts";
import { nameFaults } from "./name-plan.ts";
import { flagText, toolLines } from "./show-tool.ts";
import type { Choice, ReviewEffect, Row } from "./types.ts";

export interface Dialogue {
  say(line: string): void;
  /** Undefined: the input has ended. */
  ask(question: string): Promise<string | undefined>;
}

export interface PlainOptions {
  readonly alias: string;
  readonly dialogue: Dialogue;
  readonly colours: Colours;
}

type Answer =
  | { readonly kind: "effect"; readonly effect: ReviewEffect }
  | { readonly kind: "standing" | "all" | "back" | "show" | "leave" | "unknown" };

const HELP = "r read, w write, e external, h hidden, Enter as it stands, ? all of it, b back, all for the rest, q leave";

/** By the server's own name, one choice for every row. Rejects with ReviewLeft. */
export async function choosePlainly(rows: readonly Row[], options: PlainOptions): Promise<ReadonlyMap<string, Choice>> {
  const { dialogue } = options;
  const choices = new Map<string, Choice>();
  dialogue.say(`${rows.length} tools. Answers: ${HELP}.`);
  for (let at = 0; at < rows.length;) {
    const row = rows[at];
    if (row === undefined) break;
    const said = await askOne(row, `${at + 1}/${rows.length}`, options);
    if (said === "back") at = Math.max(0, at - 1);
    else if (said === "all") {
      for (const rest of rows.slice(at)) choices.set(rest.tool.name, standing(rest));
      at = rows.length;
    } else {
      choices.set(row.tool.name, said);
      at += 1;
    }
  }
  await mendNames(rows, choices, options);
  return choices;
}

/** What stands for a tool when nothing is said of it. */
function standing(row: Row): Choice {
  return isRefused(row) ? { effect: "hidden" } : row.initial;
}

async function askOne(row: Row, place: string, { dialogue, colours }: PlainOptions): Promise<Choice | "back" | "all"> {
  for (const line of summary(row, place)) dialogue.say(line);
  for (;;) {
    const { effect } = standing(row);
    const answer = readAnswer(await dialogue.ask(`Effect of ${shortName(row)} [r/w/e/h, Enter = ${effect}]: `));
    switch (answer.kind) {
      case "effect":
        if (answer.effect !== "hidden" && isRefused(row)) {
          dialogue.say(`It can only be hidden: ${visible(row.tool.refusals[0]?.message ?? "")}`);
          continue;
        }
        return { ...row.initial, effect: answer.effect };
      case "unknown":
        dialogue.say(`Answers: ${HELP}.`);
        continue;
      case "show":
        for (const line of toolLines(row, { colours })) dialogue.say(line);
        continue;
      case "leave":
        throw new ReviewLeft("escape");
      case "standing":
        return standing(row);
      case "back":
      case "all":
        return answer.kind;
    }
  }
}

function readAnswer(said: string | undefined): Answer {
  if (said === undefined) throw new ReviewLeft("ended");
  const word = said.trim().toLowerCase();
  if (word === "") return { kind: "standing" };
  const effect = EFFECTS.find((one) => one.startsWith(word));
  if (effect !== undefined) return { kind: "effect", effect };
  if (word === "all") return { kind: "all" };
  if (word === "b" || word === "back") return { kind: "back" };
  if (word === "?") return { kind: "show" };
  return { kind: word === "q" || word === "quit" ? "leave" : "unknown" };
}

const shortName = ({ tool }: Row): string => visible(cut(tool.name, 80));

function summary(row: Row, place: string): readonly string[] {
  const { tool, proposal, cost, flags, change } = row;
  const firstLine = tool.description.slice(0, 2_000).trim().split("\n")[0] ?? "";
  return [
    "",
    `Tool ${place}: ${shortName(row)}${change === undefined ? "" : ` (${change})`}, ${cost.tokens} tokens`,
    ...(firstLine === "" ? [] : [`  it says: ${visible(cut(firstLine, 200))}`]),
    ...(isRefused(row) ? [] : tool.refusals.map(({ message }) => `  its name: ${visible(message)}`)),
    ...flags.map((flag) => `  to think about: ${flagText(flag)}`),
    `  proposed: ${proposal.effect}. ${proposal.why}`,
  ];
}

/** Names that do not do together are asked for, each until it does. */
async function mendNames(rows: readonly Row[], choices: Map<string, Choice>, { alias, dialogue }: PlainOptions): Promise<void> {
  for (;;) {
    const [fault] = nameFaults(alias, choices);
    const row = rows.find(({ tool }) => tool.name === fault?.tool);
    const choice = choices.get(fault?.tool ?? "");
    if (fault === undefined || row === undefined || choice === undefined) return;
    dialogue.say(`${shortName(row)}: ${fault.message}`);
    const offer = row.suggestedAs === undefined ? "h = hidden" : `Enter = ${row.suggestedAs}, h = hidden`;
    const said = await dialogue.ask(`Local name of ${shortName(row)} [${offer}]: `);
    if (said === undefined) throw new ReviewLeft("ended");
    const word = said.trim();
    if (word === "q") throw new ReviewLeft("escape");
    const as = word === "" ? row.suggestedAs : word;
    if (word === "h") choices.set(row.tool.name, { effect: "hidden" });
    else if (as !== undefined && isLocalName(as)) choices.set(row.tool.name, { ...choice, as });
    else dialogue.say("A local name takes a–z, 0–9 and _, with no _ at either end.");
  }
}
