// A tool as a review knows it, in one line, and rows of such tools.
import type { Row, ReviewTool } from "../../client/review/types.ts";
import { exposedName } from "../../config/exposed-name.ts";

export function tool(name: string, more: Partial<ReviewTool> = {}): ReviewTool {
  const alias = more.alias ?? "alpha";
  return {
    ...{ alias, name, exposedName: exposedName(alias, name, {}), description: "", inputSchema: { type: "object" } },
    ...{ refusals: [], notes: [] },
    ...more,
  };
}

export const refused = { refusals: [{ code: "schema_rejected", pointer: "/inputSchema/type", message: "must be object" }] };

export function row(name: string, more: Partial<Row> = {}, toolMore: Partial<ReviewTool> = {}): Row {
  return {
    tool: tool(name, toolMore),
    initial: { effect: "write" },
    proposal: { effect: "write", why: "nothing says that it only looks" },
    cost: { bytes: 10, tokens: 5 },
    flags: [],
    ...more,
  };
}
