// A connection to one daemon, over its Unix socket or over loopback TCP with the token: JSON-RPC, REST reads, and the watch.
// Connections are kept alive and as many as there are requests in flight, so an aborted request takes none of the others
// with it. Nothing is sent twice, nothing has a time limit of its own, and the text of arguments and outcomes passes as it is.
import { setMaxListeners } from "node:events";
import { text as textOf } from "node:stream/consumers";
import type { Pool } from "undici";
import PoolOfConnections from "undici/lib/dispatcher/pool.js";
import {
  isJsonObject,
  PoolError,
  type MethodName,
  type MethodParams,
  type MethodResult,
  type Outcome,
} from "../daemon/contract/index.ts";
import { openStream } from "./answer-stream.ts";
import { readEvents, type StreamEvent } from "./event-stream.ts";
import { exchange } from "./exchange.ts";
import type { PoolPort, RequestOptions, ToolReply, ToolRequest } from "./pool-port.ts";
import { readRestAnswer, readRpcAnswer, type RpcResult } from "./rpc-answer.ts";

export type PoolAddress =
  | { readonly kind: "socket"; readonly socketPath: string }
  /** `url` is `http://127.0.0.1:<port>`. */
  | { readonly kind: "tcp"; readonly url: string; readonly token: string };

export interface PoolClientOptions {
  /** How long `close()` lets requests in flight come to their end (ms). */
  readonly closeGraceMs?: number;
}

export class PoolClient implements PoolPort {
  readonly #http: Pool;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ended = new AbortController();
  readonly #closeGraceMs: number;
  #nextId = 1;
  #closing: Promise<void> | undefined;

  constructor(address: PoolAddress, { closeGraceMs = 2_000 }: PoolClientOptions = {}) {
    this.#closeGraceMs = closeGraceMs;
    // One listener for each watch: as many as there are watches.
    setMaxListeners(0, this.#ended.signal);
    const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
    if (address.kind === "socket") {
      this.#http = new PoolOfConnections("http://localhost", { socketPath: address.socketPath, ...timeouts });
      this.#headers = {};
    } else {
      this.#http = new PoolOfConnections(address.url, timeouts);
      this.#headers = { authorization: `Bearer ${address.token}` };
    }
  }

  async request<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    options: RequestOptions = {},
  ): Promise<MethodResult<M>> {
    const { value } = await this.#rpc(method, JSON.stringify(params), options.signal);
    // The daemon's side of the contract: both are built from the same method table.
    return value as MethodResult<M>;
  }

  /** Rejects with `invalid_params`, before anything is sent, when `argumentsText` is not the text of a JSON object. */
  async callTool(request: ToolRequest, options: RequestOptions = {}): Promise<ToolReply> {
    const { argumentsText = "{}", ...rest } = request;
    refuseForeignText(argumentsText);
    const head = JSON.stringify(rest);
    const { value, text } = await this.#rpc("tools.call", `${head.slice(0, -1)},"arguments":${argumentsText}}`, options.signal);
    return { outcome: value as Outcome, text };
  }

  async get<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return JSON.parse(await this.getText(path, options)) as T;
  }

  /** The body of a REST route as it was sent. */
  async getText(path: string, options: RequestOptions = {}): Promise<string> {
    const { status, text } = await exchange(this.#http, { method: "GET", path, headers: this.#headers }, options.signal);
    return readRestAnswer(text, status);
  }

  /** The registry's events above version `since`. Ends with the daemon's stream or with `close()`; an abort rejects. */
  async *watch(since: number, options: RequestOptions = {}): AsyncIterable<StreamEvent> {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(options.signal?.reason);
    const onEnd = (): void => stop.abort(this.#ended.signal.reason);
    options.signal?.addEventListener("abort", onAbort);
    this.#ended.signal.addEventListener("abort", onEnd);
    if (options.signal?.aborted === true) onAbort();
    if (this.#ended.signal.aborted) onEnd();
    try {
      const path = `/v1/registry/watch?since=${String(since)}`;
      const headers = { ...this.#headers, accept: "text/event-stream" };
      const { status, body } = await openStream(this.#http, { method: "GET", path, headers }, stop.signal);
      if (status !== 200) readRestAnswer(await textOf(body), status);
      yield* readEvents(body);
    } catch (error) {
      if (this.#ended.signal.aborted && options.signal?.aborted !== true) return;
      throw error;
    } finally {
      options.signal?.removeEventListener("abort", onAbort);
      this.#ended.signal.removeEventListener("abort", onEnd);
      // A reader that stops early leaves the stream open otherwise.
      stop.abort(new Error("The watch ended"));
    }
  }

  /** Ends watches, lets requests in flight finish for a short time, then closes every connection. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends everything now: requests in flight reject with PoolUnreachable. */
  async destroy(reason: Error): Promise<void> {
    this.#ended.abort(reason);
    await this.#http.destroy(reason);
  }

  async #close(): Promise<void> {
    this.#ended.abort(new Error("The client was closed"));
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#closeGraceMs);
    });
    await Promise.race([this.#http.close(), tooLong]);
    clearTimeout(timer);
    await this.#http.destroy();
  }

  async #rpc(method: MethodName, paramsText: string, signal: AbortSignal | undefined): Promise<RpcResult> {
    const id = this.#nextId++;
    const body = `{"jsonrpc":"2.0","id":${String(id)},"method":"${method}","params":${paramsText}}`;
    const headers = { ...this.#headers, "content-type": "application/json" };
    const { status, text } = await exchange(this.#http, { method: "POST", path: "/rpc", headers, body }, signal);
    return readRpcAnswer(text, id, status);
  }
}

/** The text becomes part of our request: anything but one object would become other members of it. */
function refuseForeignText(argumentsText: string): void {
  let value: unknown;
  try {
    value = JSON.parse(argumentsText);
  } catch {
    throw new PoolError("invalid_params", "The arguments are not JSON");
  }
  if (!isJsonObject(value)) throw new PoolError("invalid_params", "The arguments must be a JSON object");
}
