// Whose answer an over-long line was, judged from its first and last bytes without parsing the middle. An id counts only at the
// top level of the message: before the first member that is cut off, or as the very last member. A text that merely contains
// `"id"` somewhere never names a call.

export type LineOwner =
  /** The answer to this request. */
  | { readonly kind: "answer"; readonly id: number | string }
  /** A notification or a request of the server: no call waits for it. */
  | { readonly kind: "no_answer" }
  | { readonly kind: "unknown" };

const SPACE = /\s*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const OPENING = /^\uFEFF?\s*\{/;
const LAST_MEMBER = /,\s*"id"\s*:\s*(\d+|"(?:[^"\\]|\\.)*")\s*\}\s*$/;

/** `tail` is empty while the line has not ended. */
export function ownerOf(head: string, tail: string): LineOwner {
  const owner = readHead(head);
  if (owner.kind !== "unknown") return owner;
  // `{…,"id":7}`: closing the message right after the id puts the id at the top level. The official SDK writes it so.
  const last = OPENING.test(head) ? LAST_MEMBER.exec(tail)?.[1] : undefined;
  return last === undefined ? { kind: "unknown" } : idOf(last);
}

/** Walks the members of the message until the first that is not whole within `head`. */
function readHead(head: string): LineOwner {
  const opening = OPENING.exec(head);
  if (opening === null) return { kind: "unknown" };
  let at = opening[0].length;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(head)?.[0];
    if (text !== undefined) at += text.length;
    return text;
  };
  let id: string | undefined;
  for (;;) {
    take(SPACE);
    const name = take(STRING);
    take(SPACE);
    if (name === undefined || head[at] !== ":") break;
    at++;
    take(SPACE);
    if (name === '"method"') return { kind: "no_answer" };
    let value = take(STRING) ?? take(SCALAR);
    if (value === undefined) {
      value = nested(head, at);
      if (value === undefined) break;
      at += value.length;
    }
    // A value at the very end of the head may go on behind it.
    if (at >= head.length) break;
    if (name === '"id"') id = value;
    take(SPACE);
    if (head[at] !== ",") break;
    at++;
  }
  return id === undefined ? { kind: "unknown" } : idOf(id);
}

/** The text of a whole object or array at `start`; undefined when it does not end within `text`. */
function nested(text: string, start: number): string | undefined {
  if (text[start] !== "{" && text[start] !== "[") return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      STRING.lastIndex = at;
      const string = STRING.exec(text)?.[0];
      if (string === undefined) return undefined;
      at += string.length - 1;
    } else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return text.slice(start, at + 1);
  }
  return undefined;
}

function idOf(text: string): LineOwner {
  try {
    const id: unknown = JSON.parse(text);
    if (typeof id === "number" || typeof id === "string") return { kind: "answer", id };
  } catch {
    // Not JSON: then it names nobody.
  }
  return { kind: "unknown" };
}
