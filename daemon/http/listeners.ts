// Where the daemon listens: loopback TCP and a Unix socket, one HTTP server each. Every request passes the door before anything
// else looks at it, whatever its method or target. Owns the servers and their connections, and ends them within a bound.
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { PoolError } from "../contract/index.ts";
import { COMMON_HEADERS, errorText, JSON_TYPE, sendError, surfaceOf } from "./answers.ts";
import type { Callers } from "./callers.ts";
import { door, pathOf, refusalAt, type Door, type TokenCheck } from "./gate.ts";
import type { HttpLog } from "./ports.ts";
import { listenOnSocket } from "./socket-file.ts";

/** The TCP port is taken, or not ours to take. */
export class PortInUse extends Error {
  override readonly name = "PortInUse";
  readonly code = "port_in_use";
  readonly port: number;
  constructor(port: number, cause: unknown) {
    super(`Port ${String(port)} on 127.0.0.1 cannot be listened on`, { cause });
    this.port = port;
  }
}

/** How long a client may take (ms). They concern receiving only: a call or a watch lasts as long as it lasts. */
export interface Patience {
  /** For all headers of a request; also for the first byte of a new connection. */
  readonly headersMs: number;
  /** For a whole request, body included. */
  readonly requestMs: number;
  /** Between an answer and the next request. */
  readonly keepAliveMs: number;
  /** How often the first two are looked at. */
  readonly checkEveryMs: number;
}

export interface ListenersOptions {
  readonly route: (request: IncomingMessage, response: ServerResponse) => void;
  readonly callers: Callers;
  readonly token: TokenCheck;
  readonly bodyLimit: number;
  readonly patience: Patience;
  readonly log: HttpLog;
}

export class Listeners {
  readonly #callers: Callers;
  readonly #options: ListenersOptions;
  readonly #servers = new Set<Server>();

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#callers = options.callers;
  }

  /** Resolves with the TCP port. Nothing is left listening when it rejects. */
  async listen(socketPath: string, port: number): Promise<number> {
    const onTcp: { server: Server; rules: Door | undefined } = { server: this.#server(() => onTcp.rules), rules: undefined };
    await listenOnLoopback(onTcp.server, port);
    const address = onTcp.server.address();
    const bound = isTcp(address) ? address.port : port;
    const { token, bodyLimit } = this.#options;
    onTcp.rules = door("tcp", bound, token, bodyLimit);
    const rules = door("socket", bound, token, bodyLimit);
    try {
      await listenOnSocket(
        this.#server(() => rules),
        socketPath,
      );
    } catch (error) {
      await this.close(0);
      throw error;
    }
    return bound;
  }

  /** Stops accepting, ends idle connections now, busy ones after their answers, and all of them after `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    const closed = [...this.#servers].map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    this.#callers.close();
    const deadline = setTimeout(() => this.#callers.destroy(), deadlineMs);
    await Promise.all(closed);
    clearTimeout(deadline);
  }

  #server(rules: () => Door | undefined): Server {
    const { headersMs, requestMs, keepAliveMs, checkEveryMs } = this.#options.patience;
    const options: ServerOptions = {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkEveryMs,
      // The door answers a missing Host; a repeated one is joined, and so is none of ours.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    };
    const server = createServer(options);
    // `close()` calls this, and Node takes a connection whose answer is not flushed yet for idle: it would cut it off. Callers
    // knows better.
    server.closeIdleConnections = () => undefined;
    const receive = (request: IncomingMessage, response: ServerResponse): void => this.#receive(rules(), request, response);
    server.on("connection", (socket) => this.#callers.add(socket));
    server.on("request", receive);
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      this.#receive(rules(), request, response, () => response.writeContinue());
    });
    server.on("checkExpectation", receive);
    server.on("connect", (_request: IncomingMessage, socket: Duplex) => endRaw(socket, 405, "Method Not Allowed"));
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => this.#malformed(error, socket));
    this.#servers.add(server);
    return server;
  }

  #receive(rules: Door | undefined, request: IncomingMessage, response: ServerResponse, onPass?: () => void): void {
    this.#callers.of(request.socket)?.begin(response);
    if (rules === undefined) throw new TypeError("a request before the listener is known");
    const refusal = refusalAt(rules, request);
    if (refusal !== undefined) {
      sendError(response, refusal.error, surfaceOf(pathOf(request.url ?? "")), refusal.headers);
      return;
    }
    onPass?.();
    this.#options.route(request, response);
  }

  /** Not HTTP, or not in time. */
  #malformed(error: NodeJS.ErrnoException, socket: Duplex): void {
    this.#options.log.debug({ code: error.code }, "a connection was ended: its request was not valid or not in time");
    // Written into an answer that has begun, or before one that is awaited, it would be taken for that answer.
    const mayAnswer = socket.writable && this.#callers.of(socket)?.awaitsAnswer === true;
    if (error.code === "ECONNRESET" || !mayAnswer) socket.destroy();
    else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") endRaw(socket, 408, "Request Timeout");
    else if (error.code === "HPE_HEADER_OVERFLOW") endRaw(socket, 431, "Request Header Fields Too Large");
    else endRaw(socket, 400, "Bad Request");
  }
}

const isTcp = (address: AddressInfo | string | null): address is AddressInfo => typeof address === "object" && address !== null;

function listenOnLoopback(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      reject(error.code === "EADDRINUSE" || error.code === "EACCES" ? new PortInUse(port, error) : error);
    };
    server.once("error", onError);
    server.listen({ port, host: "127.0.0.1" }, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

function endRaw(socket: Duplex, status: number, phrase: string): void {
  const body = errorText(new PoolError("invalid_request", `The request cannot be answered: ${phrase}`), "rest");
  const headers = {
    ...COMMON_HEADERS,
    "content-type": JSON_TYPE,
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  socket.end(`HTTP/1.1 ${String(status)} ${phrase}\r\n${lines.join("")}\r\n${body}`, () => socket.destroy());
}
