// The schemas of what the REST routes answer: JSON Schema 2020-12, as OpenAPI 3.1 takes it. They say in data what the contract's
// types say in TypeScript; a test holds answers of those types against them. Objects are open: members may be added later.
import { CONNECT_FAILURE_MESSAGES, ERROR_TABLE, type JsonObject } from "../contract/index.ts";

const text: JsonObject = { type: "string" };
const textOrNull: JsonObject = { type: ["string", "null"] };
const count: JsonObject = { type: "integer", minimum: 0 };
const countOrNull: JsonObject = { type: ["integer", "null"], minimum: 0 };
const truth: JsonObject = { type: "boolean" };
const time: JsonObject = { type: "string", format: "date-time" };
const names: JsonObject = { type: "array", items: text };
const connectionId: JsonObject = { type: "string", description: "`alias#n`" };
const effect: JsonObject = { enum: ["read", "write", "external"] };
const anySchema: JsonObject = { type: "object", description: "A JSON Schema, as the server published it" };

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
export const listOf = (name: string): JsonObject => ({ type: "array", items: ref(name) });

/** Every member is required unless it stands in `optional`. */
function object(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return { type: "object", properties: { ...required, ...optional }, required: Object.keys(required) };
}

function oneOfKinds(kinds: Readonly<Record<string, readonly [required: JsonObject, optional?: JsonObject]>>): JsonObject {
  const variants = Object.entries(kinds).map(([kind, [required, optional]]) =>
    object({ kind: { const: kind }, ...required }, optional),
  );
  return { oneOf: variants };
}

const versionFacts: JsonObject = { version: count, at: time, cause: text, digest: text };
const failure: JsonObject = { code: { enum: Object.keys(CONNECT_FAILURE_MESSAGES) }, message: text };
const restReasons = Object.keys(ERROR_TABLE);

export const SCHEMAS: JsonObject = {
  Error: object({
    error: object({ reason: { enum: restReasons }, message: text }, { data: { type: "object" } }),
  }),
  Status: object({ status: text }),
  RegistrySummary: object({
    poolId: text,
    version: count,
    floor: count,
    digest: text,
    toolCount: count,
    servers: { type: "array", items: object({ alias: text, connectionId, toolCount: count }) },
  }),
  VersionRow: object({ ...versionFacts, added: names, removed: names, changed: names }),
  RegistrySnapshot: object({ ...versionFacts, tools: listOf("ToolView") }),
  SessionSnapshot: object({ version: count, digest: text, tools: listOf("ToolView") }),
  RegistryDiff: object({
    from: count,
    to: count,
    added: listOf("ToolView"),
    removed: names,
    changed: { type: "array", items: object({ name: text, before: ref("ToolView"), after: ref("ToolView") }) },
  }),
  ToolView: object(
    { name: text, description: text, inputSchema: anySchema, effect, source: ref("ToolSource"), digest: text },
    { outputSchema: anySchema },
  ),
  ToolSource: oneOfKinds({ management: [{}], mcp: [{ alias: text, tool: text, connectionId }] }),
  ConfigStatus: object(
    {
      file: text,
      watched: truth,
      loadedAt: time,
      digest: text,
      servers: count,
      errors: listOf("ConfigError"),
      stale: truth,
      checks: count,
      loads: count,
    },
    { watchProblem: text },
  ),
  ConfigError: object({ pointer: text, message: text }, { alias: text, file: text, line: count, column: count }),
  QueueDepth: object({ running: count, waiting: count }),
  ConnectFailure: object(failure, { details: true }),
  ServerState: oneOfKinds({
    idle: [{}],
    connecting: [{ connectionId, since: time }],
    connected: [{ connectionId, since: time }],
    pending: [{ attempt: count, nextAt: time, failure: ref("ConnectFailure") }],
    needs_auth: [{}, { url: text }],
    failed: [{ failure: ref("ConnectFailure") }],
    disabled: [{}],
    closing: [{ connectionId }],
  }),
  ServerStatus: object(
    {
      alias: text,
      type: text,
      state: ref("ServerState"),
      toolCount: count,
      attachedSessions: names,
      heldByPool: truth,
      queue: ref("QueueDepth"),
      stats: object({
        connects: count,
        failures: count,
        calls: count,
        callsPerMinute: count,
        p50Ms: { type: ["integer", "null"] },
        p95Ms: { type: ["integer", "null"] },
      }),
      stdoutNoise: count,
    },
    {
      description: text,
      connectionId,
      pid: count,
      protocolVersion: text,
      serverInfo: object({ name: text, version: text }),
      lastFailure: object({ ...failure, at: time }, { details: true }),
      stderrTail: text,
      unreviewed: { const: true },
      memoryBytes: count,
      connections: {
        type: "array",
        items: object({ connectionId, sessionId: textOrNull, queue: ref("QueueDepth") }, { pid: count, memoryBytes: count }),
      },
    },
  ),
  SessionInfo: object({
    sessionId: text,
    role: { enum: ["lead", "subagent", "teammate"] },
    label: textOrNull,
    cwd: textOrNull,
    parent: textOrNull,
    attached: names,
    openedAt: time,
    lastSeenAt: time,
    idleMs: count,
    version: countOrNull,
    callsInFlight: count,
  }),
  CallRecord: object({
    id: count,
    at: time,
    sessionId: text,
    callId: textOrNull,
    version: count,
    tool: text,
    alias: textOrNull,
    connectionId: textOrNull,
    effect: { enum: ["read", "write", "external", null] },
    definitionDigest: textOrNull,
    decision: textOrNull,
    status: { enum: ["started", "ok", "error"] },
    code: textOrNull,
    reason: textOrNull,
    mayHaveRun: truth,
    queuedMs: { type: ["integer", "null"] },
    durationMs: { type: ["integer", "null"] },
    argumentsDigest: textOrNull,
    argumentsBytes: countOrNull,
    resultDigest: textOrNull,
    resultBytes: countOrNull,
  }),
};
