// What a description admits: that the tool changes, sends or runs something. Such a sentence makes a proposal stricter; no
// sentence makes it milder. Only plain statements count (`Deletes the file.`, `can also delete it`), so that advice about other
// tools does not.
import { CHANGE, REACH } from "./effect-words.ts";
import type { Proposal } from "./types.ts";

/** Of a longer description the start is read. */
const MOST = 4_000;

/** Said of what is merely read, too. */
const NO_CLAIM = new Set(["web", "website", "internet", "unsafe", "fetch", "curl", "bash"]);

const STEMS: ReadonlyMap<string, Proposal["effect"]> = new Map([
  ...[...CHANGE].map((word) => [word, "write"] as const),
  ...[...REACH].filter((word) => !NO_CLAIM.has(word)).map((word) => [word, "external"] as const),
]);
/** Also nouns in the plural, or said of something else: they count only where a sentence starts with them. */
const STARTING_ONLY = new Set(
  (
    "updates sets imports exports moves archives resets starts stops drops puts replies charges transfers saves registers uploads " +
    "downloads enables applies edits inserts submits"
  ).split(" "),
);
const FILLERS = new Set(["this", "tool", "also", "then", "and", "or", "it", "will", "can", "may", "function", "command"]);
const MODALS = new Set(["can", "will", "may"]);
const NEGATIONS = new Set(["not", "never", "no", "without", "cannot", "doesn't", "don't", "won't", "nothing", "neither"]);
const FINAL = /\b(?:irreversibl[ey]|cannot be undone|can't be undone|not reversible)\b/i;
const PLAINLY = /\b(?:destructive|side effects?)\b/i;

export function claimsIn(description: string): readonly Proposal[] {
  const text = description.slice(0, MOST);
  const claims: Proposal[] = [];
  for (const [index, sentence] of text.split(/[.!?;:\n]+/).entries()) {
    const words = sentence.toLowerCase().match(/[a-z']+/g) ?? [];
    const said = claimOf(words, index === 0);
    if (said !== undefined) claims.push(said);
    const plain = FINAL.exec(sentence) ?? (words.some((word) => NEGATIONS.has(word)) ? null : PLAINLY.exec(sentence));
    if (plain !== null) claims.push({ effect: "write", why: `its description says "${plain[0].toLowerCase()}"` });
  }
  return claims;
}

/** `summary`: the first sentence, which says what the tool does; in others an imperative speaks to the caller. */
function claimOf(words: readonly string[], summary: boolean): Proposal | undefined {
  const first = words.findIndex((word) => !FILLERS.has(word));
  for (const [at, word] of words.entries()) {
    const starts = at === first;
    const third = stemOf(word);
    const base = STEMS.has(word) ? word : undefined;
    // Only what is said right before the verb denies it: `deletes it without asking` does not.
    if (words.slice(Math.max(0, at - 3), at).some((one) => NEGATIONS.has(one))) continue;
    const before = words[at - 1] ?? "";
    const modal = MODALS.has(before) || (before === "also" && MODALS.has(words[at - 2] ?? ""));
    const stem = modal || (starts && summary) ? (base ?? third) : STARTING_ONLY.has(word) && !starts ? undefined : third;
    const effect = stem === undefined ? undefined : STEMS.get(stem);
    if (effect !== undefined) return { effect, why: `its description says "${word}"` };
  }
  return undefined;
}

/** Of `deletes`, `modifies`, `publishes`. */
function stemOf(word: string): string | undefined {
  if (!word.endsWith("s")) return undefined;
  const stems = [word.slice(0, -1)];
  if (/(?:sh|ch|x|ss|o)es$/.test(word)) stems.push(word.slice(0, -2));
  if (word.endsWith("ies")) stems.push(`${word.slice(0, -3)}y`);
  return stems.find((stem) => STEMS.has(stem));
}
