// One server's entry as a person reviews it: what it starts and what its policy says, as written. No variable is looked up, so
// that it reads the same in every environment, and whatever else is wrong in the file is not asked about.
import { canonicalJson, type ConfigIssue, type ToolPolicy, type WrittenLaunch } from "../daemon/contract/index.ts";
import { textDigest } from "./digest.ts";
import { memberAt, parseDocument } from "./document.ts";
import { Fields, Issues } from "./fields.ts";
import { referencesIn } from "./expand.ts";
import { writtenLaunch } from "./launch.ts";
import { readToolPolicies } from "./tool-policy.ts";

export interface Entry {
  readonly alias: string;
  readonly written: WrittenLaunch;
  readonly launchDigest: string;
  /** Undefined when nobody has reviewed it. */
  readonly policy: ReadonlyMap<string, ToolPolicy> | undefined;
  /** Names of variables that the launch refers to, without those that have a default; in code-unit order. */
  readonly variables: readonly string[];
  readonly disabled: boolean;
}

export type Entries =
  | { readonly kind: "read"; readonly entries: ReadonlyMap<string, Entry> }
  | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

/** Entries that are no objects or have no command are left out: the check of the configuration tells about them. */
export function readEntries(text: string): Entries {
  const document = parseDocument(text);
  if (document.kind === "refused") return document;
  const servers = memberAt(document.root, ["mcpServers"])?.value;
  const entries = new Map<string, Entry>();
  for (const { key: alias, value } of servers?.kind === "object" ? servers.members : []) {
    if (value.kind !== "object" || entries.has(alias)) continue;
    const written = writtenLaunch(value);
    if (written.command === "") continue;
    const fields = new Fields(
      value,
      value.members.map(({ key }) => key),
      new Issues(),
    );
    entries.set(alias, {
      alias,
      written,
      launchDigest: textDigest(canonicalJson(written)),
      policy: readToolPolicies(fields, new Issues()),
      variables: referencesIn(value),
      disabled: fields.flag("disabled", false),
    });
  }
  return { kind: "read", entries };
}
