// Regular expressions from servers, run in linear time by RE2. A server chooses the pattern and, for results, the text too, so
// no pattern ever reaches the backtracking engine of the runtime. What RE2 cannot express is not asserted: the server checks it.
import { RE2JS } from "re2js";
import { charge } from "./steps.ts";
import { PATTERN_SIZE } from "./limits.ts";
import { unfoldedSize } from "./pattern-size.ts";

export class LinearPattern {
  readonly #source: string;
  readonly #engine: RE2JS;
  readonly #size: number;

  constructor(source: string, engine: RE2JS) {
    this.#source = source;
    this.#engine = engine;
    this.#size = engine.programSize();
  }

  get size(): number {
    return this.#size;
  }

  /** Whether it matches anywhere in the text. */
  test(text: string): boolean {
    charge((text.length * this.#size) / 64);
    return this.#engine.test(text);
  }

  /** Ajv keys patterns by this text: without it all patterns of a schema would silently be the first one. */
  toString(): string {
    return this.#source;
  }
}

/** The patterns of one toolset while it is judged: each compiled once. */
export class PatternShelf {
  readonly #patterns = new Map<string, LinearPattern | undefined>();

  /** Undefined when the pattern cannot be run in linear time and within bounds. */
  find(source: string): LinearPattern | undefined {
    if (!this.#patterns.has(source)) this.#patterns.set(source, compile(source));
    return this.#patterns.get(source);
  }
}

function compile(source: string): LinearPattern | undefined {
  const unfolded = unfoldedSize(source);
  if (unfolded === undefined || unfolded > PATTERN_SIZE) return undefined;
  try {
    const pattern = new LinearPattern(source, RE2JS.compile(RE2JS.translateRegExp(source)));
    return pattern.size > PATTERN_SIZE ? undefined : pattern;
  } catch {
    return undefined;
  }
}
