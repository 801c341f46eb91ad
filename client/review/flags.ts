// What a person should look at twice before a model reads it: signs that cannot be seen, text that passes for something else, that
// speaks to the model or about other tools, and what will not fit. A flag is no refusal: honest servers do some of it too. Every
// string that reaches a model is looked at, member names too; the work is linear in what the server wrote, and bounded.
import { MAX_TOOL_NAME } from "../../daemon/contract/index.ts";
import { visible } from "../output/visible.ts";
import { cut } from "../output/width.ts";
import { invisibleIn, mixedScriptsIn } from "./flag-signs.ts";
import { encodedIn, WORDINGS } from "./flag-wording.ts";
import type { Flag, ReviewTool } from "./types.ts";
import { visibleStrings, type VisibleString } from "./visible-strings.ts";

/** Per tool; of more it is said how many there are. */
const MAX_FLAGS = 20;
/** What model providers take of a description, and what a schema rarely needs (the reference corpus: 12 of 3,137 tools). */
const LONG_DESCRIPTION = 1_024;
const LARGE_SCHEMA = 16 * 1024;
const EXCERPT = 100;
const BEFORE = 20;

export function flagTool(tool: ReviewTool): readonly Flag[] {
  const { strings, all } = visibleStrings(tool);
  const flags = [...strings.flatMap(stringFlags), ...sizeFlags(tool)];
  if (!all) flags.push({ kind: "long", pointer: "", message: "is so large that only its start was looked at" });
  if (flags.length <= MAX_FLAGS) return flags;
  const more = `has ${flags.length - MAX_FLAGS + 1} more such places, which are not listed`;
  return [...flags.slice(0, MAX_FLAGS - 1), { kind: "long", pointer: "", message: more }];
}

function stringFlags({ pointer, text, role }: VisibleString): readonly Flag[] {
  const name = role === "name";
  const flags: Flag[] = [];
  const add = (kind: Flag["kind"], message: string, from: string, at: number): void => {
    flags.push({ kind, pointer, message, excerpt: around(from, at) });
  };
  const hidden = invisibleIn(text, name);
  if (hidden !== undefined) add("invisible", hidden.message, text, hidden.at);
  const mixed = mixedScriptsIn(text, name);
  if (mixed !== undefined) add("mixed_scripts", mixed.message, text, mixed.at);
  // Words that are broken up by signs nobody sees are read as the model reads them.
  const folded = foldOf(text);
  const told = new Set<string>();
  for (const { kind, message, pattern } of WORDINGS) {
    const at = told.has(message) ? -1 : folded.search(pattern);
    if (at === -1) continue;
    told.add(message);
    add(kind, message, folded, at);
  }
  const blob = encodedIn(folded);
  if (blob !== undefined) add("encoded", "holds a long run of what looks like encoded text", folded, blob);
  return flags;
}

const UNSEEN = /[\p{Cf}\p{Co}\u115f\u1160\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const foldOf = (text: string): string => (/^[\0-\x7f]*$/.test(text) ? text : text.normalize("NFKC").replace(UNSEEN, ""));

function around(text: string, at: number): string {
  return cut(visible(text.slice(Math.max(0, at - BEFORE), at + EXCERPT).trim()), EXCERPT);
}

function sizeFlags({ exposedName, description, inputSchema, outputSchema }: ReviewTool): readonly Flag[] {
  const flags: Flag[] = [];
  if (description.length > LONG_DESCRIPTION) {
    const message = `has ${description.length} characters: some providers take ${LONG_DESCRIPTION} and cut or refuse the rest`;
    flags.push({ kind: "long", pointer: "/description", message });
  }
  for (const [pointer, schema] of [["/inputSchema", inputSchema] as const, ["/outputSchema", outputSchema] as const]) {
    const size = schema === undefined ? 0 : JSON.stringify(schema).length;
    if (size > LARGE_SCHEMA) flags.push({ kind: "long", pointer, message: `has ${size} characters` });
  }
  if (exposedName.length > MAX_TOOL_NAME) {
    const message = `would have ${exposedName.length} characters, ${MAX_TOOL_NAME} are allowed: give it a shorter one with "as"`;
    flags.push({ kind: "name", pointer: "/name", message });
  }
  return flags;
}
