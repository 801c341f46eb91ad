// What a tool call came to: an envelope the model may read (CONTRACT section 5). Messages are fixed here; no server's text
// ever stands in an error. Keys are snake_case because models read them.
import type { JsonObject, JsonValue } from "./json.ts";

export type OutcomeCode =
  | "unknown_tool"
  | "invalid_arguments"
  | "permission_denied"
  | "approval_required"
  | "mcp_remote_error"
  | "mcp_timeout"
  | "mcp_connection_lost"
  | "cancelled"
  | "queue_full"
  | "queue_timeout"
  | "result_too_large"
  | "result_invalid"
  | "connect_failed";

export type UnknownToolReason = "not_in_snapshot" | "withdrawn" | "replaced" | "version_expired" | "version_unknown";

/** `pointer` is a JSON Pointer (RFC 6901) into `arguments` or the structured content. */
export interface Issue {
  readonly pointer: string;
  readonly message: string;
}

export interface OkOutcome {
  readonly content: readonly JsonValue[];
  readonly server_alias: string;
  readonly status: "ok";
  readonly structured_content?: JsonValue;
  readonly tool: string;
}

export interface ManagementOutcome {
  readonly server_alias: string;
  readonly state: "connected" | "disconnected";
  readonly status: "ok";
  readonly tool: string;
  /** Exposed names that came or went. */
  readonly tools: readonly string[];
  readonly version: number;
  readonly visible: "next_request";
}

export interface ErrorOutcome {
  readonly error: {
    readonly code: OutcomeCode;
    readonly message: string;
    readonly reason?: string;
    readonly latest_version?: number;
    readonly issues?: readonly Issue[];
    readonly details?: unknown;
    readonly may_have_run?: true;
    readonly limit_bytes?: number;
    readonly size_bytes?: number;
  };
  readonly server_alias?: string;
  readonly status: "error";
  readonly tool: string;
}

export type Outcome = OkOutcome | ManagementOutcome | ErrorOutcome;

/** The fixed messages. `unknown_tool`'s ends with the name as asked. */
export const OUTCOME_MESSAGES: Readonly<Record<OutcomeCode, string>> = Object.freeze({
  unknown_tool: "Unknown tool: ",
  invalid_arguments: "Arguments do not match the tool's input schema",
  permission_denied: "The local policy denies this tool",
  approval_required: "This tool needs approval",
  mcp_remote_error: "MCP server reported a tool error",
  mcp_timeout: "MCP server did not answer in time",
  mcp_connection_lost: "MCP server connection was lost",
  cancelled: "The call was cancelled",
  queue_full: "MCP server is busy",
  queue_timeout: "MCP server is busy",
  result_too_large: "MCP server returned more than the allowed size",
  result_invalid: "MCP server returned a result that does not match its schema",
  connect_failed: "Could not connect MCP server",
});

/** Most issues an `invalid_arguments` or `result_invalid` lists. */
export const MAX_ISSUES = 10;

export interface ErrorDetails {
  readonly reason?: string;
  readonly latest_version?: number;
  readonly issues?: readonly Issue[];
  readonly details?: unknown;
  readonly may_have_run?: boolean;
  readonly limit_bytes?: number;
  readonly size_bytes?: number;
}

export function unknownTool(name: string, reason: UnknownToolReason, latestVersion: number): ErrorOutcome {
  const message = OUTCOME_MESSAGES.unknown_tool + name;
  return { error: { code: "unknown_tool", latest_version: latestVersion, message, reason }, status: "error", tool: name };
}

/** Any other error. `alias` is absent for management tools that name no server. */
export function errorOutcome(
  code: Exclude<OutcomeCode, "unknown_tool">,
  tool: string,
  alias: string | undefined,
  { may_have_run, ...details }: ErrorDetails = {},
): ErrorOutcome {
  const error = { code, message: OUTCOME_MESSAGES[code], ...details, ...(may_have_run === true ? { may_have_run } : {}) };
  return { error, ...(alias === undefined ? {} : { server_alias: alias }), status: "error", tool };
}

export function isErrorOutcome(outcome: Outcome): outcome is ErrorOutcome {
  return outcome.status === "error";
}

/** The arguments of a call: always a JSON object. */
export type ToolArguments = JsonObject;
