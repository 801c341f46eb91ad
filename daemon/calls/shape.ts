// From a server's answer to the outcome a model may read: pure, bounded, and with no word of the server's in an error.
import {
  canonicalJson,
  errorOutcome,
  isJsonObject,
  isNumberText,
  type Effect,
  type ErrorDetails,
  type Issue,
  type JsonValue,
  type OkOutcome,
  type Outcome,
} from "../contract/index.ts";
import type { SchemaCheck } from "../registry/types.ts";
import type { RemoteOutcome, RemoteResult } from "./ports.ts";
import { saysTheSame, structuredText } from "./same-json.ts";

export interface ShapeContext {
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly alias: string;
  readonly effect: Effect;
  readonly checkResult: SchemaCheck | undefined;
}

/** Everything but `unbound`, which only the binding can put into words. */
export function shapeOutcome(remote: Exclude<RemoteOutcome, { kind: "unbound" }>, context: ShapeContext): Outcome {
  const { tool, alias, effect } = context;
  const mayHaveRun = (sent: boolean): ErrorDetails => ({ may_have_run: sent && effect !== "read" });
  switch (remote.kind) {
    case "answer":
      return shapeAnswer(remote.raw, remote.maxBytes, context);
    case "remote_error":
      return errorOutcome("mcp_remote_error", tool, alias);
    case "too_large":
      return errorOutcome("result_too_large", tool, alias, { limit_bytes: remote.limitBytes, size_bytes: remote.sizeBytes });
    case "timeout":
      return errorOutcome("mcp_timeout", tool, alias, mayHaveRun(true));
    case "lost":
      return errorOutcome("mcp_connection_lost", tool, alias, mayHaveRun(remote.sent));
    case "cancelled":
      return errorOutcome("cancelled", tool, alias, mayHaveRun(remote.sent));
    case "queue_full":
    case "queue_timeout":
      return errorOutcome(remote.kind, tool, alias);
  }
}

/** An outcome and its text. A result nested too deeply to be written down is invalid. */
export function outcomeText(
  outcome: Outcome,
  context: { readonly tool: string; readonly alias: string | undefined },
): [Outcome, string] {
  try {
    return [outcome, canonicalJson(outcome)];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const invalid = errorOutcome("result_invalid", context.tool, context.alias, {
      issues: [{ pointer: "", message: "is nested too deeply" }],
    });
    return [invalid, canonicalJson(invalid)];
  }
}

function shapeAnswer(raw: RemoteResult, maxBytes: number, { tool, alias, checkResult }: ShapeContext): Outcome {
  if (raw.bytes > maxBytes)
    return errorOutcome("result_too_large", tool, alias, { limit_bytes: maxBytes, size_bytes: raw.bytes });
  if (!isJsonObject(raw.value) || raw.value.isError === true) return errorOutcome("mcp_remote_error", tool, alias);
  const { content = [], structuredContent } = raw.value;
  const invalid = (issues: readonly Issue[]): Outcome => errorOutcome("result_invalid", tool, alias, { issues });
  if (!Array.isArray(content)) return invalid([{ pointer: "", message: "the content is not a list" }]);
  const structured = structuredContent === null && checkResult === undefined ? undefined : structuredContent;
  if (checkResult !== undefined) {
    if (structured === undefined) return invalid([{ pointer: "", message: "the structured content is missing" }]);
    const issues = checkResult(raw.hasNumberText ? withDoubles(structured) : structured);
    if (issues.length > 0) return invalid(issues);
  }
  const blocks: readonly JsonValue[] = content;
  if (structured === undefined) return { content: blocks, server_alias: alias, status: "ok", tool };
  return {
    content: withoutRepetition(blocks, structured, raw),
    server_alias: alias,
    status: "ok",
    structured_content: structured,
    tool,
  };
}

/** Text blocks that only repeat the structured content are dropped. */
function withoutRepetition(blocks: readonly JsonValue[], structured: JsonValue, raw: RemoteResult): OkOutcome["content"] {
  let text: string | undefined;
  return blocks.filter((block) => {
    if (!isJsonObject(block) || block.type !== "text" || typeof block.text !== "string") return true;
    text ??= structuredText(structured, raw.line);
    return !saysTheSame(block.text, text);
  });
}

/** For the schema check alone: numbers kept as text become the doubles nearest to them. */
function withDoubles(value: unknown): unknown {
  if (isNumberText(value)) return Number(value.value);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withDoubles(member)]));
}
