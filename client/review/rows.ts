// From what a look in quarantine found to the lines a person decides over: each tool with its proposal, its cost, its flags, and
// how it differs from what was reviewed before.
import {
  isJsonObject,
  type InspectedTool,
  type Inspection,
  type JsonObject,
  type JsonValue,
} from "../../daemon/contract/index.ts";
import { exposedName } from "../../config/exposed-name.ts";
import { costOf } from "./cost.ts";
import { flagTool } from "./flags.ts";
import { suggestNames } from "./name-plan.ts";
import { proposeEffect } from "./propose-effect.ts";
import type { Subject } from "./subjects.ts";
import { isSerious, type Choice, type Flag, type Proposal, type ReviewTool, type Row } from "./types.ts";

export interface Rows {
  /** In the order of the server's list. */
  readonly rows: readonly Row[];
  /** In the policy or pinned, and no longer published. */
  readonly gone: readonly string[];
}

export async function reviewRows({ entry, locked }: Subject, { tools }: Inspection): Promise<Rows> {
  const policy = entry.policy ?? new Map<string, never>();
  const kept = new Map([...policy].flatMap(([name, { as }]) => (as === undefined ? [] : [[name, as]])));
  const suggestions = suggestNames(
    entry.alias,
    tools.map(({ name }) => name),
    kept,
  );
  const rows: Row[] = [];
  for (const inspected of tools) {
    const rule = policy.get(inspected.name);
    const tool = reviewTool(entry.alias, inspected, rule?.as);
    const flags = flagTool(tool);
    const proposal = withFlags(proposeEffect(tool), flags);
    const refused = proposal.effect === "hidden";
    const initial: Choice =
      rule === undefined || refused
        ? { effect: proposal.effect }
        : { effect: rule.effect, ...(rule.as === undefined ? {} : { as: rule.as }) };
    const change = changeOf(
      inspected,
      locked?.tools.get(inspected.name)?.digest,
      locked !== undefined && rule?.effect !== "hidden",
    );
    const suggestedAs = suggestions.get(inspected.name);
    rows.push({
      ...{ tool, initial, proposal, cost: await costOf(tool), flags },
      ...(change === undefined ? {} : { change }),
      ...(suggestedAs === undefined ? {} : { suggestedAs }),
    });
  }
  const published = new Set(tools.map(({ name }) => name));
  return { rows, gone: [...new Set([...policy.keys(), ...(locked?.tools.keys() ?? [])])].filter((name) => !published.has(name)) };
}

/** Who hides something or speaks to the model is not believed to only look. */
function withFlags(proposal: Proposal, flags: readonly Flag[]): Proposal {
  const flag = flags.find(isSerious);
  if (proposal.effect !== "read" || flag === undefined) return proposal;
  return { effect: "write", why: `its name only looks, but it has something to look at twice: ${flag.pointer} ${flag.message}` };
}

function changeOf({ digest }: InspectedTool, pinned: string | undefined, expected: boolean): Row["change"] | undefined {
  if (pinned === undefined) return expected ? "new" : undefined;
  return pinned === digest ? undefined : "changed";
}

function reviewTool(alias: string, { name, definition, refusals, notes }: InspectedTool, as: string | undefined): ReviewTool {
  const { title, description, annotations, inputSchema, outputSchema } = definitionOf(definition);
  return {
    alias,
    name,
    exposedName: exposedName(alias, name, as === undefined ? {} : { as }),
    ...(typeof title === "string" ? { title } : {}),
    description: typeof description === "string" ? description : "",
    ...(annotations !== undefined && isJsonObject(annotations) ? { annotations } : {}),
    inputSchema: inputSchema ?? {},
    ...(outputSchema === undefined ? {} : { outputSchema }),
    refusals,
    notes,
  };
}

/** The daemon's own canonical text; for showing, a number that a double cannot hold may lose its last digits. */
export function definitionOf(text: string): JsonObject {
  const value = JSON.parse(text) as JsonValue;
  return isJsonObject(value) ? value : {};
}
