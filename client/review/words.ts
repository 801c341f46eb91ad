// A tool's name as the words it is made of: `getPullRequest`, `get_pull_request` and `get-pull-request` are the same three. Only
// the start of a very long name is looked at; what has no letters and digits has no words.

/** Longer than any name a person would read. */
const MOST = 512;

/** Lower-cased, in the order of the name. */
export function wordsOf(name: string): readonly string[] {
  const words = name.slice(0, MOST).match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{N}+/gu) ?? [];
  return words.map((word) => word.toLowerCase());
}
