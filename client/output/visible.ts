// Text that others wrote, made safe to print: whatever could move the cursor, colour the screen, hide or reorder characters
// is shown as its number. Server descriptions and names go through here on their way to a terminal.

/**
 * C0, DEL and C1 controls; zero-width and bidirectional marks; line separators; tag characters and the further variation
 * selectors; blank letters; private use; lone surrogates.
 */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u115f\u1160\u2800\u3164\uffa0\u{e0000}-\u{e01ef}]|[\p{Cs}\p{Co}]/gu;

export function visible(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/** The same for text of several lines: line breaks and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(INVISIBLE, (sign) => (sign === "\n" || sign === "\t" ? sign : escaped(sign)));
}

function escaped(sign: string): string {
  if (sign === "\n") return "\\n";
  if (sign === "\t") return "\\t";
  if (sign === "\r") return "\\r";
  const point = (sign.codePointAt(0) ?? 0).toString(16);
  return point.length > 4 ? `\\u{${point}}` : `\\u${point.padStart(4, "0")}`;
}
