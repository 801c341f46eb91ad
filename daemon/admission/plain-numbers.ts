// Numbers kept as text (no double holds them) are objects to a validator. For judging, and only for that, the nearest double stands
// in their place.
import { isNumberText } from "../contract/index.ts";

/** The value itself, or, where numbers are kept as text, a copy with the nearest doubles in their place. */
export function withPlainNumbers<T>(root: T): T;
export function withPlainNumbers(root: unknown): unknown {
  return holdsNumberText(root) ? plainCopy(root) : root;
}

function holdsNumberText(root: unknown): boolean {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    if (isNumberText(value)) return true;
    for (const member of Object.values(value)) if (typeof member === "object" && member !== null) open.push(member);
  }
  return false;
}

function plainCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isNumberText(value)) return Number(value.value);
  if (Array.isArray(value)) return value.map(plainCopy);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainCopy(member)]));
}
