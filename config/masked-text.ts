// The text of a configuration for showing: what may be a secret is replaced where it stands, everything else is as it is. Values
// of variables, headers and addresses' queries go unless they only refer to a variable; arguments by what they look like.
import { findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import { maskArgs } from "./secrets.ts";

const HIDDEN = '"…"';
/** Nothing but references to variables without a default. */
const REFERENCES = /^(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/;

/** A text that does not parse is shown not at all. */
export function maskedText(text: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const servers = root && findNodeAtLocation(root, ["mcpServers"]);
  if (servers?.type !== "object") return root === undefined ? "" : text;
  const masks: { readonly node: Node; readonly shown: string }[] = [];
  for (const { children: [, server] = [] } of servers.children ?? []) {
    if (server?.type !== "object") continue;
    for (const key of ["env", "headers"]) {
      const values = findNodeAtLocation(server, [key]);
      for (const { children: [, value] = [] } of values?.type === "object" ? (values.children ?? []) : [])
        if (value !== undefined && !REFERENCES.test(String(value.value))) masks.push({ node: value, shown: HIDDEN });
    }
    const args = findNodeAtLocation(server, ["args"])?.children ?? [];
    const written = args.map(({ value }) => String(value));
    maskArgs(written).forEach((shown, at) => {
      const node = args[at];
      if (node !== undefined && shown !== written[at]) masks.push({ node, shown: JSON.stringify(shown) });
    });
  }
  return masks
    .toSorted((a, b) => b.node.offset - a.node.offset)
    .reduce((masked, { node, shown }) => masked.slice(0, node.offset) + shown + masked.slice(node.offset + node.length), text);
}
