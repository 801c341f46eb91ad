// Keywords that Ajv compares pair by pair, done here by content in one pass: `enum` against thousands of values and `uniqueItems`
// over a long array would otherwise take time that grows with the product of both.
import { canonicalJson, type JsonValue } from "../contract/index.ts";
import { charge } from "./steps.ts";

/** Equal by value as JSON Schema means it: 1 equals 1.0, the order of members does not matter. */
function contentKey(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = canonicalJson(value);
  charge(text.length / 16);
  return text;
}

interface Members {
  has(value: unknown): boolean;
}

/** Containers and scalars are kept apart: a string may look like the text of an object. */
export function membersOf(values: readonly JsonValue[]): Members {
  const scalars = new Set<unknown>();
  const containers = new Set<unknown>();
  for (const value of values) {
    if (typeof value === "object" && value !== null) containers.add(canonicalJson(value));
    else scalars.add(value);
  }
  return {
    has: (value) =>
      typeof value === "object" && value !== null ? containers.size > 0 && containers.has(contentKey(value)) : scalars.has(value),
  };
}

export function hasUniqueItems(items: readonly unknown[]): boolean {
  charge(items.length / 16);
  const scalars = new Set<unknown>();
  const containers = new Set<unknown>();
  for (const item of items) {
    const seen = typeof item === "object" && item !== null ? containers : scalars;
    const key = contentKey(item);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}
