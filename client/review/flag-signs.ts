// Signs that a reader does not see or takes for others: control and format characters, bidirectional marks, tags, private use,
// blank letters, and letters of two scripts in one word. A description may hold line breaks and tabs, an emoji its joiner.

export interface SignFinding {
  /** In UTF-16 code units. */
  readonly at: number;
  readonly message: string;
}

// Variation selectors beyond the sixteen common ones carry hidden text as well as tags do.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0\u{e0100}-\u{e01ef}]/gu;
const EMOJI = /^\p{Extended_Pictographic}/u;
const BEFORE_JOINER = /[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\ufe0f]$/u;

const MOST_COUNTED = 9_999;

/** The first invisible sign, and what kinds there are. `plain`: line breaks and tabs are invisible too, as in a name. */
export function invisibleIn(text: string, plain: boolean): SignFinding | undefined {
  let first: number | undefined;
  let count = 0;
  const kinds = new Set<string>();
  for (const match of text.matchAll(INVISIBLE)) {
    const [sign] = match;
    if (!plain && (sign === "\n" || sign === "\t" || sign === "\r")) continue;
    if (sign === "\u200d" && joinsEmoji(text, match.index)) continue;
    first ??= match.index;
    count += 1;
    kinds.add(kindOf(sign));
    if (count > MOST_COUNTED) break;
  }
  if (first === undefined) return undefined;
  const many = count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count);
  const what = count === 1 ? "1 invisible character" : `${many} invisible characters`;
  return { at: first, message: `holds ${what}: ${[...kinds].join(", ")}` };
}

function joinsEmoji(text: string, at: number): boolean {
  return EMOJI.test(text.slice(at + 1, at + 3)) && BEFORE_JOINER.test(text.slice(Math.max(0, at - 2), at));
}

function kindOf(sign: string): string {
  const point = sign.codePointAt(0) ?? 0;
  if (point >= 0xe0000 && point <= 0xe01ef) return "hidden text (tag characters or variation selectors)";
  if (
    (point >= 0x202a && point <= 0x202e) ||
    (point >= 0x2066 && point <= 0x2069) ||
    point === 0x061c ||
    point === 0x200e ||
    point === 0x200f
  )
    return "marks that reorder what is read";
  if (point < 0x20 || (point >= 0x7f && point <= 0x9f)) return "control characters";
  if (/\p{Co}/u.test(sign)) return "private-use characters";
  if (/\p{Cs}/u.test(sign)) return "halves of characters";
  if (/\p{L}|\p{So}/u.test(sign)) return "blank letters";
  return "zero-width or format characters";
}

const LATIN = /\p{Script=Latin}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
/** Scripts with letters that pass for Latin ones. */
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const FOREIGN_RUN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
/** Long words are cut, so that the work is bounded by the text. */
const WORD = /[\p{L}\p{M}]{2,64}/gu;

/** `name`: any alike script counts, and letters that are another form of a plain one (full-width, mathematical). */
export function mixedScriptsIn(text: string, name: boolean): SignFinding | undefined {
  if (!(name ? /[^\0-\x7f]/ : FOREIGN_RUN).test(text)) return undefined;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (LATIN.test(word) && (name ? ALIKE : CYRILLIC).test(word))
      return { at: index, message: "mixes letters of several scripts in one word: some may pass for others" };
    if (name && word.normalize("NFKC") !== word.normalize("NFC"))
      return { at: index, message: "holds letters that are another form of plain ones" };
  }
  return undefined;
}
