// How wide text is on a terminal, in columns: a Chinese character or an emoji takes two, a combining mark none, a colour none. Cuts
// and breaks text by that width, never by its length.
import stringWidth from "string-width";

const PLAIN = /^[\x20-\x7e]*$/;
/** A space that others may write too; nothing is lost when it becomes a common one. */
const NO_BREAK = "\u00a0";
const segments = new Intl.Segmenter();

export const displayWidth = (text: string): number => (PLAIN.test(text) ? text.length : stringWidth(text));

/** At most `width` columns, the last one an ellipsis when something was cut. Without colours: a cut could split one. */
export function cut(text: string, width: number): string {
  // No UTF-16 unit is wider than two columns.
  if (text.length * 2 <= width || displayWidth(text) <= width) return text;
  return width < 1 ? "" : `${beginning(text, width - 1)}…`;
}

/** The same with the middle left out: both ends of a path say something. */
export function cutMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return "";
  const head = beginning(text, Math.floor((width - 1) / 3));
  const parts = Array.from(segments.segment(text), ({ segment }) => segment);
  let tail = "";
  let left = width - 1 - displayWidth(head);
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at] ?? "";
    left -= displayWidth(part);
    if (left < 0) break;
    tail = part + tail;
  }
  return `${head}…${tail}`;
}

/** Lines of at most `width` columns, broken between words; a word that is wider is broken where it has to be. */
export function breakLines(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (displayWidth(line) > width) {
      // A character that is wider than the line stands alone: there is no narrower way to show it.
      const first = beginning(line, width) || firstOf(line);
      lines.push(first);
      line = line.slice(first.length);
    }
  }
  if (line !== "" || lines.length === 0) lines.push(line);
  return lines.map((each) => each.replaceAll(NO_BREAK, " ").trimEnd());
}

/** `items` side by side, separated by commas; a line is broken between two of them, inside one only where it has no room at all. */
export const breakItems = (items: readonly string[], width: number): string[] =>
  breakLines(items.map(holdTogether).join(", "), width);

/** For `breakLines`: no line ends inside it. */
export const holdTogether = (text: string): string => text.replaceAll(" ", NO_BREAK);

/** As much of the beginning as fits, whole characters as a person sees them. */
function beginning(text: string, width: number): string {
  let taken = "";
  let left = width;
  for (const { segment } of segments.segment(text)) {
    left -= displayWidth(segment);
    if (left < 0) break;
    taken += segment;
  }
  return taken;
}

const firstOf = (text: string): string => segments.segment(text)[Symbol.iterator]().next().value?.segment ?? text;
