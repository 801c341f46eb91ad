// The Fastify application: which route answers what. It is handed only requests that have passed the door. Everything that goes
// wrong in it, in Fastify itself too, leaves in the one error form of its surface.
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ERROR_TABLE, PoolError } from "../contract/index.ts";
import { COMMON_HEADERS, errorText, JSON_TYPE, statusOf, surfaceOf, type Faults } from "./answers.ts";
import { readBody } from "./body.ts";
import type { Callers } from "./callers.ts";
import { pathOf } from "./gate.ts";
import type { Query } from "./query.ts";
import type { Answer, RestRoute } from "./rest.ts";
import type { Rpc } from "./rpc.ts";
import type { Watches } from "./watches.ts";

export interface AppParts {
  readonly rest: readonly RestRoute[];
  readonly rpc: Rpc;
  readonly watches: Watches;
  readonly callers: Callers;
  readonly faults: Faults;
  /** Bytes. */
  readonly bodyLimit: number;
}

export const RPC_PATH = "/rpc";
export const WATCH_PATH = "/v1/registry/watch";

const RPC_HEADERS = Object.freeze({ ...COMMON_HEADERS, "content-type": JSON_TYPE });

export function createApp({ rest, rpc, watches, callers, faults, bodyLimit }: AppParts): FastifyInstance {
  const fail = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const surface = surfaceOf(pathOf(request.url));
    const error = faults.toAnswer(ofFramework(thrown), `${request.method} ${request.routeOptions.url ?? "(no route)"}`);
    // Fastify would end the connection after a body it could not use, and the caller might not get to read why.
    void reply.removeHeader("connection");
    return sendAnswer(reply, { status: statusOf(error, surface), text: errorText(error, surface) });
  };
  const app = fastify({
    routerOptions: { maxParamLength: 1_024 },
    frameworkErrors: (thrown, request: FastifyRequest, reply: FastifyReply) => void fail(thrown, request, reply),
  });
  app.setErrorHandler((thrown, request, reply) => fail(thrown, request, reply));

  app.removeAllContentTypeParsers();
  // The door has seen to the content type.
  app.addContentTypeParser("*", (request, payload, done) => {
    readBody(payload, bodyLimit, (error, text) => {
      // On `/rpc`, text that is no JSON is JSON-RPC's parse error; elsewhere it is a bad request.
      const rpcBody = request.routeOptions.url === RPC_PATH;
      if (error !== null || rpcBody || isJson(text)) done(error, text);
      else done(new PoolError("invalid_request", "The body is not JSON"));
    });
  });

  app.post<{ Body: string | undefined }>(RPC_PATH, async (request, reply) => {
    const text = await rpc.answer(request.body ?? "", callers.of(request.raw.socket));
    // Written past Fastify: one write for head and body, and nothing on the way.
    reply.hijack();
    if (text === undefined) reply.raw.writeHead(204, COMMON_HEADERS).end();
    else reply.raw.writeHead(200, { ...RPC_HEADERS, "content-length": Buffer.byteLength(text) }).end(text);
  });

  app.get<{ Querystring: Query }>(WATCH_PATH, (request, reply) => {
    if (request.method === "HEAD") return reply.headers(watches.headers).send();
    watches.open(reply.raw, callers.of(request.raw.socket), request.query, request.headers);
    return reply.hijack();
  });

  for (const { path, answer } of rest) {
    app.get<{ Querystring: Query; Params: Readonly<Record<string, string>> }>(path, async (request, reply) => {
      const given = await answer({ path: request.params, query: request.query, headers: request.headers });
      return sendAnswer(reply, given);
    });
  }

  const routes = [{ path: RPC_PATH, allow: "POST" }, ...[WATCH_PATH, ...rest.map(({ path }) => path)].map(readable)];
  const known = routes.map(({ path, allow }) => ({ pattern: patternOf(path), allow }));
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    const route = known.find(({ pattern }) => pattern.test(path));
    const error =
      route === undefined
        ? new PoolError("not_found", "There is no such route")
        : new PoolError("method_not_allowed", `This route answers ${route.allow}`);
    if (route !== undefined) void reply.header("allow", route.allow);
    return sendAnswer(reply, { status: error.http, text: errorText(error, "rest") });
  });
  return app;
}

const readable = (path: string): { readonly path: string; readonly allow: string } => ({ path, allow: "GET, HEAD" });

/** `/v1/servers/:alias` → one segment for each parameter. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:[a-z]+/g, "[^/]+")}$`);

function sendAnswer(reply: FastifyReply, { status = 200, text, type = JSON_TYPE, headers = {} }: Answer): FastifyReply {
  reply.code(status).headers({ ...COMMON_HEADERS, ...headers });
  return status === 304 ? reply.send() : reply.type(type).send(text);
}

function isJson(text: string | undefined): boolean {
  try {
    JSON.parse(text ?? "");
    return true;
  } catch {
    return false;
  }
}

/** Fastify's own refusals (a bad escape in the path, a path too long) are the request's fault, by their status. */
function ofFramework(thrown: unknown): unknown {
  if (thrown instanceof PoolError || !(thrown instanceof Error) || !("statusCode" in thrown)) return thrown;
  const { statusCode } = thrown;
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode >= 500) return thrown;
  const reason = statusCode === ERROR_TABLE.not_found.http ? "not_found" : "invalid_request";
  return new PoolError(reason, "The request cannot be read");
}
