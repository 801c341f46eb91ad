// A page that is drawn again and again in the same place: on the terminal's other screen, so that what stood there comes back
// afterwards, without a cursor and without wrapping, and each frame in one write that the terminal shows at once. Leaves nothing
// behind. What the lines say, and that they are not wider than the terminal, is the business of whoever draws.
import { Writable } from "node:stream";
import { createLogUpdate } from "log-update";
import type { Terminal } from "./screen.ts";

// DEC private modes: 1049 the other screen, 25 the cursor, 7 wrapping, 2026 "show it when it is whole".
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const CLEAR = "\u001b[?2026h\u001b[H\u001b[2J";
/** Lines are fitted already: what takes them to the terminal must not break them by another measure. */
const ANY_WIDTH = 100_000;

export class LivePage {
  readonly #terminal: Terminal;
  readonly #sheet: Writable & { isTTY: boolean; columns: number; rows: number };
  readonly #update: ReturnType<typeof createLogUpdate>;
  readonly #onResize: () => void;
  #before = ENTER + CLEAR;
  #entered = false;
  #left = false;

  /** `onResize`: the page has another size and is to be drawn. */
  constructor(terminal: Terminal, onResize: () => void) {
    this.#terminal = terminal;
    const write = (text: string): void => this.#write(text);
    const sheet = new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        write(text);
        done();
      },
    });
    this.#sheet = Object.assign(sheet, { isTTY: true, columns: ANY_WIDTH, rows: 0 });
    this.#update = createLogUpdate(this.#sheet, { showCursor: true });
    this.#onResize = () => {
      // Terminals move what they show in ways of their own: nothing of the last frame is where it was.
      this.#update.done();
      this.#before = this.#entered ? CLEAR : ENTER + CLEAR;
      onResize();
    };
    terminal.on?.("resize", this.#onResize);
  }

  get columns(): number {
    return this.#terminal.columns ?? 80;
  }

  /** Lines that a frame may have. */
  get rows(): number {
    // The cursor rests below the last line.
    return Math.max(1, (this.#terminal.rows ?? 24) - 1);
  }

  /** Writes what is different. */
  draw(lines: readonly string[]): void {
    if (this.#left) return;
    this.#sheet.rows = this.rows + 1;
    this.#update(lines.slice(0, this.rows).join("\n"));
  }

  /** Idempotent. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#terminal.off?.("resize", this.#onResize);
    if (this.#entered) this.#terminal.write(LEAVE);
  }

  #write(text: string): void {
    this.#terminal.write(this.#before + text);
    this.#before = "";
    this.#entered = true;
  }
}
