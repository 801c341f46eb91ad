// One life of a link to a server: its start, its queue, its calls, its end. It is published at most once and ends at most once;
// the first cause of its end wins. The owner (a slot) is told of the end in the same turn, so that it withdraws before the link
// is closed.
import { connectFailure, ConnectRefused, type ConnectFailure, type ServerSpec } from "../contract/index.ts";
import type { ExposedTool } from "../admission/types.ts";
import { UpstreamError, type LinkInfo, type OwnedProcess, type UpstreamLink } from "../upstream/port.ts";
import { CallClock } from "./call-clock.ts";
import { OperationQueue } from "./queue.ts";
import type { ConnectionsPorts, RemoteAnswer, RemoteOutcome, RemoteRequest } from "./ports.ts";
import { REFRESH_PACE, RefreshPace } from "./refresh-pace.ts";
import { samePins } from "./same-pins.ts";
import { errorDetails, startFailure, startLimitMs } from "./start-failure.ts";
import { pause } from "./pause.ts";

export interface ConnectionEvents {
  /** It ended by itself or by a time limit. Called once, never after `retire` began. */
  onEnded(failure: ConnectFailure): void;
  /** The list was read again and admitted. True when the content differs and was replaced. */
  onRelisted(tools: readonly ExposedTool[], digest: string): boolean;
  /** The list was read again and is no longer admissible. */
  onRefused(failure: ConnectFailure): void;
  /** The list could not be read again: the last good one stays. */
  onRelistFailed(failure: ConnectFailure): void;
}

export interface Admitted {
  readonly tools: readonly ExposedTool[];
  readonly digest: string;
}

/** Between two reads of a first list that is empty although the policy names tools (ms). */
const EMPTY_LIST_PAUSE_MS = 100;

export class Connection {
  readonly id: string;
  readonly owner: string | null | undefined;
  readonly #spec: ServerSpec;
  readonly #ports: ConnectionsPorts;
  readonly #events: ConnectionEvents;
  readonly #link: UpstreamLink;
  readonly #queue: OperationQueue;
  #pins: ServerSpec["pins"];
  #pace: RefreshPace | undefined;
  #noticed = false;
  #info: LinkInfo | undefined;
  #ended = false;
  #gone: Promise<void> | undefined;

  constructor(id: string, owner: string | null | undefined, spec: ServerSpec, ports: ConnectionsPorts, events: ConnectionEvents) {
    this.id = id;
    this.owner = owner;
    this.#spec = spec;
    this.#pins = spec.pins;
    this.#ports = ports;
    this.#events = events;
    this.#queue = new OperationQueue({ concurrency: spec.concurrency, limit: spec.queueLimit });
    this.#link = ports.link(spec, id, {
      onToolsChanged: () => this.#onToolsChanged(),
      onNoise: (count) => ports.onNoise(spec.alias, count),
      onProcess: (process: OwnedProcess) => ports.ledger.record(process, spec.alias, id),
    });
  }

  get info(): LinkInfo | undefined {
    return this.#info;
  }

  get pid(): number | undefined {
    return this.#link.pid;
  }

  get queue(): { readonly running: number; readonly waiting: number } {
    return this.#queue.depth;
  }

  stderrTail(): string {
    return this.#link.stderrTail();
  }

  /** Spawn, handshake, list, admit. Rejects with ConnectRefused; the link is then still to be closed. */
  async start(signal: AbortSignal): Promise<Admitted> {
    const deadline = new AbortController();
    const limitMs = startLimitMs(this.#spec);
    const timer = setTimeout(() => deadline.abort(), limitMs);
    const both = AbortSignal.any([signal, deadline.signal]);
    let lastEmpty: ConnectRefused | undefined;
    try {
      this.#info = await this.#link.connect(both);
      for (;;) {
        this.#noticed = false;
        const published = await this.#link.listToolsRaw(both);
        const admission = await this.#ports.admit(this.#admissionInput(published), { signal: both });
        if (admission.kind === "admitted") return admission;
        if (published.length > 0 || this.#spec.tools.size === 0) throw new ConnectRefused(admission.failure);
        // It may still be reading its own configuration: the list is asked for again until the start time is over.
        lastEmpty = new ConnectRefused(admission.failure);
        await pause(EMPTY_LIST_PAUSE_MS, both);
      }
    } catch (error) {
      if (error instanceof ConnectRefused) throw error;
      if (signal.aborted) throw new ConnectRefused(connectFailure("cancelled"));
      if (deadline.signal.aborted) throw lastEmpty ?? new ConnectRefused(connectFailure("startup_timeout", { limitMs }));
      throw new ConnectRefused(startFailure(error));
    } finally {
      clearTimeout(timer);
    }
  }

  /** From here on the end of the link is an event, and list changes are followed. Call in the turn of the publish. */
  supervise(): void {
    void this.#link.closed.then((cause) => {
      const details =
        cause.kind === "exited"
          ? { exitCode: cause.exitCode, signal: cause.signal }
          : cause.kind === "broken"
            ? { why: cause.why }
            : undefined;
      this.#end(connectFailure("connection_lost", details));
    });
    this.#pace = new RefreshPace({ ...REFRESH_PACE, now: () => performance.now() }, () => this.#relist());
    // A change announced while the first list was read may or may not be in it.
    if (this.#noticed) this.#pace.notice();
  }

  /** Other pins: what is published is held against them soon, as after a change of the list. */
  repin(pins: ServerSpec["pins"]): void {
    if (samePins(this.#pins, pins)) return;
    this.#pins = pins;
    this.#onToolsChanged();
  }

  /** One call. Never rejects: every way it can end is an outcome. */
  async call(request: RemoteRequest): Promise<RemoteAnswer> {
    const arrived = performance.now();
    const { session, concurrent, signal, capMs } = request;
    const waitMs = capMs === undefined ? this.#spec.queueTimeoutMs : Math.min(capMs, this.#spec.queueTimeoutMs);
    const entering = this.#queue.enter({ session, concurrent, signal, waitMs });
    const entry = entering instanceof Promise ? await entering : entering;
    const dispatched = performance.now();
    const queuedMs = dispatched - arrived;
    const refused = (outcome: RemoteOutcome): RemoteAnswer => ({ outcome, queuedMs, durationMs: null });
    switch (entry.kind) {
      case "full":
        return refused({ kind: "queue_full" });
      case "timeout":
        return refused({ kind: "queue_timeout" });
      case "cancelled":
        return refused({ kind: "cancelled", sent: false });
      case "ended":
        return refused({ kind: "lost", sent: false });
      case "go":
        break;
    }
    try {
      if (!request.stillBound()) return refused({ kind: "unbound" });
      const outcome = await this.#send(request);
      return { outcome, queuedMs, durationMs: performance.now() - dispatched };
    } finally {
      entry.leave();
    }
  }

  async #send(request: RemoteRequest): Promise<RemoteOutcome> {
    const { signal, capMs } = request;
    let sent = false;
    let expired = false;
    const limits = {
      idleMs: request.idleMs ?? this.#spec.toolTimeoutMs,
      totalMs: Math.min(capMs ?? Infinity, this.#spec.toolTotalMs),
    };
    const clock = new CallClock(limits, () => {
      expired = true;
      // Withdrawn first, in this very turn; then the server is told, the caller answered, and the connection closed.
      this.#end(connectFailure("call_timeout", { tool: request.tool }), request.abort);
    });
    try {
      const raw = await this.#link.callRaw(request.tool, request.args, {
        signal,
        onProgress: () => clock.progress(),
        onSent: () => (sent = true),
      });
      return { kind: "answer", raw, maxBytes: this.#spec.maxResultBytes };
    } catch (error) {
      // The compiler cannot see that the clock's callback ran meanwhile.
      if (expired as boolean) return { kind: "timeout" };
      if (!(error instanceof UpstreamError)) throw error;
      switch (error.code) {
        case "remote_error":
          return { kind: "remote_error" };
        case "too_large":
          return { kind: "too_large", sizeBytes: Number(error.details.sizeBytes), limitBytes: Number(error.details.limitBytes) };
        case "aborted":
          return { kind: "cancelled", sent };
        default:
          return { kind: "lost", sent };
      }
    } finally {
      clock.stop();
    }
  }

  /**
   * The asked end, after the toolset was withdrawn: nothing new is taken, what waits is refused, what runs has `drainMs` to end.
   * Resolves when the process group is verified gone.
   */
  async retire(reason: string, drainMs: number): Promise<void> {
    this.#ended = true;
    this.#pace?.stop();
    this.#queue.end();
    if (drainMs > 0 && this.#queue.depth.running > 0) {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        this.#queue.idle(),
        this.#link.closed,
        new Promise((resolve) => (timer = setTimeout(resolve, drainMs))),
      ]);
      clearTimeout(timer);
    }
    await this.#close(reason);
  }

  /** Ends it now: SIGKILL to the group. */
  async destroy(reason: string): Promise<void> {
    this.#ended = true;
    this.#pace?.stop();
    this.#queue.end();
    await this.#link.destroy(reason);
    await this.#close(reason);
  }

  /** Resolves when nothing of it is left. */
  get gone(): Promise<void> {
    return this.#gone ?? Promise.resolve();
  }

  #end(failure: ConnectFailure, beforeClose?: () => void): void {
    if (this.#ended) {
      beforeClose?.();
      return;
    }
    this.#ended = true;
    this.#pace?.stop();
    this.#events.onEnded(failure);
    this.#queue.end();
    beforeClose?.();
    void this.#close(failure.code);
  }

  #close(reason: string): Promise<void> {
    return (this.#gone ??= this.#link.close(reason).then(() => this.#ports.ledger.forget(this.id)));
  }

  #onToolsChanged(): void {
    this.#noticed = true;
    if (!this.#ended) this.#pace?.notice();
  }

  async #relist(): Promise<"changed" | "same"> {
    const entry = await this.#queue.enter({ session: "", concurrent: false, limited: false });
    if (entry.kind !== "go") return "same";
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.#spec.startupTimeoutMs);
    try {
      const published = await this.#link.listToolsRaw(deadline.signal);
      const admission = await this.#ports.admit(this.#admissionInput(published), { signal: deadline.signal });
      if (this.#ended) return "same";
      if (admission.kind === "admitted") return this.#events.onRelisted(admission.tools, admission.digest) ? "changed" : "same";
      this.#refuse(admission.failure);
      return "changed";
    } catch (error) {
      if (!this.#ended) {
        const why = deadline.signal.aborted ? { limitMs: this.#spec.startupTimeoutMs } : errorDetails(error);
        this.#events.onRelistFailed(connectFailure("list_failed", why));
      }
      return "same";
    } finally {
      clearTimeout(timer);
      entry.leave();
    }
  }

  #refuse(failure: ConnectFailure): void {
    this.#ended = true;
    this.#pace?.stop();
    this.#events.onRefused(failure);
    this.#queue.end();
    void this.#close(failure.code);
  }

  #admissionInput(published: readonly unknown[]): Parameters<ConnectionsPorts["admit"]>[0] {
    return { alias: this.#spec.alias, connectionId: this.id, published, policy: this.#spec.tools, pins: this.#pins };
  }
}
