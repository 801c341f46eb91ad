// Server-written names in sentences for a person: cut, and with everything invisible made visible, so that a name can neither
// move the cursor of a terminal nor pass for another.

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** At most `max` characters; control, format and lone surrogate characters as `\u{…}`. */
export function visibleText(text: string, max = 128): string {
  const cut = text.length > max ? `${text.slice(0, max - 1)}…` : text;
  return cut.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
