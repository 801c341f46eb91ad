// The SDK's `Transport` over the pipes of a child: one writer that collects the frames of a turn of the event loop and honours
// back-pressure, one reader that cuts lines and reads messages. It knows which requests are in flight, so that an over-long line can
// be given to the call it belongs to. The SDK never sees a server's content: an answer passes it as `{answer}`, whatever is in it.
// Tool calls go beside the SDK, over the same frames (`ask`): its bookkeeping of a request would cost as much as all of ours.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { initializeResult } from "./handshake.ts";
import { LineSplitter, type OverlongLine } from "./lines.ts";
import { ownId, readLine, type Answer, type Reading } from "./messages.ts";
import { exactText } from "./numbers.ts";
import { ownerOf } from "./overlong.ts";

export interface TransportPipe {
  /** False: wait for the drain before writing more. */
  write(text: string): boolean;
  /** Once. */
  onDrain(listener: () => void): void;
}

export interface TransportEvents {
  onToolsChanged(): void;
  /** So many more lines were skipped. */
  onNoise(count: number): void;
  /** What comes cannot be followed any further. */
  onLost(why: string): void;
}

/** What a request of our own is told. */
export interface Asker {
  /** Once, when the bytes go to the pipe. */
  readonly onSent?: (() => void) | undefined;
  readonly onProgress?: (() => void) | undefined;
  /** Once; never after `cancel` or the end of the link. */
  readonly onAnswer: (answer: Answer) => void;
}

interface Request {
  readonly method: string;
  /** Absent for the SDK's own. */
  readonly asker?: Asker;
}

interface Frame {
  readonly text: string;
  /** Of a request of ours. */
  readonly id: number | undefined;
}

/** The only text of ours in a cancellation. */
const CANCEL_REASON = "cancelled by the caller";
/** The SDK counts its ids from 0; ours begin where its few never come. */
const FIRST_OWN_ID = 1_000_000;
/** How long the end of an over-long line is waited for, to tell its true size, before its call is failed (ms). */
const OVERLONG_PATIENCE_MS = 1_000;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** What the handshake agreed on. */
  protocolVersion: string | undefined;
  /** The answer to `initialize`. */
  handshake: Answer | undefined;

  readonly #pipe: TransportPipe;
  readonly #events: TransportEvents;
  readonly #lines: LineSplitter;
  #frames: Frame[] = [];
  /** A write is planned for this turn's end, or the pipe is full. */
  #writing: "idle" | "planned" | "full" = "idle";
  #closed = false;
  /** Requests that wait for their answer, by id. */
  readonly #inFlight = new Map<number, Request>();
  #lastId = -1;
  #nextOwnId = FIRST_OWN_ID;
  #firstLine = true;
  #noise = 0;
  #overlong: { line: OverlongLine; settled: boolean; readonly patience: NodeJS.Timeout } | undefined;

  constructor(pipe: TransportPipe, maxMessageBytes: number, events: TransportEvents) {
    this.#pipe = pipe;
    this.#events = events;
    this.#lines = new LineSplitter(maxMessageBytes, {
      onLine: (text, bytes) => this.#onLine(text, bytes),
      onOverlong: (line) => this.#onOverlong(line),
      onEndless: () => {
        // A fast machine gets here before the patience is over: the call is told first.
        if (this.#overlong?.settled === false) this.#judge(false);
        events.onLost("a line without end");
      },
    });
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  start = (): Promise<void> => Promise.resolve();

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
  }

  /** Sends a request of our own, with its id as progress token. Throws what cannot be written as JSON. */
  ask(method: string, params: Readonly<Record<string, unknown>>, asker: Asker): number {
    const id = this.#nextOwnId++;
    const text = exactText({ jsonrpc: "2.0", id, method, params: { ...params, _meta: { progressToken: id } } });
    this.#inFlight.set(id, { method, asker });
    this.#frames.push({ text, id });
    this.#plan();
    return id;
  }

  /** The server is told; a late answer is dropped. */
  cancel(id: number): void {
    const params = { requestId: id, reason: CANCEL_REASON };
    if (this.#closed || !this.#cancels(params)) return;
    this.#frames.push({ text: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }), id: undefined });
    this.#plan();
  }

  /** Rejects what cannot be written as JSON, and everything after the close. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("the transport is closed"));
    let id: number | undefined;
    try {
      const isCancel = "method" in message && message.method === "notifications/cancelled";
      const cancelled = isCancel ? this.#cancels(message.params) : undefined;
      if (isCancel && cancelled === undefined) return Promise.resolve();
      const text = exactText(cancelled === undefined ? message : cancellation(cancelled));
      if ("method" in message && "id" in message && typeof message.id === "number") {
        id = message.id;
        this.#lastId = id;
        this.#inFlight.set(id, { method: message.method });
      }
      this.#frames.push({ text, id });
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error("not JSON"));
    }
    this.#plan();
    return Promise.resolve();
  }

  /** Forgets the link: what is queued is dropped, nothing more is read. The process is not ours to end. */
  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#frames = [];
    this.#inFlight.clear();
    clearTimeout(this.#overlong?.patience);
    this.onclose?.();
    return Promise.resolve();
  }

  /** Returns how many lines of it were no message. */
  receive(chunk: Buffer): number {
    if (this.#closed) return 0;
    this.#lines.push(chunk);
    const count = this.#noise;
    this.#noise = 0;
    if (count > 0) this.#events.onNoise(count);
    return count;
  }

  /** The id, if the server must be told. `initialize` is never cancelled (MCP, cancellation), nor is what was not sent yet. */
  #cancels(params: unknown): number | undefined {
    const id = ownId(typeof params === "object" && params !== null && "requestId" in params ? params.requestId : undefined);
    const request = id === undefined ? undefined : this.#inFlight.get(id);
    // Answered already: the SDK's listener outlives its request.
    if (id === undefined || request === undefined) return undefined;
    this.#inFlight.delete(id);
    const queued = this.#frames.findIndex((frame) => frame.id === id);
    if (queued !== -1) this.#frames.splice(queued, 1);
    return queued === -1 && request.method !== "initialize" ? id : undefined;
  }

  #plan(): void {
    if (this.#writing !== "idle") return;
    this.#writing = "planned";
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#writing = "idle";
    if (this.#closed || this.#frames.length === 0) return;
    const frames = this.#frames;
    this.#frames = [];
    let text = "";
    for (const frame of frames) {
      text += `${frame.text}\n`;
      if (frame.id !== undefined) this.#inFlight.get(frame.id)?.asker?.onSent?.();
    }
    if (this.#pipe.write(text)) return;
    // A child that exits before it drains the pipe ends the link, and with it this wait.
    this.#writing = "full";
    this.#pipe.onDrain(() => this.#flush());
  }

  #onLine(line: string, bytes: number): void {
    if (this.#closed) return;
    // A byte-order mark may stand before the very first line, nowhere else.
    const text = this.#firstLine && line.startsWith("\uFEFF") ? line.slice(1) : line;
    this.#firstLine = false;
    for (const reading of readLine(text, bytes)) {
      this.#take(reading);
    }
  }

  #take(reading: Reading): void {
    // An earlier message of the same line may have ended the link.
    if (this.#closed) return;
    switch (reading.kind) {
      case "answer":
        this.#answer(reading.id, reading.answer);
        break;
      case "request":
        // Without its parameters: we answer `ping`, and refuse everything else by its name.
        this.onmessage?.({ jsonrpc: "2.0", id: reading.id, method: reading.method });
        break;
      case "progress": {
        const request = this.#inFlight.get(reading.token);
        // Told here and not through the SDK, which loses the progress that comes in one piece with the answer.
        if (request !== undefined) request.asker?.onProgress?.();
        else if (!this.#asked(reading.token)) this.#noise++;
        break;
      }
      case "tools_changed":
        this.#events.onToolsChanged();
        break;
      case "notification":
        break;
      case "noise":
        this.#noise++;
    }
  }

  #answer(id: number, answer: Answer): void {
    const request = this.#inFlight.get(id);
    if (request === undefined) {
      // Late, after a cancel: dropped. Never asked: noise.
      if (!this.#asked(id)) this.#noise++;
      return;
    }
    this.#inFlight.delete(id);
    if (request.asker !== undefined) {
      request.asker.onAnswer(answer);
      return;
    }
    if (request.method !== "initialize") {
      this.onmessage?.({ jsonrpc: "2.0", id, result: { answer } });
      return;
    }
    this.handshake = answer;
    if (answer.kind === "result") this.onmessage?.({ jsonrpc: "2.0", id, result: initializeResult(answer.raw.value) });
    else this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32603, message: answer.kind } });
  }

  /** Whether an id was ever one of ours. */
  #asked(id: number): boolean {
    return id <= this.#lastId || (id >= FIRST_OWN_ID && id < this.#nextOwnId);
  }

  #onOverlong(line: OverlongLine): void {
    this.#firstLine = false;
    const before = this.#overlong;
    if (before === undefined) {
      const patience = setTimeout(() => this.#judge(false), OVERLONG_PATIENCE_MS);
      this.#overlong = { line, settled: false, patience };
      return;
    }
    clearTimeout(before.patience);
    before.line = line;
    if (!before.settled) this.#judge(true);
    this.#overlong = undefined;
  }

  /** Fails the call that the line belongs to; when nobody knows which that is, the link cannot go on. */
  #judge(ended: boolean): void {
    const overlong = this.#overlong;
    if (overlong === undefined || this.#closed) return;
    const { head, tail, bytes } = overlong.line;
    const owner = ownerOf(head, tail);
    const sole = this.#inFlight.size === 1 ? this.#inFlight.keys().next().value : undefined;
    const id = owner.kind === "answer" ? ownId(owner.id) : owner.kind === "unknown" ? sole : undefined;
    if (owner.kind === "unknown" && id === undefined) {
      // Its last bytes may still name it.
      if (ended) this.#events.onLost("a line over the limit that belongs to no call");
      return;
    }
    overlong.settled = true;
    if (id === undefined) this.#noise++;
    else this.#answer(id, { kind: "too_large", sizeBytes: bytes });
  }
}

/** Whatever the reason of the signal was: it is the caller's, not the server's. */
function cancellation(requestId: number): JSONRPCMessage {
  return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason: "cancelled by the caller" } };
}
