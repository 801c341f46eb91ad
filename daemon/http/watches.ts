// `GET /v1/registry/watch`: the registry's versions as server-sent events (WHATWG HTML, section 9.2). A reader that is slow is not
// read for: while its socket does not drain nothing is taken from the registry, whose bounded buffer then makes `lagging` of
// it. One timer serves the heartbeats of all watches. Every watch ends: with the registry, with its caller, or with us.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { assertNever } from "../contract/index.ts";
import { COMMON_HEADERS, type Faults } from "./answers.ts";
import type { Caller } from "./callers.ts";
import type { RegistryReads, WatchEvent } from "./ports.ts";
import { integer, toInteger, type Query } from "./query.ts";

const HEADERS = Object.freeze({
  ...COMMON_HEADERS,
  "content-type": "text/event-stream; charset=utf-8",
  "x-accel-buffering": "no",
});

export class Watches {
  readonly #registry: RegistryReads;
  readonly #faults: Faults;
  readonly #heartbeatMs: number;
  readonly #open = new Set<Watch>();
  readonly headers = HEADERS;
  #heartbeat: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(registry: RegistryReads, faults: Faults, heartbeatMs: number) {
    this.#registry = registry;
    this.#faults = faults;
    this.#heartbeatMs = heartbeatMs;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws what the registry refuses, before anything is answered; then the response is the watch's until it ends. */
  open(response: ServerResponse, caller: Caller | undefined, query: Query, headers: IncomingHttpHeaders): void {
    const last = headers["last-event-id"];
    const since =
      typeof last === "string" ? toInteger(last, "Last-Event-ID") : (integer(query, "since") ?? this.#registry.version());
    const stop = new AbortController();
    const events = this.#registry.watch(since, stop.signal);
    const watch = new Watch(response, stop);
    this.#open.add(watch);
    this.#heartbeat ??= setInterval(this.#beat, this.#heartbeatMs).unref();
    caller?.whenLost(watch.abandon);
    void watch
      .follow(events)
      .catch((thrown: unknown) => {
        if (!stop.signal.aborted) this.#faults.toAnswer(thrown, "registry.watch");
      })
      .finally(() => {
        caller?.answered(watch.abandon);
        watch.abandon();
        this.#forget(watch);
      });
    if (this.#closing) watch.close();
  }

  /** Tells every watch `closing` and ends it. */
  close(): void {
    this.#closing = true;
    for (const watch of this.#open) watch.close();
  }

  #forget(watch: Watch): void {
    this.#open.delete(watch);
    if (this.#open.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  readonly #beat = (): void => {
    for (const watch of this.#open) watch.beat();
  };
}

class Watch {
  readonly #response: ServerResponse;
  readonly #stop: AbortController;

  constructor(response: ServerResponse, stop: AbortController) {
    this.#response = response;
    this.#stop = stop;
    response.writeHead(200, HEADERS);
    // The head goes out now: a client must know that it follows, however long nothing happens.
    response.write(": watching\n\n");
  }

  async follow(events: AsyncIterable<WatchEvent>): Promise<void> {
    for await (const event of events) {
      if (this.#response.writableEnded) return;
      if (event.kind === "closing") break;
      if (!this.#response.write(eventText(event)) && !(await this.#drained())) return;
    }
    this.close();
  }

  beat(): void {
    // Behind what waits already, a sign of life is no news.
    if (!this.#response.writableNeedDrain && !this.#response.writableEnded) this.#response.write(": beat\n\n");
  }

  close(): void {
    if (!this.#response.writableEnded && !this.#stop.signal.aborted) this.#response.end("event: closing\ndata: {}\n\n");
    this.#stop.abort();
  }

  /** Nothing more is read or written. Ends the response, if the caller is there to see it. */
  readonly abandon = (): void => {
    this.#stop.abort();
    if (!this.#response.writableEnded) this.#response.end();
  };

  /** False when the watch ended first. */
  #drained(): Promise<boolean> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const settle = (drained: boolean) => (): void => {
        this.#response.off("drain", onDrain);
        signal.removeEventListener("abort", onAbort);
        resolve(drained);
      };
      const onDrain = settle(true);
      const onAbort = settle(false);
      this.#response.on("drain", onDrain);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
    });
  }
}

function eventText(event: Exclude<WatchEvent, { kind: "closing" }>): string {
  switch (event.kind) {
    case "version":
      return `id: ${String(event.row.version)}\nevent: version\ndata: ${JSON.stringify(event.row)}\n\n`;
    // No id: whoever reconnects must ask for what it has not seen.
    case "lagging":
      return `event: lagging\ndata: {"version":${String(event.version)}}\n\n`;
    default:
      return assertNever(event);
  }
}
