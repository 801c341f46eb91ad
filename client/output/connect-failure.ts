// Why a server could not be connected, in words for the person at the machine: what was found, and what to do about it. The
// codes are those of CONTRACT section 4; details that have a shape we know are laid out, others are shown as they came.
import { isJsonObject, type ConnectFailureCode } from "../../daemon/contract/index.ts";

export interface Explained {
  /** What was found, line by line. */
  readonly lines: readonly string[];
  /** What to do next. */
  readonly next: string;
}

const NEXT: Readonly<Record<ConnectFailureCode, (alias: string) => string>> = {
  config_invalid: () =>
    "Correct the configuration: toolpool check shows every error. Review what nobody has reviewed: toolpool review",
  spawn_failed: () => "Correct `command`, `cwd` or PATH in the configuration, then toolpool reload and connect again.",
  startup_timeout: (alias) => `See what it wrote: toolpool servers ${alias}; a slow server needs a larger startupTimeoutMs.`,
  handshake_failed: (alias) => `See what it wrote: toolpool servers ${alias}. Is it an MCP server that speaks over stdio?`,
  list_failed: (alias) => `See what it wrote: toolpool servers ${alias}.`,
  policy_mismatch: (alias) =>
    `Review its tools: toolpool review ${alias} (or name them in \`mcpServers.${alias}.tools\` by hand).`,
  schema_rejected: (alias) =>
    `Hide a tool you do not need ("hidden" in \`mcpServers.${alias}.tools\`), or have the server's author correct its schema.`,
  name_rejected: (alias) => `Give the tool a local name: {"effect": …, "as": "short_name"} in \`mcpServers.${alias}.tools\`.`,
  name_collision: (alias) => `Give one of them a local name: {"effect": …, "as": "other_name"} in \`mcpServers.${alias}.tools\`.`,
  definition_drift: (alias) => `Look at what changed, and decide again: toolpool review ${alias}`,
  needs_auth: () => "Log in to the server, then connect again.",
  connection_lost: (alias) => `See what it wrote: toolpool servers ${alias}; start it again: toolpool restart ${alias}`,
  call_timeout: (alias) => `Start it again: toolpool restart ${alias}; a slow tool needs a larger timeoutMs.`,
  cancelled: (alias) => `Try again: toolpool connect ${alias}`,
  disabled: () => "Remove `disabled` from the configuration, then: toolpool reload",
};

const isCode = (code: string): code is ConnectFailureCode => Object.hasOwn(NEXT, code);

export function explainConnectFailure(alias: string, code: string, details: unknown): Explained {
  const next = isCode(code) ? NEXT[code](alias) : `See its state: toolpool servers ${alias}`;
  return { lines: detailLines(details), next };
}

function detailLines(details: unknown): string[] {
  if (details === undefined || details === null) return [];
  if (Array.isArray(details)) return bounded(details.map(entryLine));
  if (!isJsonObject(details)) return [asText(details)];
  return Object.entries(details).flatMap(([name, value]) => {
    if (value === null || (Array.isArray(value) && value.length === 0)) return [];
    // A sentence of ours needs no label; its code, for programs, is `reason`.
    if (name === "why") return [asText(value)];
    if (name === "reason" && "why" in details) return [];
    return [`${LABELS[name] ?? name}: ${Array.isArray(value) ? value.map(asText).join(", ") : asText(value)}`];
  });
}

/** An update of a large server differs in a hundred places: the way on must stay on the screen. */
function bounded(lines: string[]): string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 1), `and ${String(lines.length - MAX_LINES + 1)} more`];
}

const MAX_LINES = 20;

const LABELS: Readonly<Record<string, string>> = {
  unreviewed: "not in the policy",
  missing: "in the policy but not published",
  searched: "looked in",
  limitMs: "time limit (ms)",
  exitCode: "its exit code",
  signal: "ended by signal",
};

/** A refusal or a configuration issue: `tool  pointer  message`. */
function entryLine(entry: unknown): string {
  if (!isJsonObject(entry)) return asText(entry);
  const known = [entry.tool, entry.pointer, entry.message].filter(
    (part): part is string => typeof part === "string" && part !== "",
  );
  return known.length === 0 ? asText(entry) : known.join("  ");
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
