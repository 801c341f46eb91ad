// A policy in a file of its own, for scripts: the `tools` object of a server, alone or as the member "tools" of an object. In the
// grammar of the configuration; everything that is wrong with it has its place.
import type { ConfigIssue, ToolPolicy } from "../daemon/contract/index.ts";
import { parseDocument, type ObjectValue } from "./document.ts";
import { Fields, Issues, reportDuplicates } from "./fields.ts";
import { readSource } from "./source.ts";
import { readPolicyObject } from "./tool-policy.ts";

export type PolicyFile =
  | { readonly kind: "read"; readonly policy: ReadonlyMap<string, ToolPolicy> }
  | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

const SHAPE = 'tools and their effects, as "tools" of a server does: {"tool": "read", …}';
const MISSING = "there is no such file: name the one that holds the effects of the tools";

export async function readPolicyFile(path: string): Promise<PolicyFile> {
  const source = await readSource(path, { missing: MISSING });
  return source.kind === "refused" ? source : parsePolicy(source.text);
}

export function parsePolicy(text: string): PolicyFile {
  const document = parseDocument(text, `the file is empty: it must hold an object of ${SHAPE}`);
  if (document.kind === "refused") return document;
  const issues = new Issues();
  const { root } = document;
  if (root.kind !== "object") issues.report(root.place, `the file must hold an object of ${SHAPE}`);
  const policy = root.kind === "object" ? readWhole(root, issues) : undefined;
  return policy === undefined || issues.list.length > 0 ? { kind: "refused", issues: issues.list } : { kind: "read", policy };
}

function readWhole(root: ObjectValue, issues: Issues): ReadonlyMap<string, ToolPolicy> | undefined {
  if (!isWrapped(root)) return readPolicyObject(root, issues);
  // Nothing beside it is passed over in silence.
  reportDuplicates(root, issues, false);
  const tools = new Fields(root, ["tools"], issues).object("tools", SHAPE);
  return tools && readPolicyObject(tools, issues);
}

/** A tool may itself be called "tools": as an object it has an "effect", and is seldom the only one. */
function isWrapped({ members }: ObjectValue): boolean {
  const tools = members.find(({ key }) => key === "tools")?.value;
  if (tools?.kind !== "object") return false;
  return members.length === 1 || !tools.members.some(({ key }) => key === "effect");
}
