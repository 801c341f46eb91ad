// The REST routes: reads only, each a function from a request's path and query to an answer. They know neither Fastify nor
// sockets; http.ts registers them, and openapi.ts describes them.
import type { IncomingHttpHeaders } from "node:http";
import { CALLS_LIMIT, canonicalJson, shuttingDown, VERSIONS_LIMIT } from "../contract/index.ts";
import { openApi } from "./openapi.ts";
import type { HttpPorts } from "./ports.ts";
import { flag, integer, oneOf, requiredInteger, text, toInteger, type Query } from "./query.ts";

export interface Asked {
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
}

export interface Answer {
  readonly status?: number;
  readonly text: string;
  /** Default: JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestRoute {
  /** As Fastify writes it: `:name` is a parameter. */
  readonly path: string;
  readonly answer: (asked: Asked) => Answer | Promise<Answer>;
}

/** A version never changes once it is there. Not for shared caches: it needs the token. */
const IMMUTABLE = "private, max-age=31536000, immutable";
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function restRoutes(
  { registry, sessions, calls, servers, daemon }: HttpPorts,
  programVersion: string,
): readonly RestRoute[] {
  return [
    { path: "/v1/registry", answer: () => json(registry.summary()) },
    {
      path: "/v1/registry/versions",
      answer: ({ query }) => {
        const since = integer(query, "since") ?? 0;
        return json(registry.versions(since, limitOf(query, VERSIONS_LIMIT)));
      },
    },
    {
      path: "/v1/registry/versions/:version",
      answer: ({ path, headers }) => {
        const { digest, json: body } = registry.snapshot(toInteger(path.version ?? "", "version"));
        const etag = `"${digest}"`;
        const caching = { etag, "cache-control": IMMUTABLE };
        if (matches(headers["if-none-match"], etag)) return { status: 304, text: "", headers: caching };
        return { text: body, headers: caching };
      },
    },
    {
      path: "/v1/registry/versions/:version/tools/:name",
      answer: ({ path, query }) => {
        const version = toInteger(path.version ?? "", "version");
        return canonical(registry.tool(version, path.name ?? "", text(query, "connection")));
      },
    },
    {
      path: "/v1/registry/diff",
      answer: ({ query }) => canonical(registry.diff(requiredInteger(query, "from"), requiredInteger(query, "to"))),
    },
    { path: "/v1/config", answer: () => json(daemon.config()) },
    {
      path: "/v1/servers",
      answer: async ({ query }) => json(flag(query, "memory") ? await servers.withMemory(servers.list()) : servers.list()),
    },
    {
      path: "/v1/servers/:alias",
      answer: async ({ path, query }) => {
        const memory = flag(query, "memory");
        const server = servers.get(path.alias ?? "", { stderr: flag(query, "stderr") });
        return json(memory ? (await servers.withMemory([server]))[0] : server);
      },
    },
    { path: "/v1/sessions", answer: () => json(sessions.list()) },
    { path: "/v1/sessions/:id", answer: ({ path }) => json(sessions.get(path.id ?? "")) },
    {
      path: "/v1/sessions/:id/snapshot",
      answer: ({ path, query }) => {
        const version = integer(query, "version");
        return { text: sessions.look({ sessionId: path.id ?? "", ...(version === undefined ? {} : { version }) }).json };
      },
    },
    {
      path: "/v1/calls",
      answer: ({ query }) => {
        const wanted = {
          session: text(query, "session"),
          tool: text(query, "tool"),
          status: oneOf(query, "status", ["started", "ok", "error"]),
          before: integer(query, "before"),
        };
        return json(calls.records({ ...given(wanted), limit: limitOf(query, CALLS_LIMIT) }));
      },
    },
    { path: "/livez", answer: () => ({ text: '{"status":"ok"}' }) },
    {
      path: "/readyz",
      answer: () => {
        if (!daemon.ready()) throw shuttingDown();
        return { text: '{"status":"ready"}' };
      },
    },
    { path: "/metrics", answer: async () => ({ text: await daemon.metrics(), type: METRICS_TYPE }) },
    { path: "/openapi.json", answer: () => json(openApi(programVersion)) },
  ];
}

const json = (value: unknown): Answer => ({ text: JSON.stringify(value) });
/** Where schemas of tools are in it: a number in them may be kept as text. */
const canonical = (value: unknown): Answer => ({ text: canonicalJson(value) });

const limitOf = (query: Query, limit: { readonly default: number; readonly max: number }): number =>
  integer(query, "limit", { min: 1, max: limit.max }) ?? limit.default;

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that are `undefined`. */
function given<T extends object>(members: T): Given<T> {
  const present: Given<T> = {};
  for (const key in members) {
    const value = members[key];
    if (value !== undefined) present[key] = value as Exclude<T[typeof key], undefined>;
  }
  return present;
}

/** RFC 9110, section 13.1.2: weak comparison, a list, or `*`. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag || tag.trim() === "*");
}
