// Cuts a byte stream into lines: linear (a chunk is looked at once, a line is put together once), bounded (of a line over the
// cap only its head and its tail are kept, to find out whose answer it was; the rest is let go as it comes), and strict (nothing
// of an over-long line is ever given out as a line). It knows bytes, not JSON.

const NEWLINE = 10;
const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 256;

/** After this many bytes without a line break the stream cannot be followed any further. */
export const ENDLESS_LINE_BYTES = 1024 * 1024 * 1024;

export interface OverlongLine {
  readonly head: string;
  /** The last bytes; empty while the line has not ended. */
  readonly tail: string;
  /** So far, or in all when `ended`. */
  readonly bytes: number;
  readonly ended: boolean;
}

export interface LineEvents {
  /** Without the line break; UTF-8, what is not is replaced. */
  onLine(text: string, bytes: number): void;
  /** Once when a line passes the cap, and once more when it ends. */
  onOverlong(line: OverlongLine): void;
  /** Once. */
  onEndless(): void;
}

export class LineSplitter {
  readonly #events: LineEvents;
  readonly #maxBytes: number;
  readonly #endlessBytes: number;
  /** The line under way, in pieces. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Set while a line over the cap goes by. */
  #dropping: { readonly head: string; tail: Buffer } | undefined;
  #endless = false;

  constructor(maxBytes: number, events: LineEvents, endlessBytes: number = ENDLESS_LINE_BYTES) {
    this.#maxBytes = maxBytes;
    this.#endlessBytes = Math.max(endlessBytes, maxBytes);
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.byteLength) {
      const end = chunk.indexOf(NEWLINE, start);
      const piece = chunk.subarray(start, end === -1 ? chunk.byteLength : end);
      this.#append(piece);
      if (end === -1) return;
      this.#endLine();
      start = end + 1;
    }
  }

  #append(piece: Buffer): void {
    if (piece.byteLength === 0) return;
    this.#bytes += piece.byteLength;
    if (this.#dropping !== undefined) {
      this.#dropping.tail = lastBytes([this.#dropping.tail, piece]);
      if (this.#bytes > this.#endlessBytes && !this.#endless) {
        this.#endless = true;
        this.#events.onEndless();
      }
      return;
    }
    this.#pieces.push(piece);
    if (this.#bytes <= this.#maxBytes) return;
    const head = firstBytes(this.#pieces);
    this.#dropping = { head, tail: lastBytes(this.#pieces) };
    this.#pieces = [];
    this.#events.onOverlong({ head, tail: "", bytes: this.#bytes, ended: false });
  }

  #endLine(): void {
    const bytes = this.#bytes;
    const pieces = this.#pieces;
    const dropped = this.#dropping;
    this.#bytes = 0;
    this.#pieces = [];
    this.#dropping = undefined;
    if (dropped !== undefined) {
      this.#events.onOverlong({ head: dropped.head, tail: dropped.tail.toString("utf8"), bytes, ended: true });
      return;
    }
    const whole = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, bytes);
    this.#events.onLine(whole.toString("utf8"), bytes);
  }
}

function firstBytes(pieces: readonly Buffer[]): string {
  const head: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    head.push(piece);
    bytes += piece.byteLength;
    if (bytes >= HEAD_BYTES) break;
  }
  return Buffer.concat(head).subarray(0, HEAD_BYTES).toString("utf8");
}

/** A copy, so that the pieces can be let go. */
function lastBytes(pieces: readonly Buffer[]): Buffer {
  const tail: Buffer[] = [];
  let bytes = 0;
  for (let i = pieces.length - 1; i >= 0 && bytes < TAIL_BYTES; i--) {
    const piece = pieces[i];
    if (piece === undefined) break;
    const end = piece.subarray(Math.max(0, piece.byteLength - TAIL_BYTES));
    tail.unshift(end);
    bytes += end.byteLength;
  }
  const all = Buffer.concat(tail);
  return all.subarray(Math.max(0, all.byteLength - TAIL_BYTES));
}
