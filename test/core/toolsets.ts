// Toolsets for tests of the registry: exposed tools made by hand, as admission would make them.
import { canonicalJson, deepFreeze, type Effect, type ToolView } from "../../daemon/contract/index.ts";
import { makeToolset, sha256 } from "../../daemon/registry/toolset.ts";
import type { ExposedTool, Toolset } from "../../daemon/registry/types.ts";

export interface ToolOptions {
  readonly description?: string;
  readonly effect?: Effect;
}

export function exposedTool(
  connectionId: string,
  tool: string,
  { description = "", effect = "read" }: ToolOptions = {},
): ExposedTool {
  const alias = connectionId.slice(0, connectionId.indexOf("#"));
  const name = `mcp__${alias}__${tool}`;
  const inputSchema = { type: "object" };
  const digest = sha256(canonicalJson({ description, effect, inputSchema, name }));
  const view: ToolView = deepFreeze({
    name,
    description,
    inputSchema,
    effect,
    source: { kind: "mcp", alias, tool, connectionId },
    digest,
  });
  return Object.freeze({
    view,
    json: canonicalJson(view),
    approval: undefined,
    timeoutMs: undefined,
    concurrent: effect === "read",
    checkArguments: () => [],
    checkResult: undefined,
  });
}

export function toolset(
  connectionId: string,
  tools: readonly string[] | Readonly<Record<string, ToolOptions>>,
  owner?: string | null,
): Toolset {
  const entries: readonly [string, ToolOptions][] = Array.isArray(tools)
    ? tools.map((tool: string) => [tool, {}])
    : Object.entries(tools);
  return makeToolset({
    connectionId,
    alias: connectionId.slice(0, connectionId.indexOf("#")),
    owner,
    tools: entries.map(([tool, options]) => exposedTool(connectionId, tool, options)),
  });
}
