// The effects of one server from a file, for `--policy`: `{"tools": {…}}` as it stands in a server's entry, or a whole
// configuration, of which the entry of the alias counts. Read by the rules of the configuration itself. Every published tool must
// be named and no other one; all that is wrong is told at once, with its place.
import { exposedName, nameProblem } from "../../config/exposed-name.ts";
import { memberAt, parseDocument, type Member, type ObjectValue } from "../../config/document.ts";
import { Fields, Issues, quoted, reportDuplicates } from "../../config/fields.ts";
import { readToolPolicies } from "../../config/tool-policy.ts";
import { pointerTo } from "../../config/document.ts";
import type { ConfigIssue, ToolPolicy } from "../../daemon/contract/index.ts";

export interface PolicyPlace {
  readonly alias: string;
  /** Names of all tools the server publishes. */
  readonly published: readonly string[];
}

export type PolicyFile =
  | { readonly kind: "read"; readonly policies: ReadonlyMap<string, ToolPolicy> }
  | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

export function readPolicyFile(text: string, { alias, published }: PolicyPlace): PolicyFile {
  const document = parseDocument(text);
  if (document.kind === "refused") return document;
  const issues = new Issues();
  const { root } = document;
  const tools = root.kind === "object" ? toolsOf(root, alias, issues) : undefined;
  if (root.kind !== "object") issues.report(root.place, 'the file must hold an object: {"tools": {"name": "effect", …}}');
  if (tools === undefined) return { kind: "refused", issues: issues.list };
  reportDuplicates(tools.value, issues);
  const holder: ObjectValue = { kind: "object", place: tools.place, members: [tools] };
  const policies = readToolPolicies(new Fields(holder, ["tools"], issues), issues) ?? new Map<string, ToolPolicy>();
  if (tools.value.kind === "object") reportDifferences(tools.value, published, issues);
  reportNames(alias, policies, tools.value.kind === "object" ? tools.value : undefined, issues);
  const found = issues.list;
  return found.length > 0 ? { kind: "refused", issues: found } : { kind: "read", policies };
}

function toolsOf(root: ObjectValue, alias: string, issues: Issues): Member | undefined {
  const servers = memberAt(root, ["mcpServers"]);
  if (servers === undefined) {
    const fields = new Fields(root, ["tools", "$schema"], issues);
    const tools = fields.member("tools");
    if (tools === undefined) fields.missing("tools", '"tools" is missing: an object of the names of tools and their effects');
    return tools;
  }
  const tools = memberAt(root, ["mcpServers", alias, "tools"]);
  if (tools !== undefined) return tools;
  const entry = memberAt(root, ["mcpServers", alias]);
  const where = entry ?? servers;
  const missing = entry === undefined ? `there is no server ${quoted(alias)} in this file` : '"tools" is missing in this server';
  issues.report(where.place, `${missing}: write {"tools": {…}}, or name a file that has it`);
  return undefined;
}

/** A tool that the file does not name is told where it would have to stand. */
function reportDifferences({ members, place }: ObjectValue, published: readonly string[], issues: Issues): void {
  const known = new Set(published);
  const named = new Set(members.map(({ key }) => key));
  for (const { key, place: at } of members)
    if (!known.has(key)) issues.report(at, `the server publishes no tool ${quoted(key)}: remove it`);
  for (const tool of published)
    if (!named.has(tool))
      issues.report({ ...place, pointer: pointerTo(place.pointer, tool) }, `${quoted(tool)} is published and has no effect here`);
}

function reportNames(
  alias: string,
  policies: ReadonlyMap<string, ToolPolicy>,
  tools: ObjectValue | undefined,
  issues: Issues,
): void {
  const taken = new Map<string, string>();
  for (const [tool, policy] of policies) {
    const place = tools?.members.find(({ key }) => key === tool)?.place;
    if (policy.effect === "hidden" || place === undefined) continue;
    const problem = nameProblem(alias, tool, policy);
    const name = exposedName(alias, tool, policy);
    const other = taken.get(name);
    if (problem !== undefined) issues.report(place, problem);
    else if (other !== undefined)
      issues.report(place, `its local name is that of ${quoted(other)} too: give one of them another with "as"`);
    else taken.set(name, tool);
  }
}
