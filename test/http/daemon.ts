// The real HTTP servers over the fake ports, on a free TCP port and a Unix socket, with a client for each way in: an ordinary one
// for well-formed requests, and raw sockets for what no client library would send.
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach } from "vitest";
import { createHttp, type HttpOptions, type HttpServers } from "../../daemon/http/http.ts";
import type { HttpLog } from "../../daemon/http/ports.ts";
import { tempFolder } from "../support/temp.ts";
import { FakePorts } from "./fake-ports.ts";

export const TOKEN = "token-of-this-test";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface LogLine {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface Running {
  readonly ports: FakePorts;
  readonly http: HttpServers;
  readonly port: number;
  readonly url: string;
  readonly socketPath: string;
  readonly errors: LogLine[];
  readonly debugs: LogLine[];
  /** Over TCP with the token, unless the headers say otherwise. */
  tcp(ask: Ask): Promise<Reply>;
  unix(ask: Ask): Promise<Reply>;
  /** A JSON-RPC exchange over the socket; the body is text or is made into text. */
  rpc(body: unknown): Promise<Reply>;
  raw(way: "tcp" | "unix"): Promise<RawClient>;
}

const open: HttpServers[] = [];

afterEach(async () => {
  for (const http of open.splice(0)) await http.destroy();
});

export async function start(options: Partial<HttpOptions> = {}): Promise<Running> {
  const ports = new FakePorts();
  const errors: LogLine[] = [];
  const debugs: LogLine[] = [];
  const log: HttpLog = {
    error: (fields, message) => {
      errors.push({ fields, message });
      ports.changed();
    },
    debug: (fields, message) => {
      debugs.push({ fields, message });
      ports.changed();
    },
  };
  const http = createHttp(ports, { token: TOKEN, programVersion: "0.0.0", log, ...options });
  open.push(http);
  const socketPath = join(tempFolder(), "t.sock");
  const { port, url } = await http.listen({ socketPath, port: 0 });
  const authorization = `Bearer ${TOKEN}`;
  const unix = (question: Ask): Promise<Reply> => ask({ socketPath, headers: { host: "localhost" } }, question);
  return {
    ports,
    http,
    port,
    url,
    socketPath,
    errors,
    debugs,
    tcp: (question) => ask({ host: "127.0.0.1", port, headers: { authorization } }, question),
    unix,
    rpc: (body) => {
      const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      return unix({ method: "POST", path: "/rpc", headers: { "content-type": "application/json" }, body: text });
    },
    raw: (way) => RawClient.open(way === "tcp" ? connect(port, "127.0.0.1") : connect(socketPath)),
  };
}

export function ask(base: RequestOptions, { method = "GET", path, headers = {}, body }: Ask): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const given = Object.entries({ ...(base.headers as Record<string, string>), ...headers }).filter(([, value]) => value !== "");
    const outgoing = httpRequest({ ...base, method, path, headers: Object.fromEntries(given), agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Bytes as they are. Every wait is for something to arrive or for the end. */
export class RawClient {
  readonly socket: Socket;
  received = "";
  #ended = false;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      this.received += text;
      this.#wake?.();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#ended = true;
      this.#wake?.();
    });
  }

  static async open(socket: Socket): Promise<RawClient> {
    await once(socket, "connect");
    return new RawClient(socket);
  }

  send(text: string): void {
    this.socket.write(text);
  }

  async receives(part: string): Promise<string> {
    while (!this.received.includes(part)) {
      if (this.#ended) throw new Error(`the connection ended without "${part}", after: ${this.received}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.received;
  }

  async ends(): Promise<string> {
    while (!this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** The bytes of a `POST /rpc` over the Unix socket. */
export function rpcBytes(body: unknown): string {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${String(length)}\r\n\r\n${text}`;
}
