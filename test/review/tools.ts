// Tools as a review sees them, made for tests; and what real servers publish, where the measured corpus lies beside the project.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { flagTool } from "../../client/review/flags.ts";
import { proposeEffect } from "../../client/review/propose-effect.ts";
import type { ReviewTool, Row } from "../../client/review/types.ts";

export function tool(name: string, more: Partial<ReviewTool> = {}): ReviewTool {
  const exposedName = `mcp__files__${name}`;
  return { name, exposedName, description: "", inputSchema: { type: "object" }, refusals: [], notes: [], ...more };
}

export function row(name: string, more: Partial<ReviewTool> = {}, rest: Partial<Row> = {}): Row {
  const made = tool(name, more);
  const proposal = proposeEffect(made);
  return {
    tool: made,
    initial: { effect: proposal.effect },
    proposal,
    cost: { bytes: 400, tokens: 100 },
    flags: flagTool(made),
    ...rest,
  };
}

export const refused = { refusals: [{ code: "schema_rejected", pointer: "/inputSchema", message: "has no type" }] };

interface Listing {
  readonly name: string;
  readonly tools: readonly Pick<ReviewTool, "name" | "title" | "annotations" | "inputSchema">[];
}

const folder = join(import.meta.dirname, "../../../shared/corpus");

/** Empty where the corpus is not there. */
export function corpusServers(): readonly { readonly name: string; readonly tools: readonly ReviewTool[] }[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".json") && file !== "index.json");
  return files.map((file) => {
    const { name, tools } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Listing;
    return { name, tools: tools.map((published) => tool(published.name, published)) };
  });
}
