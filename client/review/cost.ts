// What a tool costs in every model request: the bytes and tokens of its JSON as a provider gets it. The encoding (2 MB) is loaded
// when it is first needed, so that no other command reads it.
import type { Cost, ReviewTool } from "./types.ts";

export interface Costs {
  /** In the order of the tools. */
  readonly each: readonly Cost[];
  readonly total: Cost;
}

/** Of longer text the start is counted, and the rest in proportion. */
const MOST_COUNTED = 1024 * 1024;
/** Encoding takes quadratic time in a run of one kind of sign; cut here, it counts at most one token more per cut. */
const LONG_RUN = /\p{L}{256}|\s{256}|[^\p{L}\p{N}\s]{256}/gu;

export async function costsOf(tools: readonly ReviewTool[]): Promise<Costs> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Text that looks like a special token is text.
  const count = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });
  const each = tools.map((tool) => costOf(tool, count));
  const sum = (part: (cost: Cost) => number): number => each.reduce((total, cost) => total + part(cost), 0);
  return { each, total: { bytes: sum(({ bytes }) => bytes), tokens: sum(({ tokens }) => tokens) } };
}

function costOf(tool: ReviewTool, count: (text: string) => number): Cost {
  const text = providerJson(tool);
  const counted = text.slice(0, MOST_COUNTED);
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of counted.matchAll(LONG_RUN)) {
    tokens += count(counted.slice(from, index + run.length));
    from = index + run.length;
  }
  tokens += count(counted.slice(from));
  return { bytes: Buffer.byteLength(text), tokens: Math.round(tokens * (text.length / counted.length)) };
}

/** As in the `tools` of a request; a result's schema is not sent. */
function providerJson({ exposedName, description, inputSchema }: ReviewTool): string {
  return JSON.stringify({ type: "function", function: { name: exposedName, description, parameters: inputSchema } });
}
