// The list from which a person chooses effects at a terminal, driven by keys: composed of a prompt library's parts, the pure state
// and the pure view. Nothing of it is left on the screen. Leaving it (Escape, Ctrl-C, the end of the input) rejects with
// ReviewLeft, an abort with its own reason; the terminal is given back either way.
import { clearScreenDown, cursorTo } from "node:readline";
import {
  AbortPromptError,
  createPrompt,
  ExitPromptError,
  useEffect,
  useKeypress,
  useMemo,
  usePagination,
  useRef,
  useState,
} from "@inquirer/core";
import type { Colours } from "../output/colours.ts";
import { choiceOf, press, shownRows, startOf, type ListState } from "./effect-state.ts";
import { aboutLines, headLine, helpLine, rowLine } from "./effect-view.ts";
import { ReviewLeft } from "./left.ts";
import { toolLines } from "./show-tool.ts";
import type { Choice, Row } from "./types.ts";
import { fitText } from "./wrap.ts";

export interface ChooseOptions {
  readonly alias: string;
  readonly signal: AbortSignal;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  readonly colours: Colours;
}

interface Config extends ChooseOptions {
  readonly rows: readonly Row[];
  readonly leave: (left: ReviewLeft) => void;
}

/** By the server's own name, one choice for every row. */
export async function chooseEffects(rows: readonly Row[], options: ChooseOptions): Promise<ReadonlyMap<string, Choice>> {
  const { signal, input, output } = options;
  signal.throwIfAborted();
  const leaving = new AbortController();
  const config = { ...options, rows, leave: (left: ReviewLeft) => leaving.abort(left) };
  const context = { input, output, signal: AbortSignal.any([signal, leaving.signal]), clearPromptOnDone: true };
  try {
    return await list(config, context);
  } catch (error) {
    if (error instanceof ExitPromptError) throw new ReviewLeft("interrupt");
    if (error instanceof AbortPromptError) throw error.cause;
    throw error;
  }
}

const list = createPrompt<ReadonlyMap<string, Choice>, Config>((config, done) => {
  const { rows, alias, colours, leave } = config;
  const [state, setState] = useState<ListState>(() => startOf(rows));
  // Keys that arrive together each build on what the one before left.
  const latest = useRef(state);
  const { width, height } = useSize(config);
  const roomy = height >= 10;
  const page = Math.max(1, height - (roomy ? 8 : 4));
  const shown = useMemo(() => shownRows(rows, state.filter), [state.filter]);
  const row = shown[state.cursor];
  const { mode } = state;
  const detailsPage = Math.max(1, height - 4);
  const details = useMemo(
    () => (mode.kind !== "details" || row === undefined ? [] : toolLines(row, { colours, width, choice: choiceOf(state, row) })),
    [mode.kind, row, width],
  );

  useEffect((lines) => {
    const onEnd = (): void => leave(new ReviewLeft("ended"));
    lines.on("close", onEnd);
    return () => lines.removeListener("close", onEnd);
  }, []);
  useKeypress((key, lines) => {
    // What is typed is kept in the state; the library's own line stays empty, so that its cursor is where ours is.
    lines.clearLine(0);
    const step = press(latest.current, key, { alias, rows, page, details: () => ({ lines: details.length, page: detailsPage }) });
    if (step.kind === "left") leave(new ReviewLeft("escape"));
    else if (step.kind === "confirmed") done(latest.current.choices);
    else setState((latest.current = step.state));
  });

  const lines = usePagination({
    items: shown,
    active: state.cursor,
    renderItem: ({ item, isActive }) => rowLine(item, choiceOf(state, item), isActive, width, colours),
    pageSize: page,
    loop: false,
  });
  const help = helpLine(mode.kind, width, colours);
  const message = colours.yellow(fitText(state.message, width).trimEnd());
  if (mode.kind === "details") {
    const visibleNow = details.slice(mode.top, mode.top + detailsPage);
    const place = `${mode.top + 1}–${Math.min(details.length, mode.top + detailsPage)} of ${details.length} lines`;
    return [fitText(place, width).trimEnd(), [...visibleNow, help].join("\n")];
  }
  const head = colours.bold(headLine(alias, state, rows, width));
  const prompt = mode.kind === "name" ? `Local name: ${mode.text}` : `Filter: ${state.filter.slice(-Math.max(1, width - 10))}`;
  const about = roomy ? ["", ...aboutLines(row, width, colours)] : [];
  return [`${head}\n${prompt}`, [lines, ...about, message, help].join("\n")];
});

/** Of the part of the terminal that may be written on: the last column and line stay free, so that nothing wraps or scrolls. */
function useSize({ output }: Config): { readonly width: number; readonly height: number } {
  const [, setResized] = useState(0);
  useEffect(() => {
    let times = 0;
    const onResize = (): void => {
      // What stood there was laid out for another width: nobody knows which lines it takes now.
      cursorTo(output, 0, 0);
      clearScreenDown(output);
      setResized((times += 1));
    };
    output.on("resize", onResize);
    return () => output.off("resize", onResize);
  }, []);
  return { width: Math.max(10, (output.columns ?? 80) - 1), height: Math.max(6, (output.rows ?? 24) - 1) };
}
