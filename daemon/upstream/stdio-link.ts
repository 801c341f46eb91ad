// One life of a link to a stdio server: the child, the transport over its pipes, the SDK's client on top. It joins their ends: the
// first cause ends the link, pending requests settle, and whatever is left of the process group is brought to its end. Time limits,
// queues and retries are the caller's.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { z } from "zod";
import { assertNever, CONTRACT_VERSION, type JsonObject, type ServerSpec } from "../contract/index.ts";
import { Child, type ChildExit } from "./child.ts";
import { resolveCommand } from "./command.ts";
import { endedError } from "./ended.ts";
import { childEnvironment } from "./environment.ts";
import { handshakeFailed } from "./handshake.ts";
import type { Answer } from "./messages.ts";
import { UpstreamError } from "./port.ts";
import type { CallOptions, CloseCause, LinkEvents, LinkInfo, RawResult, UpstreamLink } from "./port.ts";
import { StderrRing } from "./stderr-ring.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { listFailed, walkPages } from "./tool-pages.ts";

type State =
  | { readonly kind: "new" }
  | { readonly kind: "starting" }
  | { readonly kind: "open"; readonly declaresTools: boolean }
  | { readonly kind: "ended"; readonly cause: CloseCause; readonly wasOpen: boolean };

/** The SDK's own time limit is never to fire: the longest a timer can wait (ms). */
const NEVER_MS = 2 ** 31 - 1;
/** A broken pipe is mostly the first sign of an exit, which says more: it is waited for that long (ms). */
const EXIT_AFTER_BREAK_MS = 200;
/** How often the group is searched for new members, while a wrapper may still be starting its server and later (ms). */
const LOOK_STARTING_MS = 1_000;
const LOOK_OPEN_MS = 15_000;
/** More noise than this in one piece is a flood, which rests before it is read on (ms). */
const FLOOD_LINES = 500;
const FLOOD_REST_MS = 100;
/** JSON-RPC 2.0: the method does not exist. */
const METHOD_NOT_FOUND = -32601;

const ANSWER = z.custom<{ readonly answer: Answer }>();

export class StdioLink implements UpstreamLink {
  readonly closed: Promise<CloseCause>;
  #resolveClosed: (cause: CloseCause) => void = () => undefined;
  readonly #spec: ServerSpec;
  readonly #events: LinkEvents;
  readonly #client: Client;
  readonly #stderr = new StderrRing();
  #state: State = { kind: "new" };
  #child: Child | undefined;
  #transport: StdioTransport | undefined;
  /** Settled when there is a child, or never will be. */
  #spawning: Promise<void> = Promise.resolve();
  /** How those who wait for an answer hear that there will be none. */
  readonly #asking = new Set<() => void>();
  #breaking: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(spec: ServerSpec, events: LinkEvents) {
    this.#spec = spec;
    this.#events = events;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    // No capability is declared: requests of the server other than `ping` are answered "method not found".
    this.#client = new Client({ name: "toolpool", version: String(CONTRACT_VERSION) }, { capabilities: {} });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  stderrTail(): string {
    return this.#stderr.text();
  }

  async connect(signal: AbortSignal): Promise<LinkInfo> {
    if (this.#state.kind !== "new") throw this.#unusable();
    this.#state = { kind: "starting" };
    const spawned = this.#spawn(signal);
    this.#spawning = spawned.then(
      () => undefined,
      () => undefined,
    );
    const { child, transport } = await spawned;
    this.#look(LOOK_STARTING_MS);
    await this.#settled(signal, (own) => this.#client.connect(transport, { signal: own, timeout: NEVER_MS }));
    const { protocolVersion } = transport;
    const serverInfo = this.#client.getServerVersion();
    if (this.#isEnded() || protocolVersion === undefined || serverInfo === undefined) throw this.#unusable();
    this.#state = { kind: "open", declaresTools: this.#client.getServerCapabilities()?.tools !== undefined };
    // Before anything is published: a helper that a wrapper has started is on record should we be killed.
    await child.look();
    this.#look(LOOK_OPEN_MS);
    return { protocolVersion, serverInfo: { name: serverInfo.name, version: serverInfo.version }, pid: child.pid };
  }

  listToolsRaw(signal: AbortSignal): Promise<readonly unknown[]> {
    return walkPages(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await this.#settled(signal, (own) => this.#listPage(params, own));
      switch (answer.kind) {
        case "result":
          return answer.raw.value;
        case "remote_error":
          // A server without tools need not know the method.
          if (answer.code === METHOD_NOT_FOUND && cursor === undefined && !this.#declaresTools()) return { tools: [] };
          throw listFailed("error_answer", answer.code === undefined ? {} : { code: answer.code });
        case "too_large":
          throw listFailed("too_large", { limitBytes: this.#spec.maxMessageBytes, sizeBytes: answer.sizeBytes });
        default:
          return assertNever(answer);
      }
    });
  }

  async callRaw(tool: string, args: JsonObject, options: CallOptions): Promise<RawResult> {
    const answer = await this.#ask("tools/call", { name: tool, arguments: args }, options);
    switch (answer.kind) {
      case "result":
        return answer.raw;
      case "remote_error":
        throw new UpstreamError(
          "remote_error",
          "The server answered with an error",
          answer.code === undefined ? {} : { code: answer.code },
        );
      case "too_large":
        throw new UpstreamError("too_large", "The server's answer is longer than a message may be", {
          limitBytes: this.#spec.maxMessageBytes,
          sizeBytes: answer.sizeBytes,
        });
      default:
        return assertNever(answer);
    }
  }

  async close(reason: string): Promise<void> {
    this.#end({ kind: "asked", reason });
    await this.#spawning;
    await this.#child?.stop();
  }

  async destroy(reason: string): Promise<void> {
    this.#end({ kind: "asked", reason });
    // A child that is there is killed in this very turn.
    void this.#child?.kill();
    await this.#spawning;
    await this.#child?.kill();
  }

  async #spawn(signal: AbortSignal): Promise<{ child: Child; transport: StdioTransport }> {
    const { launch, graceMs, maxMessageBytes } = this.#spec;
    const invocation = await resolveCommand(launch, childEnvironment(launch.env));
    if (signal.aborted || this.#isEnded()) throw this.#failure(signal);
    const child = await Child.spawn(invocation, graceMs, {
      onStdout: (chunk) => this.#receive(chunk),
      onStderr: (chunk) => this.#stderr.push(chunk),
      onExit: (exit) => this.#onExit(exit),
      onBroken: (pipe) => this.#onBroken(pipe),
      onProcess: (process) => this.#events.onProcess(process),
    });
    const transport = new StdioTransport(child, maxMessageBytes, {
      onToolsChanged: () => this.#events.onToolsChanged(),
      onNoise: (count) => this.#events.onNoise(count),
      onLost: (why) => this.#lose(why),
    });
    this.#child = child;
    this.#transport = transport;
    if (this.#isEnded()) throw this.#failure(signal);
    return { child, transport };
  }

  #receive(chunk: Buffer): void {
    const skipped = this.#transport?.receive(chunk) ?? 0;
    if (skipped > FLOOD_LINES) this.#child?.restStdout(FLOOD_REST_MS);
  }

  async #listPage(params: Record<string, unknown>, signal: AbortSignal): Promise<Answer> {
    if (this.#state.kind !== "open") throw this.#unusable();
    const { answer } = await this.#client.request({ method: "tools/list", params }, ANSWER, { signal, timeout: NEVER_MS });
    return answer;
  }

  /** One request of our own, settled at once when its signal aborts or the link ends. */
  #ask(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions): Promise<Answer> {
    const { signal, onSent, onProgress } = options;
    const transport = this.#transport;
    if (this.#state.kind !== "open" || transport === undefined) return Promise.reject(this.#unusable());
    if (signal.aborted) return Promise.reject(this.#failure(signal));
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        signal.removeEventListener("abort", onAbort);
        this.#asking.delete(onEnd);
      };
      const onAnswer = (answer: Answer): void => {
        settle();
        resolve(answer);
      };
      const onAbort = (): void => {
        settle();
        transport.cancel(id);
        reject(this.#failure(signal));
      };
      const onEnd = (): void => {
        settle();
        reject(this.#unusable());
      };
      const id = transport.ask(method, params, { onSent, onProgress, onAnswer });
      signal.addEventListener("abort", onAbort);
      this.#asking.add(onEnd);
    });
  }

  /** The SDK leaves its listener on a signal for ever: for a signal that outlives one request it gets another. */
  async #settled<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted) throw this.#failure(signal);
    const own = new AbortController();
    const onAbort = (): void => own.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await work(own.signal);
    } catch {
      // Errors of the SDK may quote the server: only what we know ourselves is told.
      throw this.#failure(signal);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #failure(signal: AbortSignal): UpstreamError {
    return signal.aborted ? new UpstreamError("aborted", "The request was cancelled") : this.#unusable();
  }

  /** Why nothing can be asked (any more). */
  #unusable(): UpstreamError {
    const state = this.#state;
    switch (state.kind) {
      case "new":
      case "open":
        return new UpstreamError("closed", "The link cannot take this request", { state: state.kind });
      case "starting":
        return handshakeFailed(this.#transport?.handshake);
      case "ended":
        return endedError(state.cause, state.wasOpen);
      default:
        return assertNever(state);
    }
  }

  #onExit(exit: ChildExit): void {
    const child = this.#child;
    // Whoever is left of its group is ended at once; what it wrote before its end is still read for those who wait for it.
    void child?.stop();
    const end = (): void => this.#end({ kind: "exited", ...exit });
    if (child !== undefined && this.#transport !== undefined && this.#transport.inFlight > 0) void child.drained().then(end);
    else end();
  }

  #onBroken(pipe: "stdin" | "stdout"): void {
    if (this.#isEnded()) return;
    this.#breaking ??= setTimeout(() => {
      if (this.#child?.exit === undefined) this.#lose(`${pipe} is closed`);
    }, EXIT_AFTER_BREAK_MS);
  }

  #lose(why: string): void {
    this.#end({ kind: "broken", why });
    void this.#child?.stop();
  }

  #end(cause: CloseCause): void {
    if (this.#isEnded()) return;
    this.#state = { kind: "ended", cause, wasOpen: this.#state.kind === "open" };
    clearTimeout(this.#breaking);
    clearTimeout(this.#looking);
    // In this order: whoever watches the link knows of its end before a call does.
    this.#resolveClosed(cause);
    void this.#transport?.close();
    for (const end of this.#asking) end();
  }

  #isEnded(): boolean {
    return this.#state.kind === "ended";
  }

  #declaresTools(): boolean {
    return this.#state.kind === "open" && this.#state.declaresTools;
  }

  /** Searches the group after `ms`, and again and again: a helper found is on record should we be killed. */
  #look(ms: number): void {
    clearTimeout(this.#looking);
    if (this.#isEnded()) return;
    this.#looking = setTimeout(() => {
      void this.#child?.look();
      this.#look(this.#state.kind === "open" ? LOOK_OPEN_MS : LOOK_STARTING_MS);
    }, ms).unref();
  }
}
