// What the pool says of a tool. These are exposed tools: admitted, reviewed by the local policy, frozen.
import type { JsonObject } from "./json.ts";

/** What a call may do, by the local policy alone. */
export type Effect = "read" | "write" | "external";
export type Approval = "allow" | "ask" | "deny";

export type ToolSource =
  | { readonly kind: "management" }
  | {
      readonly kind: "mcp";
      readonly alias: string;
      /** The server's own name of the tool, as it is called. */
      readonly tool: string;
      /** `alias#n` */
      readonly connectionId: string;
    };

export interface ToolView {
  /** `mcp__{alias}__{tool}`, or a management tool's name; an opaque key. */
  readonly name: string;
  readonly description: string;
  /** The admitted JSON Schema, unchanged. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly effect: Effect;
  readonly source: ToolSource;
  /** SHA-256 (hex) over name, description, input and output schema and effect; not over the connection. */
  readonly digest: string;
}

/** The alias grammar of DESIGN rule 1. */
export const ALIAS_PATTERN = /^[a-z][a-z0-9_]{0,31}$/;
/** Longest exposed tool name, in characters. */
export const MAX_TOOL_NAME = 64;
