// A copy of a value of unknown origin as plain JSON, made without recursion and within bounds. It refuses what JSON cannot hold,
// cycles, and the member name `__proto__`; it reads every member once, so what was judged is what is kept.
import { LosslessNumber } from "lossless-json";
import { isNumberText, type Issue, type JsonValue } from "../contract/index.ts";
import { joinPointer } from "./json-pointer.ts";
import { SCHEMA_LIMITS } from "./limits.ts";

export interface JsonLimits {
  /** Bounds what is copied by its characters, which are never more than its bytes; the bytes of the text are the caller's to count. */
  readonly bytes: number;
  readonly nesting: number;
  readonly keyLength: number;
}

export type JsonCopy =
  { readonly kind: "copied"; readonly value: JsonValue } | { readonly kind: "refused"; readonly issue: Issue };

/** Never throws: a value that throws while it is read is refused too. */
export function copyJson(value: unknown, limits: JsonLimits = SCHEMA_LIMITS): JsonCopy {
  const copier = new Copier(limits);
  try {
    return { kind: "copied", value: copier.copy(value) };
  } catch (error) {
    const message = error instanceof Refused ? error.message : "cannot be read as JSON";
    return { kind: "refused", issue: { pointer: copier.pointer, message } };
  }
}

class Refused extends Error {}

type Container = Record<string, JsonValue> | JsonValue[];

interface Frame {
  readonly source: object;
  readonly target: Container;
  /** Undefined for arrays. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  at: number;
}

class Copier {
  #size = 0;
  readonly #limits: JsonLimits;
  readonly #frames: Frame[] = [];

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Where the copy stands; only wanted for a refusal. */
  get pointer(): string {
    return joinPointer("", ...this.#frames.map((frame) => frame.keys?.[frame.at] ?? frame.at));
  }

  copy(root: unknown): JsonValue {
    const copied = this.#enter(root);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.at === frame.size) {
        this.#frames.pop();
        const parent = this.#frames.at(-1);
        if (parent !== undefined) parent.at += 1;
        continue;
      }
      const depth = this.#frames.length;
      if (frame.keys === undefined) {
        const member = this.#enter((frame.source as readonly unknown[])[frame.at]);
        (frame.target as JsonValue[]).push(member);
      } else {
        const key = frame.keys[frame.at] ?? "";
        this.#countKey(key);
        const member = this.#enter((frame.source as Readonly<Record<string, unknown>>)[key]);
        (frame.target as Record<string, JsonValue>)[key] = member;
      }
      if (this.#frames.length === depth) frame.at += 1;
    }
    return copied;
  }

  /** A scalar is returned as it is; a container is returned empty and stands on top of the frames, to be filled. */
  #enter(value: unknown): JsonValue {
    switch (typeof value) {
      case "string":
        this.#count(value.length + 2);
        return value;
      case "number":
        if (!Number.isFinite(value)) throw new Refused("is not a JSON number");
        this.#count(String(value).length);
        return value;
      case "boolean":
        this.#count(4);
        return value;
      case "object":
        break;
      default:
        throw new Refused("is not a JSON value");
    }
    if (value === null) {
      this.#count(4);
      return null;
    }
    if (isNumberText(value)) {
      this.#count(value.value.length);
      return numberText(value.value);
    }
    return this.#open(value);
  }

  #open(source: object): Container {
    if (this.#frames.length >= this.#limits.nesting) throw new Refused(`is nested more than ${this.#limits.nesting} levels deep`);
    if (this.#frames.some((frame) => frame.source === source)) throw new Refused("contains itself");
    const array = Array.isArray(source);
    if (!array && !isPlain(source)) throw new Refused("is not a plain JSON object");
    const keys = array ? undefined : Object.keys(source);
    const size = array ? source.length : (keys ?? []).length;
    // Brackets and the commas between members; every member takes one more at least, so nothing larger is even begun.
    this.#count(2 + Math.max(0, size - 1));
    if (this.#size + size > this.#limits.bytes) this.#tooLarge();
    const target: Container = array ? [] : {};
    this.#frames.push({ source, target, keys, size, at: 0 });
    return target;
  }

  #countKey(key: string): void {
    if (key === "__proto__") throw new Refused("the member name __proto__ is not allowed");
    if (key.length > this.#limits.keyLength) throw new Refused(`has a name longer than ${this.#limits.keyLength} characters`);
    this.#count(key.length + 3);
  }

  #count(characters: number): void {
    this.#size += characters;
    if (this.#size > this.#limits.bytes) this.#tooLarge();
  }

  #tooLarge(): never {
    throw new Refused(`makes the JSON text larger than ${this.#limits.bytes} bytes`);
  }
}

/** An object literal or what a JSON parser makes, of this realm or another. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (typeof prototype === "object" && Object.getPrototypeOf(prototype) === null);
}

/** The contract's JSON text writes it as the number it is; JsonValue has no name for it. */
function numberText(text: string): JsonValue {
  return Object.freeze(new LosslessNumber(text)) as unknown as JsonValue;
}
