// The list from which a person chooses what each tool may do, at a terminal: one row a tool, keys as in effect-choice.ts. Drawn by
// @inquirer/core, which redraws what changed; every line is cut to the terminal, and what servers wrote is made visible.
import { createPrompt, useKeypress, usePagination, useState, type KeypressEvent } from "@inquirer/core";
import type { Colours } from "../output/colours.ts";
import { visible } from "../output/visible.ts";
import { cut } from "../output/width.ts";
import { openList, pressKey, shownRows, type Key, type ListState } from "./effect-choice.ts";
import { toolDetails } from "./tool-details.ts";
import type { Choice, ReviewEffect, Row } from "./types.ts";

export interface ListOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly colours: Colours;
  readonly title: string;
  /** Ctrl-C: in raw mode it is a key and no signal. */
  readonly onInterrupt: () => void;
}

/** Undefined when the person leaves. Rejects with the signal's reason. */
export async function chooseEffects(
  rows: readonly Row[],
  { input, output, signal, colours, title, onInterrupt }: ListOptions,
): Promise<ReadonlyMap<string, Choice> | undefined> {
  const config: ListConfig = { rows, colours, title, size: () => ({ columns: output.columns, rows: output.rows }) };
  try {
    return await prompt(config, { input, output, signal, clearPromptOnDone: true });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error) || error.name !== "ExitPromptError") throw error;
    onInterrupt();
    signal.throwIfAborted();
    return undefined;
  }
}

interface ListConfig {
  readonly rows: readonly Row[];
  readonly colours: Colours;
  readonly title: string;
  readonly size: () => { readonly columns: number; readonly rows: number };
}

/** Lines that are not rows: title, filter, problem, help. */
const FRAME_LINES = 6;
const SMALLEST_PAGE = 3;
const HELP = "↑↓ move · space effect · type to filter · = local name · F1–F4 all shown · tab details · enter done · esc leave";

const prompt = createPrompt<ReadonlyMap<string, Choice> | undefined, ListConfig>((config, done) => {
  const { rows, colours, title } = config;
  const [state, setState] = useState<ListState>(openList(rows));
  const { columns, rows: lines } = config.size();
  const width = Math.max(20, columns - 1);
  const shown = shownRows(rows, state.filter);
  const current = shown[state.cursor];
  const room = Math.max(SMALLEST_PAGE, lines - FRAME_LINES);
  const page = state.details ? Math.max(SMALLEST_PAGE, Math.floor(room / 3)) : room;
  useKeypress((event) => {
    const next = pressKey(state, keyOf(event), rows, page);
    if (next.end === "open") setState(next);
    else done(next.end === "confirmed" ? next.choices : undefined);
  });
  const list = usePagination({
    items: shown.length === 0 ? [undefined] : shown,
    active: Math.min(state.cursor, Math.max(0, shown.length - 1)),
    pageSize: page,
    loop: false,
    renderItem: ({ item, isActive }) => rowLine(item, isActive, state, { colours, width }),
  });
  const details = state.details && current !== undefined ? detailLines(current, state, room - page, width) : [];
  const entry =
    state.naming === undefined
      ? state.filter === ""
        ? colours.dim(cut(HELP, width))
        : cut(`filter: ${visible(state.filter)}  (${String(shown.length)} of ${String(rows.length)})`, width)
      : cut(`local name: ${state.naming}▏`, width);
  const problem = state.problem === undefined ? [] : [colours.red(cut(visible(state.problem), width))];
  return [colours.bold(cut(title, width)), list, ...details, ...problem, entry].join("\n");
});

/** What Node's readline makes of a key press, in fields of ours; `sequence` is there though the type does not say so. */
function keyOf(event: KeypressEvent & { readonly sequence?: string }): Key {
  const { name, ctrl, sequence = "" } = event;
  return {
    name: name === "" || (name as string | undefined) === undefined ? "" : name,
    ctrl,
    text: Array.from(sequence).length === 1 ? sequence : "",
  };
}

function rowLine(
  row: Row | undefined,
  active: boolean,
  { choices }: ListState,
  { colours, width }: { readonly colours: Colours; readonly width: number },
): string {
  if (row === undefined) return colours.dim("nothing matches");
  const { tool, initial, cost, flags, change } = row;
  const { effect, as } = choices.get(tool.name) ?? initial;
  const marks = [
    change ?? "",
    flags.length === 0 ? "" : `!${String(flags.length)}`,
    tool.refusals.length === 0 ? "" : "refused",
    `${String(cost.tokens)} tok`,
  ].filter((mark) => mark !== "");
  const name = `${visible(tool.name)}${as === undefined ? "" : ` → ${as}`}`;
  // Cut before it is coloured: a colour code must not be cut in two.
  const text = cut(`${name}  ${marks.join(" ")}`, Math.max(1, width - 11));
  const line = `${active ? ">" : " "} ${paintEffect(effect, colours)(effect.padEnd(8))} ${text}`;
  return active ? colours.bold(line) : line;
}

export function paintEffect(effect: ReviewEffect, colours: Colours): (text: string) => string {
  if (effect === "read") return colours.green;
  if (effect === "write") return colours.yellow;
  return effect === "external" ? colours.magenta : colours.dim;
}

function detailLines(row: Row, { choices }: ListState, most: number, width: number): readonly string[] {
  const lines = toolDetails({ ...row, initial: choices.get(row.tool.name) ?? row.initial }, width);
  return lines.length <= most ? lines : [...lines.slice(0, Math.max(0, most - 1)), "…"];
}
