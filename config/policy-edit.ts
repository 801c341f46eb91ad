// Writes a reviewed policy into the text of a configuration: each tool on its own, so that comments between them stay and what
// else is said of a tool (its time limit, its approval) is kept.
import type { JsonValue, ToolPolicy } from "../daemon/contract/index.ts";
import { memberAt, parseDocument } from "./document.ts";
import { removeAt, setAt } from "./edit.ts";

export type Decision = Pick<ToolPolicy, "effect" | "as">;

/** `decisions`: all published tools, in the order in which new ones are to be written. The text must parse. */
export function withPolicy(text: string, alias: string, decisions: ReadonlyMap<string, Decision>): string {
  const tools = ["mcpServers", alias, "tools"] as const;
  const present = toolsOf(text, alias);
  if (present === undefined) {
    const policy = Object.fromEntries([...decisions].map(([tool, decision]) => [tool, short(decision)]));
    return setAt(text, [...tools], policy);
  }
  let edited = text;
  for (const tool of present.keys()) if (!decisions.has(tool)) edited = removeAt(edited, [...tools, tool]);
  for (const [tool, decision] of decisions) edited = decide(edited, [...tools, tool], present.get(tool), decision);
  return edited;
}

type Present = "text" | "object" | "other";

function decide(text: string, path: [string, ...string[]], present: Present | undefined, decision: Decision): string {
  if (present !== "object") return setAt(text, path, short(decision));
  const { effect, as } = decision;
  const withEffect = setAt(text, [...path, "effect"], effect);
  return as === undefined ? removeAt(withEffect, [...path, "as"]) : setAt(withEffect, [...path, "as"], as);
}

const short = ({ effect, as }: Decision): JsonValue => (as === undefined ? effect : { effect, as });

function toolsOf(text: string, alias: string): ReadonlyMap<string, Present> | undefined {
  const document = parseDocument(text);
  const value = document.kind === "ok" ? memberAt(document.root, ["mcpServers", alias, "tools"])?.value : undefined;
  if (value?.kind !== "object") return undefined;
  return new Map(
    value.members.map(({ key, value: { kind } }) => [key, kind === "string" ? "text" : kind === "object" ? "object" : "other"]),
  );
}
