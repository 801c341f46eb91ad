// A tool as a review knows it, in one line, rows of such tools, and what real servers publish, where the measured corpus lies
// beside the project.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

interface Listing {
  readonly name: string;
  readonly tools: readonly Partial<ReviewTool>[];
}

const folder = join(import.meta.dirname, "../../../shared/corpus");

/** Empty where the corpus is not there. */
export function corpusServers(): readonly { readonly name: string; readonly tools: readonly ReviewTool[] }[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".json") && file !== "index.json");
  return files.map((file) => {
    const { name, tools } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Listing;
    return { name, tools: tools.map((published) => tool(published.name ?? "", published)) };
  });
}
