// How the list of effects looks: a line a tool, and beneath it what is to be known of the current one. Fits any width; what does
// not fit is left out by importance (tokens, marks, the ends of names), never wrapped.
import type { Colours } from "../output/colours.ts";
import { visible } from "../output/visible.ts";
import { choiceOf, EFFECTS, isRefused, type ListState } from "./effect-state.ts";
import { flagText } from "./show-tool.ts";
import type { Choice, ReviewEffect, Row } from "./types.ts";
import { fitText } from "./wrap.ts";

const EFFECT_WIDTH = 8;
const LONGEST_NAME = 400;

export type PaintEffect = (effect: ReviewEffect, text: string) => string;

export function effectPaint(colours: Colours): PaintEffect {
  const paint = { read: colours.green, write: colours.yellow, external: colours.red, hidden: colours.dim };
  return (effect, text) => paint[effect](text);
}

/** `width`: columns that may be used. */
export function rowLine(row: Row, choice: Choice, active: boolean, width: number, colours: Colours): string {
  const marks = width < 40 ? "" : marksOf(row);
  const tokens = width < 56 ? "" : `${row.cost.tokens.toLocaleString("en")} tok`.padStart(11);
  const tail = [tokens, marks].filter((part) => part !== "").join("  ");
  const name = visible(row.tool.name.slice(0, LONGEST_NAME)) + (choice.as === undefined ? "" : ` → ${choice.as}`);
  const room = Math.max(4, width - 2 - EFFECT_WIDTH - 2 - (tail === "" ? 0 : tail.length + 2));
  const effect = effectPaint(colours)(choice.effect, choice.effect.padEnd(EFFECT_WIDTH));
  const line = `${active ? colours.cyan(">") : " "} ${effect}  `;
  const fitted = fitText(name, room);
  const shown = active ? colours.bold(fitted) : choice.effect === "hidden" ? colours.dim(fitted) : fitted;
  const painted = row.flags.length > 0 || isRefused(row) ? colours.yellow(tail) : colours.dim(tail);
  return (line + shown + (tail === "" ? "" : `  ${painted}`)).trimEnd();
}

/** Always of one width, so that the columns stand still. */
function marksOf(row: Row): string {
  const flags = row.flags.length === 0 ? "" : `!${Math.min(99, row.flags.length)}`;
  const state = isRefused(row) ? "refused" : (row.change ?? "");
  return `${flags.padEnd(3)} ${state.padEnd(7)}`;
}

export function headLine(alias: string, state: ListState, rows: readonly Row[], width: number): string {
  const counts = EFFECTS.map((effect) => [rows.filter((row) => choiceOf(state, row).effect === effect).length, effect] as const);
  const tokens = rows.reduce((sum, row) => sum + (choiceOf(state, row).effect === "hidden" ? 0 : row.cost.tokens), 0);
  const parts = [
    `${visible(alias)}: ${rows.length} tools`,
    counts
      .filter(([count]) => count > 0)
      .map(([count, effect]) => `${count} ${effect}`)
      .join(", "),
    `${tokens.toLocaleString("en")} tokens a request`,
  ];
  return fitText(parts.filter((part) => part !== "").join("  ·  "), width).trimEnd();
}

/** What the list says of the current tool: why its effect is proposed, and the first thing to think about. */
export function aboutLines(row: Row | undefined, width: number, colours: Colours): readonly string[] {
  if (row === undefined)
    return [colours.dim(fitText("No tool's name holds this. Backspace or Escape shows more.", width).trimEnd()), ""];
  const { proposal, flags, tool } = row;
  const refusal = tool.refusals[0];
  const more = flags.length > 1 ? ` (and ${flags.length - 1} more: Tab)` : "";
  const [flag] = flags;
  const second = flag !== undefined ? `! ${flagText(flag)}${more}` : refusal === undefined ? "" : visible(refusal.message);
  return [
    colours.dim(fitText(`${proposal.effect} is proposed: ${proposal.why}`, width).trimEnd()),
    colours.yellow(fitText(second, width).trimEnd()),
  ];
}

const HELP = {
  list: [
    "Space changes · ↑↓ moves · type to filter · Tab shows all of it · Enter confirms · Esc leaves",
    "Space/←/→ effect · Tab details · ^A all shown · ^N local name · Enter · Esc",
    "Space · Tab · Enter · Esc",
  ],
  details: ["↑↓ PgUp PgDn scroll · Tab or Esc goes back to the list", "↑↓ · Tab back"],
  name: ["Enter takes this local name · Esc leaves it as it was · empty: its own name", "Enter · Esc"],
} as const;

export function helpLine(mode: keyof typeof HELP, width: number, colours: Colours): string {
  const lines: readonly string[] = mode === "list" && width >= 125 ? [FULL_HELP, ...HELP.list] : HELP[mode];
  const text = lines.find((line) => line.length <= width) ?? lines.at(-1) ?? "";
  return colours.dim(fitText(text, width).trimEnd());
}

const FULL_HELP =
  "Space ← → effect · ↑↓ PgUp PgDn move · type to filter · ^A like this for all shown · ^N local name · Tab details · Enter confirms · Esc leaves";
