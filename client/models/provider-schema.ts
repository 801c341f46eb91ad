// An admitted input schema as model providers take it: a flat root, `properties` and `items` where they are missing, no
// `$schema`. For showing only; keys come in code-unit order, so equal schemas give equal bytes.
import { compareCodeUnits, isJsonObject, type JsonObject, type JsonValue } from "../../daemon/contract/index.ts";
import { flattenRoot } from "./flat-root.ts";
import { resolvePointer } from "./schema-reference.ts";

export type ProviderSchema =
  | { readonly kind: "shown"; readonly schema: JsonObject; readonly notes: readonly string[] }
  | { readonly kind: "impossible"; readonly why: string };

export const SIMPLIFIED = "combinations of arguments are shown simplified";

const ONE_SCHEMA = new Set(
  ["additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames"].concat([
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
  ]),
);
const SCHEMA_LIST = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const SCHEMA_MAP = new Set(["$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties"]);

export function providerSchema(schema: JsonObject): ProviderSchema {
  const root = flattenRoot(schema);
  if (root.kind === "impossible") return root;
  if (root.schema.type !== "object") return { kind: "impossible", why: "its arguments are no object" };
  const notes = new Set<string>(root.simplified ? [SIMPLIFIED] : []);
  const shown = schemaOf(root.schema, notes);
  const lost = references(shown).find(
    (reference) => reference.startsWith("#/") && resolvePointer(shown, reference) === undefined,
  );
  if (lost !== undefined) return { kind: "impossible", why: "its schema refers to a part that cannot be shown" };
  return { kind: "shown", schema: shown, notes: [...notes] };
}

function schemaOf(schema: JsonObject, notes: Set<string>): JsonObject {
  const shown = new Map<string, JsonValue>();
  for (const keyword of Object.keys(schema).sort(compareCodeUnits)) {
    const value = schema[keyword];
    if (value === undefined || keyword === "$schema") continue;
    if (keyword === "properties" && value === null) notes.add("`properties: null` is taken as none");
    else shown.set(keyword, keywordValue(keyword, value, notes));
  }
  if (isOf(schema.type, "object") && !shown.has("properties")) shown.set("properties", {});
  if (isOf(schema.type, "array")) shown.set("items", arrayItems(schema, shown));
  return Object.fromEntries([...shown].sort(([a], [b]) => compareCodeUnits(a, b)));
}

function keywordValue(keyword: string, value: JsonValue, notes: Set<string>): JsonValue {
  if (isJsonObject(value)) {
    if (ONE_SCHEMA.has(keyword)) return schemaOf(value, notes);
    if (!SCHEMA_MAP.has(keyword)) return sorted(value);
    const names = Object.keys(value).sort(compareCodeUnits);
    return Object.fromEntries(names.map((name) => [name, anySchema(value[name] ?? null, notes)]));
  }
  if (isList(value)) return value.map((entry) => (SCHEMA_LIST.has(keyword) ? anySchema(entry, notes) : sorted(entry)));
  return value;
}

const anySchema = (value: JsonValue, notes: Set<string>): JsonValue =>
  isJsonObject(value) ? schemaOf(value, notes) : sorted(value);

/** One schema for all items: providers take no list there (draft-07 tuples), and refuse an array without it. */
function arrayItems(schema: JsonObject, shown: ReadonlyMap<string, JsonValue>): JsonValue {
  const items = shown.get("items");
  if (!isList(items)) return items ?? {};
  return schema.additionalItems === false && items.length > 0 ? { anyOf: items } : {};
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const isOf = (type: JsonValue | undefined, name: string): boolean => type === name || (isList(type) && type.includes(name));

/** A value that is data, not a schema: same content, keys in order. */
function sorted(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort(compareCodeUnits);
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
}

/** Every `$ref` in it. One inside `const` or `enum` is found too: it costs nothing but caution. */
function references(root: JsonValue): readonly string[] {
  const found: string[] = [];
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isList(value)) open.push(...value);
    else if (isJsonObject(value)) {
      if (typeof value.$ref === "string") found.push(value.$ref);
      open.push(...Object.values(value));
    }
  }
  return found;
}
