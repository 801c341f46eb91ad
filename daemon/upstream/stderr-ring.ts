// The last bytes a server wrote to stderr. Always drained, never pushes back, bounded in bytes (not lines: a server may write
// none); for the person at the machine, never for a model.

export const STDERR_BYTES = 64 * 1024;

export class StderrRing {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limit: number = STDERR_BYTES) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    // Copies: a small slice must not keep the stream's whole pool alive.
    this.#chunks.push(Buffer.from(chunk.byteLength > this.#limit ? chunk.subarray(chunk.byteLength - this.#limit) : chunk));
    this.#cut ||= chunk.byteLength > this.#limit;
    this.#bytes += Math.min(chunk.byteLength, this.#limit);
    while (this.#bytes > this.#limit) {
      const oldest = this.#chunks[0];
      if (oldest === undefined) break;
      this.#cut = true;
      const surplus = this.#bytes - this.#limit;
      if (oldest.byteLength <= surplus) {
        this.#chunks.shift();
        this.#bytes -= oldest.byteLength;
      } else {
        this.#chunks[0] = oldest.subarray(surplus);
        this.#bytes -= surplus;
      }
    }
    if (this.#chunks.length > 1024) this.#chunks.splice(0, Infinity, Buffer.concat(this.#chunks));
  }

  /** UTF-8; what is not is replaced. */
  text(): string {
    let bytes = Buffer.concat(this.#chunks);
    // The cut may have gone through a character.
    if (this.#cut) while (bytes.length > 0 && ((bytes[0] ?? 0) & 0xc0) === 0x80) bytes = bytes.subarray(1);
    return bytes.toString("utf8");
  }
}
