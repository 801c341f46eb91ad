// The two tools of the pool itself, offered to lead sessions: their definitions, made from the servers that may be connected,
// and what they do. The alias is an enum of the allowlist; nothing else of a server can be said by a caller.
import {
  canonicalJson,
  compareCodeUnits,
  ConnectRefused,
  deepFreeze,
  errorOutcome,
  isJsonObject,
  type ConfiguredServer,
  type Issue,
  type JsonObject,
  type Outcome,
  type ToolView,
} from "../contract/index.ts";
import { makeManagementSet, sha256 } from "../registry/toolset.ts";
import type { ExposedTool, ManagementSet } from "../registry/types.ts";
import type { Attachments } from "./attachments.ts";
import type { Session } from "./session.ts";

const CONNECT = "connect_mcp";
const DISCONNECT = "disconnect_mcp";

/** Without a server that may run there is nothing to offer. */
export function managementSet(servers: Iterable<ConfiguredServer>): ManagementSet {
  const specs = [...servers].flatMap((server) => (server.kind === "valid" && !server.spec.disabled ? [server.spec] : []));
  specs.sort((a, b) => compareCodeUnits(a.alias, b.alias));
  if (specs.length === 0) return makeManagementSet([]);
  const aliases = specs.map((spec) => spec.alias);
  const described = specs.flatMap(({ alias, description }) => (description === undefined ? [] : [`${alias}: ${description}`]));
  const listing = described.length === 0 ? "" : ` Servers: ${described.join("; ")}.`;
  return makeManagementSet([
    managementTool(
      CONNECT,
      `Connects an MCP server of this workstation. Its tools are offered from the next request on.${listing}`,
      aliases,
    ),
    managementTool(DISCONNECT, "Gives up an MCP server. Its tools are no longer offered to this session.", aliases),
  ]);
}

export interface ManagementCall {
  readonly session: Session;
  readonly tool: string;
  readonly alias: string;
  readonly signal: AbortSignal;
}

export async function runManagement(
  attachments: Attachments,
  { session, tool, alias, signal }: ManagementCall,
): Promise<Outcome> {
  const ok = { server_alias: alias, status: "ok", tool, visible: "next_request" } as const;
  if (tool === DISCONNECT) return { ...ok, state: "disconnected", ...(await attachments.detach(session.id, alias)) };
  try {
    return { ...ok, state: "connected", ...(await attachments.attach(session.id, alias, signal)) };
  } catch (error) {
    if (!(error instanceof ConnectRefused)) throw error;
    const { code, details } = error.failure;
    if (code === "cancelled") return errorOutcome("cancelled", tool, alias);
    const told = forModel(details);
    return errorOutcome("connect_failed", tool, alias, { reason: code, ...(told === undefined ? {} : { details: told }) });
  }
}

/** Without the folders of this machine: they are for the person, who reads them in the server's status. */
function forModel(details: unknown): unknown {
  if (!isJsonObject(details)) return details;
  return Object.fromEntries(Object.entries(details).filter(([name]) => name !== "searched"));
}

function managementTool(name: string, description: string, aliases: readonly string[]): ExposedTool {
  const inputSchema: JsonObject = {
    type: "object",
    properties: { alias: { type: "string", enum: aliases, description: "The server's local name." } },
    required: ["alias"],
    additionalProperties: false,
  };
  const digest = sha256(canonicalJson({ description, effect: "external", inputSchema, name }));
  const view: ToolView = deepFreeze({
    name,
    description,
    inputSchema,
    effect: "external",
    source: { kind: "management" },
    digest,
  });
  return Object.freeze({
    view,
    json: canonicalJson(view),
    approval: undefined,
    timeoutMs: undefined,
    concurrent: true,
    checkArguments: (value: unknown) => checkAlias(value, aliases),
    checkResult: undefined,
  });
}

function checkAlias(value: unknown, aliases: readonly string[]): readonly Issue[] {
  const args = new Map(Object.entries(value ?? {}));
  const issues: Issue[] = [];
  const alias: unknown = args.get("alias");
  if (alias === undefined) issues.push({ pointer: "/alias", message: "is required" });
  else if (typeof alias !== "string" || !aliases.includes(alias))
    issues.push({ pointer: "/alias", message: `must be one of: ${aliases.join(", ")}` });
  for (const key of args.keys()) {
    if (key !== "alias")
      issues.push({ pointer: `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, message: "is not a property of this tool" });
  }
  return issues.slice(0, 10);
}
