// Reads the query and the path of a REST request. A value that is not what its name says is refused, by name; names that no route
// knows are passed over, so that an older daemon can be asked by a newer client.
import { PoolError } from "../contract/index.ts";

/** A name that is given twice has an array. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface IntegerRange {
  readonly min?: number;
  readonly max?: number;
}

const refused = (name: string, rule: string): PoolError =>
  new PoolError("invalid_params", `"${name}" must be ${rule}`, { parameter: name });

export function text(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === "string") return value;
  throw refused(name, "given once");
}

export function integer(query: Query, name: string, range: IntegerRange = {}): number | undefined {
  const value = text(query, name);
  return value === undefined ? undefined : toInteger(value, name, range);
}

export function requiredInteger(query: Query, name: string): number {
  const value = integer(query, name);
  if (value === undefined) throw new PoolError("invalid_params", `"${name}" is missing`, { parameter: name });
  return value;
}

export function flag(query: Query, name: string): boolean {
  const value = text(query, name);
  if (value === undefined || value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  throw refused(name, "1 or 0");
}

export function oneOf(query: Query, name: string, allowed: readonly string[]): string | undefined {
  const value = text(query, name);
  if (value !== undefined && !allowed.includes(value)) throw refused(name, `one of ${allowed.join(", ")}`);
  return value;
}

export function toInteger(value: string, name: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: IntegerRange = {}): number {
  const number = /^(?:0|[1-9][0-9]*)$/.test(value) ? Number(value) : NaN;
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
  const upTo = max === Number.MAX_SAFE_INTEGER ? "" : ` to ${String(max)}`;
  throw refused(name, `an integer from ${String(min)}${upTo}`);
}
