// Every string of a tool that a model may come to read, with its place: name, title, description, hints, and all that stands in the
// schemas, keys too. Walked without recursion, and no further than a bound, as the server chooses the size.
import { pointerTo } from "../../config/document.ts";
import type { JsonValue } from "../../daemon/contract/index.ts";
import type { ReviewTool } from "./types.ts";

export interface VisibleString {
  /** JSON Pointer into the tool's definition. */
  readonly pointer: string;
  readonly text: string;
  /** A name is short and meant for programs: what is odd in it weighs more. */
  readonly role: "name" | "text";
}

/** More strings, or longer text altogether, are not looked at. */
const MOST_STRINGS = 50_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** `all` is false when the bound was reached. */
export function visibleStrings(tool: ReviewTool): { readonly strings: readonly VisibleString[]; readonly all: boolean } {
  const strings: VisibleString[] = [{ pointer: "/name", text: tool.name, role: "name" }];
  const { title, description, annotations, inputSchema, outputSchema } = tool;
  const open: Open[] = [
    { pointer: "/outputSchema", value: outputSchema },
    { pointer: "/inputSchema", value: inputSchema },
    { pointer: "/annotations", value: annotations },
    { pointer: "/description", value: description },
    { pointer: "/title", value: title },
  ];
  let characters = tool.name.length;
  const add = (pointer: string, text: string, role: VisibleString["role"]): void => {
    strings.push({ pointer, text, role });
    characters += text.length + pointer.length;
  };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pointer, value, key } = next;
    if (key !== undefined) add(pointer, key, "name");
    if (typeof value === "string") add(pointer, value, "text");
    else if (typeof value === "object" && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, member] of Object.entries(value).reverse() as readonly (readonly [string, JsonValue])[])
        open.push({ pointer: pointerTo(pointer, name), value: member, ...(isList ? {} : { key: name }) });
    }
    if (strings.length > MOST_STRINGS || characters > MOST_CHARACTERS) return { strings, all: false };
  }
  return { strings, all: true };
}

interface Open {
  readonly pointer: string;
  readonly value: JsonValue | undefined;
  /** A member's own name. */
  readonly key?: string;
}
