// The tools of one request as the provider takes them. What is validated is never touched: the daemon checks arguments against
// the admitted schema, this is a copy for showing. A tool that cannot be shown is left out and said so, to the person and to
// the model, never dropped silently: one bad tool would make the provider refuse the whole request.
import type { OfferedTool } from "./model.ts";
import { providerSchema, SIMPLIFIED } from "./provider-schema.ts";

export interface ToolNote {
  readonly name: string;
  readonly note: string;
}

export interface Projection {
  readonly tools: readonly OfferedTool[];
  readonly leftOut: readonly ToolNote[];
  /** Tools that are shown differently from what was admitted. */
  readonly changed: readonly ToolNote[];
}

export const MOST_TOOLS = 128;
export const LONGEST_DESCRIPTION = 1_024;
/** OpenAI's function names. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const CUT_MARK = "… [cut]";
const SIMPLIFIED_MARK = "\n[Arguments are shown simplified; they are checked when it is called.]";
/** More names than this are counted, not listed. */
const MOST_NAMED = 40;

/** In the order given, which is also who goes first where there are too many. */
export function projectTools(tools: readonly OfferedTool[], mostTools = MOST_TOOLS): Projection {
  const shown: OfferedTool[] = [];
  const leftOut: ToolNote[] = [];
  const changed: ToolNote[] = [];
  for (const { name, description, parameters } of tools) {
    const view = providerSchema(parameters);
    if (!NAME.test(name)) leftOut.push({ name, note: "the provider does not take its name" });
    else if (view.kind === "impossible") leftOut.push({ name, note: view.why });
    else if (shown.length >= mostTools) leftOut.push({ name, note: `a request holds at most ${String(mostTools)} tools` });
    else {
      const mark = view.notes.includes(SIMPLIFIED) ? SIMPLIFIED_MARK : "";
      const text = cut(description, LONGEST_DESCRIPTION - mark.length);
      const notes = [...view.notes, ...(text === description ? [] : ["its description is cut"])];
      shown.push({ name, description: text + mark, parameters: view.schema });
      if (notes.length > 0) changed.push({ name, note: notes.join("; ") });
    }
  }
  return { tools: shown, leftOut, changed };
}

/** For the model's instructions: what exists and cannot be offered. Empty when everything is. */
export function leftOutText({ leftOut }: Projection): string {
  if (leftOut.length === 0) return "";
  const named = leftOut.slice(0, MOST_NAMED).map(({ name, note }) => `- ${name}: ${note}`);
  const more = leftOut.length > MOST_NAMED ? [`- and ${String(leftOut.length - MOST_NAMED)} more`] : [];
  return ["These tools exist but cannot be offered to you:", ...named, ...more].join("\n");
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - CUT_MARK.length);
  // Not between the halves of one character.
  return head.replace(/[\ud800-\udbff]$/, "") + CUT_MARK;
}
