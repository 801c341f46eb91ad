// Walks the pages of `tools/list` to the end: until `nextCursor` is absent (an empty string is a cursor). A walk that does not come
// to a clean end fails as a whole; a part is never given out as the list. The tools themselves are not looked at.
import { UpstreamError } from "./port.ts";

export const LIST_LIMITS = Object.freeze({ pages: 1_000, tools: 10_000 });

export type ListRule =
  | "error_answer"
  | "result_not_an_object"
  | "tools_not_a_list"
  | "cursor_not_text"
  | "repeated_cursor"
  | "too_many_pages"
  | "too_many_tools"
  | "too_large";

const SENTENCES: Readonly<Record<ListRule, string>> = {
  error_answer: "The server answered tools/list with an error",
  result_not_an_object: "The answer to tools/list is no object",
  tools_not_a_list: "The `tools` of an answer to tools/list are no list",
  cursor_not_text: "The `nextCursor` of an answer to tools/list is no text",
  repeated_cursor: "The pages of tools/list lead back to an earlier page",
  too_many_pages: "The list of tools has more pages than are walked",
  too_many_tools: "The list of tools is longer than is read",
  too_large: "An answer to tools/list is larger than the longest message",
};

export function listFailed(rule: ListRule, more: Readonly<Record<string, unknown>> = {}): UpstreamError {
  return new UpstreamError("list_failed", SENTENCES[rule], { rule, ...more });
}

/** `fetchPage` gives the `result` of one page. Rejects `list_failed`, and whatever `fetchPage` rejects. */
export async function walkPages(fetchPage: (cursor: string | undefined) => Promise<unknown>): Promise<readonly unknown[]> {
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= LIST_LIMITS.pages; page++) {
    const result = await fetchPage(cursor);
    if (typeof result !== "object" || result === null || Array.isArray(result))
      throw listFailed("result_not_an_object", { page });
    const more: unknown = "tools" in result ? result.tools : undefined;
    if (!Array.isArray(more)) throw listFailed("tools_not_a_list", { page });
    if (tools.length + more.length > LIST_LIMITS.tools) throw listFailed("too_many_tools", { page, limit: LIST_LIMITS.tools });
    for (const tool of more) tools.push(tool);
    const next: unknown = "nextCursor" in result ? result.nextCursor : undefined;
    // `null` is how some languages write "absent".
    if (next === undefined || next === null) return tools;
    if (typeof next !== "string") throw listFailed("cursor_not_text", { page });
    if (seen.has(next)) throw listFailed("repeated_cursor", { page });
    seen.add(next);
    cursor = next;
  }
  throw listFailed("too_many_pages", { limit: LIST_LIMITS.pages });
}
