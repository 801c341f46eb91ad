// The name a tool will have, by the rule of DESIGN 3.2. Admission decides; this is the forecast that `toolpool check` gives before
// any server runs, and a test holds the two together.
import { MAX_TOOL_NAME, type ToolPolicy } from "../daemon/contract/index.ts";

export function exposedName(alias: string, tool: string, { as }: Pick<ToolPolicy, "as">): string {
  return `mcp__${alias}__${as ?? localName(tool)}`;
}

/** Undefined for a name that fits; else what is wrong with it, and the remedy. */
export function nameProblem(alias: string, tool: string, policy: Pick<ToolPolicy, "as">): string | undefined {
  const name = exposedName(alias, tool, policy);
  const room = `at most ${MAX_TOOL_NAME - exposedName(alias, "", { as: "" }).length} characters`;
  if (policy.as === undefined && localName(tool) === "")
    return `nothing is left of this name in a–z, 0–9 and _: give the tool one with {"effect": …, "as": …} (${room})`;
  if (name.length <= MAX_TOOL_NAME) return undefined;
  return `its local name would have ${name.length} characters and ${MAX_TOOL_NAME} are allowed: give it a shorter one with {"effect": …, "as": …} (${room})`;
}

/** Cut by index: a pattern that trims runs at an end takes quadratic time on a long name. */
export function localName(tool: string): string {
  const folded = tool.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
  let start = 0;
  let end = folded.length;
  while (start < end && folded[start] === "_") start += 1;
  while (end > start && folded[end - 1] === "_") end -= 1;
  return folded.slice(start, end);
}
