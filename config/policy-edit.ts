// Writes a reviewed policy into the text of a configuration: each tool on its own, so that comments between them stay and what
// else is said of a tool (its time limit, its approval) is kept where the decision does not say it anew.
import type { JsonValue, ToolPolicy } from "../daemon/contract/index.ts";
import { memberAt, parseDocument } from "./document.ts";
import { removeAt, setAt } from "./edit.ts";

/** Without `as` the tool has its own name; what else it does not say stays as it stands. */
export type Decision = ToolPolicy;

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
  let edited = decision.as === undefined ? removeAt(text, [...path, "as"]) : text;
  for (const [key, value] of Object.entries(settingsOf(decision))) edited = setAt(edited, [...path, key], value);
  return edited;
}

function short(decision: Decision): JsonValue {
  const settings = settingsOf(decision);
  return Object.keys(settings).length === 1 ? decision.effect : settings;
}

const settingsOf = ({ effect, as, timeoutMs, concurrent, approval }: Decision): Readonly<Record<string, JsonValue>> => ({
  effect,
  ...(as === undefined ? {} : { as }),
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
  ...(concurrent === undefined ? {} : { concurrent }),
  ...(approval === undefined ? {} : { approval }),
});

function toolsOf(text: string, alias: string): ReadonlyMap<string, Present> | undefined {
  const document = parseDocument(text);
  const value = document.kind === "ok" ? memberAt(document.root, ["mcpServers", alias, "tools"])?.value : undefined;
  if (value?.kind !== "object") return undefined;
  return new Map(
    value.members.map(({ key, value: { kind } }) => [key, kind === "string" ? "text" : kind === "object" ? "object" : "other"]),
  );
}
