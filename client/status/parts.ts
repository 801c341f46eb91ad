// What the page is put together from: what it is made for, and the blocks and sections it has.
import type { Colours } from "../output/colours.ts";

/** What a page is made for. */
export interface Look {
  /** Columns; no line is wider. A pipe has as many as there are numbers. */
  readonly width: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly colours: Colours;
}

/** What stands or goes together. */
export interface Block {
  readonly lines: readonly string[];
  /** The same in fewer lines. */
  readonly short: readonly string[];
  /** The same in one. */
  readonly line: readonly [string];
  /** When not all have room, those with the lowest stay. */
  readonly rank: number;
  /** How it is counted when it is left out. */
  readonly kind?: string;
}

export interface Section {
  readonly what: string;
  readonly head: readonly string[];
  readonly blocks: readonly Block[];
  /** How many there are that nobody has made a block of: too many to look at. */
  readonly beyond?: number;
}
