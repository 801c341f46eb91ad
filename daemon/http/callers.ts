// Who is connected: every connection, the requests it has in flight, and who must hear that its caller is lost. One listener per
// connection, none per request: a connection may have any number of requests in flight (pipelining, HTTP/1.1 section 9.3.2).
import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";

export class Caller {
  readonly #socket: Socket;
  readonly #inFlight = new Set<ServerResponse>();
  readonly #onLost = new Set<() => void>();
  #closing = false;
  #gone = false;
  #lostSignal: AbortController | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    // A caller that ends its half has gone: Node answers nothing after that (`httpAllowHalfOpen` is off).
    socket.on("end", this.#onEnd);
    socket.on("close", this.#onEnd);
  }

  begin(response: ServerResponse): void {
    this.#inFlight.add(response);
    if (this.#closing) response.shouldKeepAlive = false;
    // After the answer is handed over, and also when the connection is lost before.
    response.once("close", () => {
      this.#inFlight.delete(response);
      if (this.#closing) this.#endIfIdle();
    });
  }

  /**
   * Aborts when the caller is lost. One for the whole connection, as a signal for each request is a measurable part of a call: it
   * outlives the request, so who listens to it must stop listening.
   */
  get lost(): AbortSignal {
    if (this.#lostSignal === undefined) {
      this.#lostSignal = new AbortController();
      // As many listeners as the connection has calls in flight: no leak.
      setMaxListeners(0, this.#lostSignal.signal);
    }
    if (this.#gone) this.#lostSignal.abort();
    return this.#lostSignal.signal;
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** At once, if it is lost already. */
  whenLost(react: () => void): void {
    if (this.#gone) react();
    else this.#onLost.add(react);
  }

  answered(react: () => void): void {
    this.#onLost.delete(react);
  }

  get requests(): number {
    return this.#inFlight.size;
  }

  /** True while what arrives can only belong to a request nobody has begun to answer, so that an error may be written. */
  get awaitsAnswer(): boolean {
    if (this.#inFlight.size === 0) return true;
    const [only] = this.#inFlight;
    return this.#inFlight.size === 1 && only !== undefined && !only.req.complete && !only.headersSent;
  }

  /** No request after those in flight: idle ends now, busy after its answers. */
  close(): void {
    this.#closing = true;
    for (const response of this.#inFlight) if (!response.headersSent) response.shouldKeepAlive = false;
    this.#endIfIdle();
  }

  /** Whoever waits for the loss hears it now, not when the system has let the socket go. */
  destroy(): void {
    this.#socket.destroy();
    this.#onEnd();
  }

  #endIfIdle(): void {
    if (this.#inFlight.size === 0) this.#socket.destroySoon();
  }

  readonly #onEnd = (): void => {
    this.#gone = true;
    this.#lostSignal?.abort();
    const reacts = [...this.#onLost];
    this.#onLost.clear();
    for (const react of reacts) react();
  };
}

export class Callers {
  readonly #callers = new Map<Duplex, Caller>();
  #closing = false;

  add(socket: Socket): void {
    const caller = new Caller(socket);
    this.#callers.set(socket, caller);
    socket.once("close", () => this.#callers.delete(socket));
    if (this.#closing) caller.close();
  }

  of(socket: Duplex): Caller | undefined {
    return this.#callers.get(socket);
  }

  get connections(): number {
    return this.#callers.size;
  }

  get requests(): number {
    let sum = 0;
    for (const caller of this.#callers.values()) sum += caller.requests;
    return sum;
  }

  close(): void {
    this.#closing = true;
    for (const caller of this.#callers.values()) caller.close();
  }

  destroy(): void {
    for (const caller of this.#callers.values()) caller.destroy();
    this.#callers.clear();
  }
}
