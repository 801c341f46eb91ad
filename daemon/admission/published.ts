// Reads a server's list: which entries have a usable name, and which names stand twice. Everything read here is untrusted; reading
// a member never throws.
import { TOOLSET_LIMITS } from "./limits.ts";
import type { PublishedTool } from "./types.ts";

export interface NamedEntry {
  readonly name: string;
  readonly index: number;
  readonly entry: PublishedTool;
}

export interface PublishedList {
  /** By name; of a name that stands twice the first. */
  readonly named: ReadonlyMap<string, NamedEntry>;
  /** Positions of entries without a usable name, and what is wrong. */
  readonly unnamed: readonly { readonly index: number; readonly message: string }[];
  /** Names that stand more than once, and where. */
  readonly repeated: ReadonlyMap<string, readonly number[]>;
}

/** A member of a value of unknown kind; undefined when there is none. */
export function memberOf(value: unknown, name: string): unknown {
  try {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

export function readPublished(published: readonly PublishedTool[]): PublishedList {
  const named = new Map<string, NamedEntry>();
  const unnamed: { index: number; message: string }[] = [];
  const repeated = new Map<string, number[]>();
  for (let index = 0; index < published.length; index++) {
    const entry = published[index];
    const name = memberOf(entry, "name");
    if (typeof entry !== "object" || entry === null) unnamed.push({ index, message: "the entry is not an object" });
    else if (typeof name !== "string") unnamed.push({ index, message: "the tool's name is not a string" });
    else if (name === "") unnamed.push({ index, message: "the tool's name is empty" });
    else if (name.length > TOOLSET_LIMITS.nameLength)
      unnamed.push({ index, message: `the tool's name is longer than ${TOOLSET_LIMITS.nameLength} characters` });
    else {
      const first = named.get(name);
      if (first === undefined) named.set(name, { name, index, entry });
      else repeated.set(name, [...(repeated.get(name) ?? [first.index]), index]);
    }
  }
  return { named, unnamed, repeated };
}
