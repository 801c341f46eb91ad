// The list from which a person chooses what each tool may do, at a terminal: one row a tool, keys as in effect-choice.ts, drawn as in
// list-page.ts. @inquirer/core reads the keys and redraws; its pagination is not used, as it makes every row anew for each key.
import { clearScreenDown, cursorTo } from "node:readline";
import { createPrompt, ExitPromptError, useEffect, useKeypress, useMemo, useState } from "@inquirer/core";
import type { Colours } from "../output/colours.ts";
import { choiceProblems, finalChoices, type Choices } from "./choice-rules.ts";
import { openList, pressKey, type ListState } from "./effect-choice.ts";
import { readKey } from "./list-keys.ts";
import { listPage, widthOf, type Size } from "./list-page.ts";
import { columnsFor } from "./list-row.ts";
import { toolDetails } from "./tool-details.ts";
import type { Row } from "./types.ts";

export interface ListOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly colours: Colours;
  /** Made visible. */
  readonly title: string;
  /** Ctrl-C: in raw mode it is a key and no signal. */
  readonly onInterrupt: () => void;
}

/** Undefined when the person leaves, or the input ends. Rejects with the signal's reason. */
export async function chooseEffects(rows: readonly Row[], options: ListOptions): Promise<Choices | undefined> {
  const { input, output, signal, onInterrupt } = options;
  signal.throwIfAborted();
  if (rows.length === 0) return new Map();
  try {
    return await prompt({ ...options, rows }, { input, output, signal, clearPromptOnDone: true });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ExitPromptError)) throw error;
    onInterrupt();
    signal.throwIfAborted();
    return undefined;
  }
}

interface ListConfig extends Pick<ListOptions, "output" | "colours" | "title"> {
  readonly rows: readonly Row[];
}

/** Where a terminal does not tell its size. */
const sizeOf = ({ columns, rows }: { readonly columns?: number; readonly rows?: number }): Size => ({
  columns: columns === undefined || columns === 0 ? 80 : columns,
  rows: rows === undefined || rows === 0 ? 24 : rows,
});

const prompt = createPrompt<Choices | undefined, ListConfig>(({ rows, output, colours, title }, done) => {
  const [state, setState] = useState<ListState>(() => openList(rows));
  const [size, setSize] = useState<Size>(() => sizeOf(output));
  useEffect((line) => {
    // A list that was stopped could not be redrawn when it goes on: its lines are somewhere above.
    line.on("SIGTSTP", () => undefined);
    // Ctrl-D, or the end of the input.
    line.on("close", () => done(undefined));
    const onResize = (): void => {
      // The terminal has broken the old lines anew, nobody knows where: begin on an empty screen.
      cursorTo(output, 0, 0);
      clearScreenDown(output);
      setSize(sizeOf(output));
    };
    output.on("resize", onResize);
    return () => output.off("resize", onResize);
  }, []);

  const { choices, shown, cursor, details } = state;
  const width = widthOf(size);
  const columns = useMemo(() => columnsFor(rows, choices, width), [rows, choices, width]);
  const nameless = useMemo(() => namelessOf(rows, choices), [rows, choices]);
  const current = details === undefined ? undefined : shown[cursor];
  const choice = current && choices.get(current.tool.name);
  const detailLines = useMemo(
    () => (current === undefined ? [] : toolDetails({ ...current, initial: choice ?? current.initial }, width)),
    [current, choice, width],
  );
  const { top, bottom, view } = listPage(state, { columns, nameless, details: detailLines, title, colours }, size);

  useKeypress((event, line) => {
    // The line editor keeps what is typed as well; here the state does.
    line.clearLine(0);
    const next = pressKey(state, readKey(event), view);
    if (next.end === "open") setState({ ...next });
    else done(next.end === "confirmed" ? finalChoices(rows, next.choices) : undefined);
  });
  return [top, bottom];
});

const namelessOf = (rows: readonly Row[], choices: Choices): ReadonlySet<string> =>
  new Set(choiceProblems(rows, choices).map(({ tool }) => tool));
