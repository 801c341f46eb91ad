// The text under which a toolset's tools are kept. A reconnected server publishes the same tools under another connection id;
// the id is taken out of each tool's text and put back when it is read, so that equal content is kept once whoever published it.
import { isSafeNumber, LosslessNumber, parse } from "lossless-json";
import { createHash } from "node:crypto";
import type { ToolView } from "../contract/index.ts";

export interface Content {
  /** SHA-256 (hex) of the text. */
  readonly hash: string;
  /** JSON text of an array. */
  readonly text: string;
}

/** `tools` are canonical JSON texts: keys in code-unit order, so `source` stands last and its members are in this order. */
export function contentOf(tools: readonly string[], connectionId: string): Content {
  const id = `"connectionId":${JSON.stringify(connectionId)},`;
  const mark = `${id}"kind":"mcp","tool":`;
  const bare = tools.map((tool) => {
    // Inside a JSON string every quote is escaped, so a description or a name cannot hold the mark.
    const at = tool.lastIndexOf(mark);
    return at === -1 ? tool : tool.slice(0, at) + tool.slice(at + id.length);
  });
  const text = `[${bare.join(",")}]`;
  return { hash: createHash("sha256").update(text).digest("hex"), text };
}

export function toolsOf(text: string, connectionId: string): readonly ToolView[] {
  return (parseExactly(text) as readonly ToolView[]).map((tool) => {
    const { source } = tool;
    return source.kind === "mcp" ? { ...tool, source: { ...source, connectionId } } : tool;
  });
}

/** Numbers that a double cannot hold stay the text they are, as in the tools that were stored. */
function parseExactly(text: string): unknown {
  if (!/\d{16}|\d[eE]/.test(text)) return JSON.parse(text);
  return parse(text, undefined, (number) => (isSafeNumber(number) ? Number(number) : new LosslessNumber(number)));
}
