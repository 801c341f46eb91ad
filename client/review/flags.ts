// What a person should look at twice before a model reads it: signs that cannot be seen, texts that speak to the model or about
// other tools, things that hide. A flag is no refusal: honest servers do some of it too. Every string that reaches a model is
// looked at, member names too; the work is bounded whatever the server wrote.
import { MAX_TOOL_NAME, type JsonValue } from "../../daemon/contract/index.ts";
import { visible } from "../output/visible.ts";
import { cut } from "../output/width.ts";
import type { Flag, ReviewTool } from "./types.ts";

/** Per tool; more are said to be there. */
const MAX_FLAGS = 20;
/** Longer texts are looked at so far: they are refused or flagged for their length anyway. */
const MAX_TEXT = 256 * 1024;
const EXCERPT = 100;
/** What model providers take of a description, and what a schema rarely needs (the reference corpus: 12 of 3,137 tools). */
const LONG_DESCRIPTION = 1_024;
const LARGE_SCHEMA = 16 * 1024;

interface Pattern {
  readonly kind: Flag["kind"];
  readonly message: string;
  /** Every repetition in it is bounded. */
  readonly find: RegExp;
}

const PATTERNS: readonly Pattern[] = [
  {
    kind: "addresses_model",
    message: "speaks to the model",
    find: /\b(?:ignore|disregard|forget|override) (?:all |any |the |your |every )?(?:previous|prior|above|earlier|other|preceding|existing) (?:\w{1,20} )?(?:instruction|rule|message|prompt|direction|context|tool)s?\b|\b(?:system prompt|hidden instruction|jailbreak)|\b(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|disclose|ask|asking|notify|notifying)(?: \w{1,20}){0,5} (?:user|human|person|anyone)\b|\byou are (?:now |an? )(?:\w{1,20} )?(?:assistant|agent|ai|model)\b/i,
  },
  {
    kind: "addresses_model",
    message: "tells the model when to call tools",
    find: /\b(?:always|must|first) (?:call|use|invoke|run) (?:this|the) (?:tool|function)\b|\b(?:before|instead of|rather than) (?:using |calling |running )?(?:any other|all other|other|another) (?:\w{1,20} )?tools?\b|\bthis tool (?:must|should) (?:always |first )?be (?:called|used|run)\b/i,
  },
  { kind: "names_tools", message: "names tools of a pool", find: /\bmcp__[a-z0-9_]{1,64}|\b(?:connect|disconnect)_mcp\b/i },
  {
    kind: "markup",
    message: "holds markup that models take for instructions",
    find: /<\/?(?:system|important|instructions?|assistant|user|human|prompt|secret|admin)\b[^>]{0,100}>|<!--|\[\/?INST\]|<\|[a-z_]{1,30}\|>/i,
  },
  {
    kind: "link",
    message: "holds an address that carries data or code",
    find: /\b(?:data:[a-z]{1,20}\/[a-z0-9.+-]{1,40};base64,|javascript:|vbscript:)/i,
  },
  { kind: "encoded", message: "holds a long encoded text", find: /[A-Za-z0-9+/]{120}/ },
];

export function flagTool(tool: ReviewTool): readonly Flag[] {
  const flags = new Found();
  for (const { pointer, text, name } of stringsOf(tool)) {
    const seen = text.slice(0, MAX_TEXT);
    flagInvisible(seen, pointer, flags);
    for (const { kind, message, find } of PATTERNS) {
      const at = seen.search(find);
      if (at !== -1) flags.add({ kind, pointer, message, excerpt: around(seen, at) });
    }
    if (name && mixesScripts(seen))
      flags.add({
        kind: "mixed_scripts",
        pointer,
        message: "mixes letters of several scripts that look alike",
        excerpt: around(seen, 0),
      });
    if (flags.full) break;
  }
  if (tool.description.length > LONG_DESCRIPTION) {
    const message = `has ${tool.description.length} characters: some providers take ${LONG_DESCRIPTION} and cut or refuse the rest`;
    flags.add({ kind: "long", pointer: "/description", message });
  }
  const size = JSON.stringify(tool.inputSchema).length;
  if (size > LARGE_SCHEMA) flags.add({ kind: "long", pointer: "/inputSchema", message: `has ${size} characters` });
  if (tool.exposedName.length > MAX_TOOL_NAME) {
    const message = `would have ${tool.exposedName.length} characters, ${MAX_TOOL_NAME} are allowed: give it a shorter one with "as"`;
    flags.add({ kind: "name", pointer: "/name", message });
  }
  return flags.list;
}

class Found {
  readonly list: Flag[] = [];

  get full(): boolean {
    return this.list.length >= MAX_FLAGS;
  }

  add(flag: Flag): void {
    if (!this.full) this.list.push(flag);
  }
}

function flagInvisible(text: string, pointer: string, flags: Found): void {
  const plain = text.replaceAll(/[\n\r\t]/g, " ");
  // Joiners inside emoji are how emoji are written.
  const joined = plain.replaceAll(/(?<=[\p{Extended_Pictographic}\ufe0f])\u200d(?=\p{Extended_Pictographic})/gu, " ");
  const shown = visible(joined);
  if (shown === joined) return;
  const at = Array.from(joined).findIndex((sign) => visible(sign) !== sign);
  const excerpt = cut(
    Array.from(shown)
      .slice(Math.max(0, at - 20))
      .join(""),
    EXCERPT,
  );
  flags.add({ kind: "invisible", pointer, message: "holds characters that cannot be seen", excerpt });
}

function mixesScripts(text: string): boolean {
  return (
    /\p{Script=Latin}/u.test(text) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(text)
  );
}

function around(text: string, at: number): string {
  return cut(visible(text.slice(Math.max(0, at - 20), at + EXCERPT).trim()), EXCERPT);
}

interface Text {
  readonly pointer: string;
  readonly text: string;
  /** A name that others refer to. */
  readonly name: boolean;
}

function* stringsOf(tool: ReviewTool): Generator<Text> {
  yield { pointer: "/name", text: tool.name, name: true };
  if (tool.title !== undefined) yield { pointer: "/title", text: tool.title, name: false };
  yield { pointer: "/description", text: tool.description, name: false };
  // The depth and the number of nodes were bounded when the list was read.
  for (const member of ["annotations", "inputSchema", "outputSchema"] as const) {
    const value = tool[member];
    if (value !== undefined) yield* inside(value, `/${member}`);
  }
}

function* inside(value: JsonValue, pointer: string): Generator<Text> {
  if (typeof value === "string") yield { pointer, text: value, name: false };
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const at = `${pointer}/${key.slice(0, 128).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Array.isArray(value)) yield { pointer: at, text: key, name: true };
    yield* inside(member, at);
  }
}
