// A policy in a file of its own, for scripts: the `tools` object of a server, alone or as the member "tools" of an object.
import type { ConfigIssue, ToolPolicy } from "../daemon/contract/index.ts";
import { memberAt, parseDocument } from "./document.ts";
import { Issues } from "./fields.ts";
import { readSource } from "./source.ts";
import { readPolicyObject } from "./tool-policy.ts";

export type PolicyFile =
  | { readonly kind: "read"; readonly policy: ReadonlyMap<string, ToolPolicy> }
  | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

export async function readPolicyFile(path: string): Promise<PolicyFile> {
  const source = await readSource(path, { missing: "there is no such file" });
  if (source.kind === "refused") return source;
  const document = parseDocument(source.text);
  if (document.kind === "refused") return document;
  const { root } = document;
  const inner = memberAt(root, ["tools"])?.value;
  const object = inner?.kind === "object" ? inner : root;
  const issues = new Issues();
  if (object.kind !== "object") {
    issues.report(object.place, 'the file must hold an object of tools and their effects, as "tools" of a server does');
    return { kind: "refused", issues: issues.list };
  }
  const policy = readPolicyObject(object, issues);
  return issues.list.length > 0 ? { kind: "refused", issues: issues.list } : { kind: "read", policy };
}
