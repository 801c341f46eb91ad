// From a server's tool name to the name a model sees: `mcp__{alias}__{tool}`. Pure, and the only place that builds such names; none
// is ever taken apart again. It never invents a suffix: a name that does not fit is refused with the remedy.
import { MAX_TOOL_NAME } from "../contract/index.ts";
import { visibleText } from "./visible-text.ts";

export type ExposureName =
  | { readonly kind: "name"; readonly name: string }
  /** The sentence says what to write into the policy. */
  | { readonly kind: "rejected"; readonly message: string };

const LOCAL_NAME = /^[a-z0-9_]+$/;

/** Most characters of the tool's part, behind this alias. */
export function roomForTool(alias: string): number {
  return MAX_TOOL_NAME - prefix(alias).length;
}

/** `as` is the policy's local name; it takes the tool's place as it stands. */
export function exposureName(alias: string, tool: string, as?: string): ExposureName {
  const room = roomForTool(alias);
  if (as !== undefined && !isLocalName(as))
    return rejected(`"as" in the policy is not a local name: a–z, 0–9 and _ inside, at most ${room} characters`);
  const part = as ?? normalised(tool);
  if (part === "")
    return rejected(
      `nothing is left of the name in a–z, 0–9 and _: give it one with "as" in the policy (at most ${room} characters)`,
    );
  const name = prefix(alias) + part;
  if (name.length <= MAX_TOOL_NAME) return { kind: "name", name };
  const shown = visibleText(name, 160);
  return rejected(
    `the local name "${shown}" has ${name.length} characters and ${MAX_TOOL_NAME} are allowed: ` +
      `give it a shorter one with "as" in the policy (at most ${room} characters)`,
  );
}

function prefix(alias: string): string {
  return `mcp__${alias}__`;
}

function isLocalName(name: string): boolean {
  return LOCAL_NAME.test(name) && !name.startsWith("_") && !name.endsWith("_");
}

function normalised(tool: string): string {
  const folded = tool.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
  let start = 0;
  let end = folded.length;
  while (start < end && folded[start] === "_") start += 1;
  while (end > start && folded[end - 1] === "_") end -= 1;
  return folded.slice(start, end);
}

function rejected(message: string): ExposureName {
  return { kind: "rejected", message };
}
