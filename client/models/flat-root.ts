// Providers refuse a whole request when one tool's schema has a combinator at its root. This derives a flat view of such a
// root: every property any branch knows, as that branch describes it, required only where every branch requires it. The view
// never requires or forbids a property that the schema does not, and nothing is validated against it: the daemon enforces the
// original.
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../../daemon/contract/index.ts";
import { resolvePointer } from "./schema-reference.ts";

export type FlatRoot =
  | { readonly kind: "flat"; readonly schema: JsonObject; readonly simplified: boolean }
  | { readonly kind: "impossible"; readonly why: string };

const COMBINATORS = ["$ref", "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then"];
const DEEPEST = 32;

interface ObjectView {
  readonly properties: Map<string, JsonValue>;
  readonly required: Set<string>;
}

class Unflattenable extends Error {}

export function flattenRoot(schema: JsonObject): FlatRoot {
  if (!COMBINATORS.some((keyword) => Object.hasOwn(schema, keyword))) return { kind: "flat", schema, simplified: false };
  try {
    const view = new Flattening(schema).view(schema, []);
    if (view === undefined) return { kind: "impossible", why: "no arguments at all would match its schema" };
    const kept = Object.entries(schema).filter(([keyword]) => !COMBINATORS.includes(keyword) && keyword !== "required");
    const required = view.required.size === 0 ? {} : { required: [...view.required] };
    const flat = { ...Object.fromEntries(kept), properties: Object.fromEntries(view.properties), ...required };
    return { kind: "flat", schema: flat, simplified: true };
  } catch (error) {
    if (!(error instanceof Unflattenable)) throw error;
    return { kind: "impossible", why: error.message };
  }
}

class Flattening {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** What objects may have here; undefined when none can match. `path` holds the references on the way. */
  view(schema: JsonValue, path: readonly string[]): ObjectView | undefined {
    if (schema === false) return undefined;
    if (!isJsonObject(schema)) return { properties: new Map(), required: new Set() };
    if (path.length > DEEPEST) throw new Unflattenable("its schema is too deep to be shown flat");
    if (!allowsObjects(schema.type)) return undefined;
    const own = ownView(schema);
    const parts: (ObjectView | undefined)[] = [own];
    if (typeof schema.$ref === "string") parts.push(this.#referred(schema.$ref, path));
    for (const part of listOf(schema.allOf)) parts.push(this.view(part, [...path, ""]));
    for (const branches of [schema.anyOf, schema.oneOf]) {
      if (branches !== undefined) parts.push(this.#either(listOf(branches), path));
    }
    if (schema.if !== undefined) parts.push(this.#either([schema.then ?? true, schema.else ?? true], path));
    const all = every(parts);
    // Closed by its own properties: a branch cannot bring further ones.
    if (all !== undefined && schema.additionalProperties === false && schema.patternProperties === undefined) {
      for (const name of all.properties.keys()) if (!own.properties.has(name)) all.properties.delete(name);
    }
    return all;
  }

  #referred(reference: string, path: readonly string[]): ObjectView | undefined {
    // A reference that leads back to itself says nothing new.
    if (path.includes(reference)) return { properties: new Map(), required: new Set() };
    const target = resolvePointer(this.#root, reference);
    if (target === undefined) throw new Unflattenable("its schema refers to a part that cannot be shown");
    return this.view(target, [...path, reference]);
  }

  #either(branches: readonly JsonValue[], path: readonly string[]): ObjectView | undefined {
    const views = branches.flatMap((branch) => this.view(branch, [...path, ""]) ?? []);
    const [first] = views;
    if (first === undefined) return undefined;
    const properties = new Map<string, JsonValue>();
    for (const name of new Set(views.flatMap((view) => [...view.properties.keys()]))) {
      properties.set(name, combined("anyOf", views, name));
    }
    const required = [...first.required].filter((name) => views.every((view) => view.required.has(name)));
    return { properties, required: new Set(required) };
  }
}

/** All of them hold at once. */
function every(parts: readonly (ObjectView | undefined)[]): ObjectView | undefined {
  const views = parts.flatMap((part) => part ?? []);
  if (views.length < parts.length) return undefined;
  const properties = new Map<string, JsonValue>();
  for (const name of new Set(views.flatMap((view) => [...view.properties.keys()]))) {
    properties.set(name, combined("allOf", views, name));
  }
  return { properties, required: new Set(views.flatMap((view) => [...view.required])) };
}

/** One property as several views have it: itself when they agree. */
function combined(keyword: "allOf" | "anyOf", views: readonly ObjectView[], name: string): JsonValue {
  const schemas = new Map<string, JsonValue>();
  for (const view of views) {
    const schema = view.properties.get(name);
    if (schema !== undefined) schemas.set(canonicalJson(schema), schema);
  }
  const different = [...schemas.values()];
  const [only] = different;
  return different.length === 1 && only !== undefined ? only : { [keyword]: different };
}

function ownView(schema: JsonObject): ObjectView {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required = listOf(schema.required).filter((name) => typeof name === "string");
  return { properties: new Map(properties), required: new Set(required) };
}

function allowsObjects(type: JsonValue | undefined): boolean {
  return type === undefined || type === "object" || listOf(type).includes("object");
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (isList(value) ? value : []);
