// What a person should look at before a tool is let in: text that cannot be seen, that passes for something else, that speaks to
// the model or of other tools, and what will not fit. Every model-visible string is looked at; the work is linear in its length.
// A flag refuses nothing: most of what real servers write is meant well, and the person decides.
import { MAX_TOOL_NAME } from "../../daemon/contract/index.ts";
import { visible } from "../output/visible.ts";
import { invisibleIn, mixedScriptsIn } from "./flag-signs.ts";
import { encodedIn, WORDINGS } from "./flag-wording.ts";
import type { Flag, ReviewTool } from "./types.ts";
import { visibleStrings, type VisibleString } from "./visible-strings.ts";

export interface FlagContext {
  /** A local name that would do, where the tool's own does not. */
  readonly suggestedAs?: string;
}

const MOST_FLAGS = 40;
/** Longest description that OpenAI takes; a longer one is cut for its models. */
const MOST_DESCRIPTION = 1_024;
const LARGE_SCHEMA = 16 * 1_024;

export function flagTool(tool: ReviewTool, context: FlagContext = {}): readonly Flag[] {
  const { strings, all } = visibleStrings(tool);
  const flags = [...nameFlags(tool, context), ...strings.flatMap(stringFlags), ...sizeFlags(tool)];
  if (!all) flags.push({ kind: "long", pointer: "", message: "is so large that only its start was looked at" });
  if (flags.length <= MOST_FLAGS) return flags;
  const more: Flag = { kind: "long", pointer: "", message: `${flags.length - MOST_FLAGS} more of the same kind are not listed` };
  return [...flags.slice(0, MOST_FLAGS), more];
}

function stringFlags({ pointer, text, role }: VisibleString): readonly Flag[] {
  const flags: Flag[] = [];
  const add = (kind: Flag["kind"], message: string, from: string, at: number, length = 1): void => {
    flags.push({
      kind,
      pointer,
      message: role === "name" && pointer !== "/name" ? `the name ${message}` : message,
      excerpt: excerptOf(from, at, length),
    });
  };
  const hidden = invisibleIn(text, role === "name");
  if (hidden !== undefined) add("invisible", hidden.message, text, hidden.at);
  const mixed = mixedScriptsIn(text, role === "name");
  if (mixed !== undefined) add("mixed_scripts", mixed.message, text, mixed.at);
  // Words that are broken up by signs nobody sees are read as the model reads them.
  const folded = foldOf(text);
  const told = new Set<string>();
  for (const { kind, message, pattern } of WORDINGS) {
    if (told.has(message)) continue;
    const match = pattern.exec(folded);
    if (match === null) continue;
    told.add(message);
    add(kind, message, folded, match.index, match[0].length);
  }
  const blob = encodedIn(folded);
  if (blob !== undefined) add("encoded", "holds a long run of what looks like encoded text", folded, blob, 40);
  return flags;
}

const UNSEEN = /[\p{Cf}\p{Co}\u115f\u1160\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const foldOf = (text: string): string => (/^[\0-\x7f]*$/.test(text) ? text : text.normalize("NFKC").replace(UNSEEN, ""));

const AROUND = 28;

function excerptOf(text: string, at: number, length: number): string {
  const start = Math.max(0, at - AROUND);
  const end = Math.min(text.length, at + Math.min(length, 80) + AROUND);
  const middle = visible(text.slice(start, end));
  return `${start > 0 ? "…" : ""}${middle}${end < text.length ? "…" : ""}`;
}

function nameFlags({ exposedName, name, refusals }: ReviewTool, { suggestedAs }: FlagContext): readonly Flag[] {
  const remedy = suggestedAs === undefined ? 'give it one with "as"' : `give it one with "as", for example "${suggestedAs}"`;
  if (exposedName.length > MAX_TOOL_NAME) {
    const message = `its local name would have ${exposedName.length} characters and ${MAX_TOOL_NAME} are allowed: ${remedy}`;
    return [{ kind: "name", pointer: "/name", message, excerpt: excerptOf(name, 0, 80) }];
  }
  const refusal = refusals.find(({ code }) => code === "name_rejected" || code === "name_collision");
  if (refusal === undefined) return [];
  const what = refusal.code === "name_collision" ? "its local name is that of another tool too" : "its name gives no local name";
  return [{ kind: "name", pointer: "/name", message: `${what}: ${remedy}`, excerpt: excerptOf(name, 0, 80) }];
}

function sizeFlags({ description, inputSchema, outputSchema }: ReviewTool): readonly Flag[] {
  const flags: Flag[] = [];
  if (description.length > MOST_DESCRIPTION)
    flags.push({
      kind: "long",
      pointer: "/description",
      message: `has ${description.length} characters: OpenAI takes ${MOST_DESCRIPTION}, its models get the start`,
    });
  const schemas = [
    ["/inputSchema", inputSchema],
    ["/outputSchema", outputSchema],
  ] as const;
  for (const [pointer, schema] of schemas) {
    const bytes = schema === undefined ? 0 : Buffer.byteLength(JSON.stringify(schema));
    if (bytes > LARGE_SCHEMA) flags.push({ kind: "long", pointer, message: `is large (${bytes} bytes)` });
  }
  return flags;
}
