// The OpenAPI 3.1 description of the REST routes, written as data. A test holds it against the routes that are registered:
// neither may have one that the other lacks.
import { CALLS_LIMIT, VERSIONS_LIMIT, type JsonObject } from "../contract/index.ts";
import { listOf, SCHEMAS } from "./openapi-schemas.ts";

const integer = (description: string, more: JsonObject = {}): JsonObject => ({
  description,
  schema: { type: "integer", minimum: 0, ...more },
});
const string = (description: string, more: JsonObject = {}): JsonObject => ({ description, schema: { type: "string", ...more } });
const limit = ({ default: usual, max }: { readonly default: number; readonly max: number }): JsonObject =>
  integer("Most entries of the answer", { minimum: 1, maximum: max, default: usual });

const inQuery = (name: string, parameter: JsonObject, required = false): JsonObject => ({
  name,
  in: "query",
  required,
  ...parameter,
});
const inPath = (name: string, parameter: JsonObject): JsonObject => ({ name, in: "path", required: true, ...parameter });

const versionInPath = inPath("version", integer("A registry version"));
const aliasInPath = inPath("alias", string("A server of the configuration"));
const memoryInQuery = inQuery(
  "memory",
  string("`1`: with the resident memory of its processes", { enum: ["0", "1", "false", "true"] }),
);
const sessionInPath = inPath("id", string("A session"));

const json = (schema: JsonObject): JsonObject => ({ "application/json": { schema } });
const schemaOf = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const errorResponse = (description: string): JsonObject => ({ description, content: json(schemaOf("Error")) });

interface Read {
  readonly id: string;
  readonly summary: string;
  readonly parameters?: readonly JsonObject[];
  /** The `content` of the answer. */
  readonly content: JsonObject;
  /** Statuses of CONTRACT section 2 beside those that every route has. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly more?: JsonObject;
  readonly open?: boolean;
}

function get({ id, summary, parameters = [], content, errors = {}, more = {}, open = false }: Read): JsonObject {
  const refusals = { ...errors, "400": "A parameter is not valid", "403": "Foreign Host or Origin" };
  const all = open ? refusals : { ...refusals, "401": "No token, or a wrong one (TCP only)" };
  const failures = Object.entries(all).map(([status, description]) => [status, errorResponse(description)] as const);
  return {
    get: {
      operationId: id,
      summary,
      parameters: [...parameters],
      ...(open ? { security: [] } : {}),
      responses: { "200": { description: summary, content }, ...more, ...Object.fromEntries(failures) },
    },
  };
}

const GONE = { "404": "The version is of the future, or pruned from the journal" };

const PATHS: JsonObject = {
  "/v1/registry": get({ id: "getRegistry", summary: "The current version", content: json(schemaOf("RegistrySummary")) }),
  "/v1/registry/versions": get({
    id: "listVersions",
    summary: "Versions above `since`, newest first",
    parameters: [inQuery("since", integer("Only versions above this one")), inQuery("limit", limit(VERSIONS_LIMIT))],
    content: json(listOf("VersionRow")),
  }),
  "/v1/registry/versions/{version}": get({
    id: "getVersion",
    summary: "The whole snapshot of one version; it never changes",
    parameters: [versionInPath, { name: "If-None-Match", in: "header", required: false, schema: { type: "string" } }],
    content: json(schemaOf("RegistrySnapshot")),
    errors: GONE,
    more: { "304": { description: "The snapshot is the one the caller has" } },
  }),
  "/v1/registry/versions/{version}/tools/{name}": get({
    id: "getTool",
    summary: "One tool of one version",
    parameters: [
      versionInPath,
      inPath("name", string("The exposed name")),
      inQuery("connection", string("Which connection's, where two of one alias publish the name")),
    ],
    content: json(schemaOf("ToolView")),
    errors: { "404": "No such version, or no such tool at it", "409": "Two connections publish the name: say which" },
  }),
  "/v1/registry/diff": get({
    id: "diffVersions",
    summary: "What changed between two versions; the reverse where `from` is above `to`",
    parameters: [inQuery("from", integer("A version"), true), inQuery("to", integer("A version"), true)],
    content: json(schemaOf("RegistryDiff")),
    errors: GONE,
  }),
  "/v1/registry/watch": get({
    id: "watchRegistry",
    summary:
      "Server-sent events: `version` (a VersionRow, its id is the version), `lagging` (read again from the version in it), `closing`",
    parameters: [
      inQuery("since", integer("Begin with the version above this one; default: what comes from now on")),
      { name: "Last-Event-ID", in: "header", required: false, ...integer("Counts more than `since`") },
    ],
    content: { "text/event-stream": { schema: { type: "string" } } },
    errors: { "404": "`since` is a version of the future" },
  }),
  "/v1/config": get({
    id: "getConfig",
    summary: "The configuration in force: when it was read, what is wrong in it, whether a newer file was not taken",
    content: json(schemaOf("ConfigStatus")),
  }),
  "/v1/servers": get({
    id: "listServers",
    summary: "All servers of the configuration",
    parameters: [memoryInQuery],
    content: json(listOf("ServerStatus")),
  }),
  "/v1/servers/{alias}": get({
    id: "getServer",
    summary: "One server",
    parameters: [
      aliasInPath,
      inQuery("stderr", string("`1`: with the end of what it wrote to stderr", { enum: ["0", "1", "false", "true"] })),
      memoryInQuery,
    ],
    content: json(schemaOf("ServerStatus")),
    errors: { "404": "No such server" },
  }),
  "/v1/sessions": get({ id: "listSessions", summary: "All open sessions", content: json(listOf("SessionInfo")) }),
  "/v1/sessions/{id}": get({
    id: "getSession",
    summary: "One session",
    parameters: [sessionInPath],
    content: json(schemaOf("SessionInfo")),
    errors: { "404": "No such session" },
  }),
  "/v1/sessions/{id}/snapshot": get({
    id: "getSessionSnapshot",
    summary: "What the session sees, at a version or now",
    parameters: [sessionInPath, inQuery("version", integer("A registry version; default: the current one"))],
    content: json(schemaOf("SessionSnapshot")),
    errors: { "404": "No such session or version" },
  }),
  "/v1/calls": get({
    id: "listCalls",
    summary: "Call records, newest first, refused calls too",
    parameters: [
      inQuery("session", string("Only this session's")),
      inQuery("tool", string("Only this exposed name")),
      inQuery("status", string("Only calls that came to this", { enum: ["started", "ok", "error"] })),
      inQuery("before", integer("Only records below this id")),
      inQuery("limit", limit(CALLS_LIMIT)),
    ],
    content: json(listOf("CallRecord")),
  }),
  "/livez": get({ id: "livez", summary: "The daemon is alive", content: json(schemaOf("Status")), open: true }),
  "/readyz": get({
    id: "readyz",
    summary: "The daemon takes new work",
    content: json(schemaOf("Status")),
    errors: { "503": "The daemon is shutting down" },
  }),
  "/metrics": get({
    id: "metrics",
    summary: "Prometheus text format 0.0.4",
    content: { "text/plain": { schema: { type: "string" } } },
  }),
  "/openapi.json": get({ id: "openapi", summary: "This description", content: json({ type: "object" }) }),
};

export function openApi(programVersion: string): JsonObject {
  return {
    openapi: "3.1.0",
    info: {
      title: "Toolpool",
      version: programVersion,
      description: "The pool's reads. What changes something is JSON-RPC 2.0 on `POST /rpc`.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths: PATHS,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "The content of the daemon's `token` file; not needed on its socket",
        },
      },
    },
  };
}
