// What a tool costs in every request that offers it: the JSON a model provider gets, counted by the o200k encoding. The encoder is
// 2 MB and is read when the first tool is counted.
import { canonicalJson } from "../../daemon/contract/index.ts";
import type { Cost, ReviewTool } from "./types.ts";

/** Longer texts are counted so far and the rest by the same ratio: the encoder's work grows with the text. */
const COUNTED = 200_000;
/**
 * The encoder takes quadratic time in a run of one kind of sign (200,000 letters without a break: a minute). Cut here, a run
 * counts at most one token more per cut; ordinary text has none.
 */
const LONG_RUN = /\p{L}{256}|\s{256}|[^\p{L}\p{N}\s]{256}/gu;

export async function costOf({ exposedName, description, inputSchema }: ReviewTool): Promise<Cost> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const tool = { type: "function", function: { name: exposedName, description, parameters: inputSchema } };
  const text = canonicalJson(tool);
  const counted = text.slice(0, COUNTED);
  // Text that looks like a control token is text.
  const count = (part: string): number => countTokens(part, { disallowedSpecial: new Set() });
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of counted.matchAll(LONG_RUN)) {
    tokens += count(counted.slice(from, index + run.length));
    from = index + run.length;
  }
  tokens += count(counted.slice(from));
  return { bytes: Buffer.byteLength(text), tokens: Math.round((tokens * text.length) / counted.length) };
}
