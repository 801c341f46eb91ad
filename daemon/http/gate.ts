// The door of every request, before any routing: who may ask (Host, Origin, token), and whether a body is one we read. Pure: it
// looks at the request line and the headers and says what is refused. A web page cannot pass it, whatever name it rebinds.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { PoolError } from "../contract/index.ts";

export interface Refusal {
  readonly error: PoolError;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One listener's rules. Host names are compared in lower case, whole, port included. */
export interface Door {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  /** Absent on the Unix socket: its file mode is the key. */
  readonly token: TokenCheck | undefined;
  /** Largest body (bytes). */
  readonly bodyLimit: number;
}

export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export type TokenCheck = (authorization: string | undefined) => boolean;

/** `port` is the TCP listener's: its names are good on the socket too. */
export function door(kind: "socket" | "tcp", port: number, token: TokenCheck, bodyLimit: number): Door {
  const names = ["127.0.0.1", "localhost"];
  const hosts = names.map((name) => `${name}:${String(port)}`);
  if (kind === "socket") hosts.push("localhost");
  // A client leaves the port out when it is the protocol's own.
  if (port === 80) hosts.push(...names);
  return {
    hosts: new Set(hosts),
    origins: new Set(hosts.map((host) => `http://${host}`)),
    token: kind === "tcp" ? token : undefined,
    bodyLimit,
  };
}

/** Digests have one length, so the time of the comparison says nothing, not even the token's length. */
export function tokenCheck(token: string): TokenCheck {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = digest(token);
  return (authorization) => {
    if (authorization === undefined || !/^bearer /i.test(authorization)) return false;
    return timingSafeEqual(digest(authorization.slice("bearer ".length).trim()), expected);
  };
}

/** What is wrong with a request at the door, in the order of the checks: Host, Origin, token, upgrade, size, content type. */
export function refusalAt({ hosts, origins, token, bodyLimit }: Door, request: RequestHead): Refusal | undefined {
  const { headers, url = "" } = request;
  if (!isOurHost(headers.host, hosts) || !targetIsOurs(url, hosts)) {
    return { error: new PoolError("forbidden", "The Host of the request is not this daemon") };
  }
  if (headers.origin !== undefined && !origins.has(headers.origin)) {
    return { error: new PoolError("forbidden", "Requests from this Origin are not allowed") };
  }
  if (token !== undefined && !isLiveness(url) && !token(headers.authorization)) {
    const error = new PoolError("unauthorized", "Send the daemon's token as Authorization: Bearer <token>");
    return { error, headers: { "www-authenticate": "Bearer" } };
  }
  // `h2c` is an offer that may be passed over (RFC 9110, section 7.8), and some clients make it with every request.
  if (headers.upgrade !== undefined && headers.upgrade.toLowerCase() !== "h2c") {
    return { error: new PoolError("invalid_request", "The daemon offers no protocol to upgrade to") };
  }
  return bodyRefusal(request, bodyLimit);
}

export const tooLarge = (bodyLimit: number): PoolError =>
  new PoolError("payload_too_large", `The body is larger than ${String(bodyLimit)} bytes`, { limitBytes: bodyLimit });

/** The part of a request target before its query. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

const isLiveness = (url: string): boolean => url === "/livez" || url.startsWith("/livez?");

const isOurHost = (host: string | undefined, hosts: ReadonlySet<string>): boolean =>
  host !== undefined && (hosts.has(host) || hosts.has(host.toLowerCase()));

/** A target in absolute form carries a host of its own, which counts more than the header (RFC 9112, section 3.2.2). */
function targetIsOurs(url: string, hosts: ReadonlySet<string>): boolean {
  if (url.startsWith("/") || url === "*") return true;
  return isOurHost(/^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1], hosts);
}

const OUR_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i;

function bodyRefusal({ method, headers }: RequestHead, bodyLimit: number): Refusal | undefined {
  const length = headers["content-length"];
  const type = headers["content-type"];
  const hasBody = headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  if (length !== undefined && Number(length) > bodyLimit) return { error: tooLarge(bodyLimit) };
  // Without a body, a type is only meant where a body could be.
  if (!hasBody && (type === undefined || method === "GET" || method === "HEAD")) return undefined;
  const encoding = headers["content-encoding"];
  const plain = encoding === undefined || encoding.toLowerCase() === "identity";
  if (plain && type !== undefined && (type === "application/json" || OUR_TYPE.test(type))) return undefined;
  return { error: new PoolError("unsupported_media_type", "A body must be application/json, in UTF-8 and not compressed") };
}
