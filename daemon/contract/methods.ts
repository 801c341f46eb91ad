// The method table of `POST /rpc` (CONTRACT section 2): the types of params and results, and the JSON Schema (2020-12) that
// checks params at the edge.
import type { JsonObject, JsonValue } from "./json.ts";
import type { Inspection } from "./inspection.ts";
import type { Outcome } from "./outcomes.ts";
import type { ServerState, ServerStatus } from "./servers.ts";
import type { Role } from "./sessions.ts";
import type { RegistryDiff, SessionSnapshot, VersionRow } from "./versions.ts";

export const CONTRACT_VERSION = 1;
/** Most entries of one JSON-RPC batch. */
export const MAX_BATCH = 1_000;
export const VERSIONS_LIMIT = Object.freeze({ default: 100, max: 1_000 });
export const CALLS_LIMIT = Object.freeze({ default: 100, max: 1_000 });
export const DEFAULT_IDLE_MS = 600_000;
/** How long an early cancel, and a finished call id, are remembered (ms), and how many finished ids a session keeps. */
export const CANCEL_MEMORY = Object.freeze({ ms: 60_000, finished: 1_000 });

export interface Approving {
  readonly decision: "allow" | "deny";
  readonly by?: string;
}

export interface HelloResult {
  readonly poolId: string;
  readonly program: { readonly name: string; readonly version: string };
  readonly contractVersion: number;
  readonly pid: number;
  readonly startedAt: string;
  readonly version: number;
}

export interface OpenResult {
  readonly sessionId: string;
  readonly role: Role;
  readonly version: number;
  readonly attached?: readonly string[];
  readonly failed?: readonly { readonly alias: string; readonly code: string }[];
}

export interface CallParams {
  readonly sessionId: string;
  readonly version: number;
  readonly name: string;
  readonly arguments?: JsonObject;
  readonly callId?: string;
  readonly timeoutMs?: number;
  readonly approval?: Approving;
}

export interface ServerChange {
  readonly alias: string;
  readonly state: ServerState["kind"];
  readonly version: number;
}

export interface ReloadResult {
  readonly changed: readonly string[];
  readonly errors: readonly ReloadError[];
}

export interface ReloadError {
  readonly alias?: string;
  /** Absolute path, where it is not the configuration file itself. */
  readonly file?: string;
  readonly pointer: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Methods {
  "pool.hello": { params: { client: { name: string; version: string }; contractVersion: number }; result: HelloResult };
  "session.open": {
    params: { role?: Role; label?: string; cwd?: string; parent?: string; attach?: readonly string[]; idleMs?: number };
    result: OpenResult;
  };
  "session.close": { params: { sessionId: string }; result: Record<string, never> };
  "session.heartbeat": { params: { sessionId: string }; result: { version: number } };
  "registry.snapshot": { params: { sessionId: string; version?: number; ifDigest?: string }; result: SessionSnapshot };
  "registry.versions": { params: { since?: number; limit?: number }; result: readonly VersionRow[] };
  "registry.diff": { params: { from: number; to: number }; result: RegistryDiff };
  "tools.call": { params: CallParams; result: Outcome };
  "tools.cancel": { params: { sessionId: string; callId: string }; result: { cancelled: boolean } };
  "servers.list": { params: Record<string, never>; result: readonly ServerStatus[] };
  "servers.get": { params: { alias: string }; result: ServerStatus };
  "servers.connect": { params: { alias: string; sessionId?: string }; result: ServerChange };
  "servers.disconnect": { params: { alias: string; sessionId?: string }; result: ServerChange };
  "servers.restart": { params: { alias: string; sessionId?: string }; result: ServerChange };
  "servers.inspect": { params: { alias: string; launchDigest: string }; result: Inspection };
  "config.reload": { params: Record<string, never>; result: ReloadResult };
  "daemon.shutdown": { params: { drainMs?: number }; result: Record<string, never> };
}

export type MethodName = keyof Methods;
export type MethodParams<M extends MethodName> = Methods[M]["params"];
export type MethodResult<M extends MethodName> = Methods[M]["result"];

const text = (maxLength: number): JsonObject => ({ type: "string", minLength: 1, maxLength });
const sessionId = text(128);
const alias = text(128);
const version: JsonObject = { type: "integer", minimum: 0 };
const duration: JsonObject = { type: "integer", minimum: 0, maximum: 2_147_483_647 };
const params = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
});
const aliasAndSession = params({ alias, sessionId }, ["alias"]);

/** Params schemas, by method. Absent params are `{}`. */
export const METHOD_PARAMS: Readonly<Record<MethodName, JsonObject>> = Object.freeze({
  "pool.hello": params(
    {
      client: { type: "object", properties: { name: text(256), version: text(256) }, required: ["name", "version"] },
      contractVersion: { type: "integer" },
    },
    ["client", "contractVersion"],
  ),
  "session.open": params({
    role: { enum: ["lead", "subagent", "teammate"] },
    label: { type: "string", maxLength: 256 },
    cwd: { type: "string", maxLength: 4096 },
    parent: sessionId,
    attach: { type: "array", items: alias, maxItems: 1_000 },
    idleMs: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
  }),
  "session.close": params({ sessionId }, ["sessionId"]),
  "session.heartbeat": params({ sessionId }, ["sessionId"]),
  "registry.snapshot": params({ sessionId, version, ifDigest: text(256) }, ["sessionId"]),
  "registry.versions": params({ since: version, limit: { type: "integer", minimum: 1, maximum: VERSIONS_LIMIT.max } }),
  "registry.diff": params({ from: version, to: version }, ["from", "to"]),
  "tools.call": params(
    {
      sessionId,
      version,
      name: text(256),
      arguments: { type: "object" },
      callId: text(256),
      timeoutMs: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
      approval: {
        type: "object",
        properties: { decision: { enum: ["allow", "deny"] }, by: { type: "string", maxLength: 256 } },
        required: ["decision"],
        additionalProperties: false,
      },
    },
    ["sessionId", "version", "name"],
  ),
  "tools.cancel": params({ sessionId, callId: text(256) }, ["sessionId", "callId"]),
  "servers.list": params({}),
  "servers.get": params({ alias }, ["alias"]),
  "servers.connect": aliasAndSession,
  "servers.disconnect": aliasAndSession,
  "servers.restart": aliasAndSession,
  "servers.inspect": params({ alias, launchDigest: text(64) }, ["alias", "launchDigest"]),
  "config.reload": params({}),
  "daemon.shutdown": params({ drainMs: duration }),
});

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(METHOD_PARAMS, name);
}

/** The discovery file `daemon.json`. */
export interface Discovery {
  readonly pid: number;
  readonly startedAt: string;
  readonly poolId: string;
  /** Version of the program. */
  readonly version: string;
  readonly contractVersion: number;
  readonly socketPath: string;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The configuration file it was started with. */
  readonly configFile?: string;
}

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method: string;
  readonly params?: JsonValue;
}
