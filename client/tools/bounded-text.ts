// Text that may become endless, of which the beginning and the end are kept and the size of the gap is said.

export class BoundedText {
  readonly #half: number;
  #head = "";
  #tail = "";
  #dropped = 0;

  /** `limit` in characters. */
  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  add(piece: string): void {
    const room = this.#half - this.#head.length;
    if (room > 0) this.#head += piece.slice(0, room);
    const rest = room > 0 ? piece.slice(room) : piece;
    if (rest === "") return;
    this.#tail += rest;
    // Cut now and then, not with every piece.
    if (this.#tail.length > this.#half * 2) this.#trim();
  }

  text(): string {
    this.#trim();
    if (this.#dropped === 0) return this.#head + this.#tail;
    return `${this.#head}\n… [${String(this.#dropped)} characters left out] …\n${this.#tail}`;
  }

  #trim(): void {
    const over = this.#tail.length - this.#half;
    if (over <= 0) return;
    this.#tail = this.#tail.slice(over);
    this.#dropped += over;
  }
}
