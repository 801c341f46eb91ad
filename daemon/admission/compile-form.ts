// The form of a judged schema that is compiled: the same assertions and nothing else. Annotations, unknown keywords, formats that
// are not asserted and keywords that the dialect ignores are left out; everything that is referred to is moved under `$defs`, so
// that no reference depends on how a compiler reads pointers. The schema that a model sees is never this one.
import type { JsonObject, JsonValue } from "../contract/index.ts";
import { KEYWORDS, type Dialect } from "./dialects.ts";
import { ASSERTED_FORMATS } from "./formats.ts";
import { joinPointer } from "./json-pointer.ts";
import type { PatternShelf } from "./patterns.ts";
import { isMap, isSchema, type Position, type SchemaWalk } from "./schema-walk.ts";

export interface CompileForm {
  readonly dialect: Dialect;
  readonly schema: JsonObject;
}

type Form = JsonObject | boolean;
/** Members are strings of any kind but `__proto__`, which bounded-json.ts refuses. */
type Draft = Record<string, JsonValue>;

/** Marks every subschema that takes a step of the check's budget. */
export const STEP = "toolpool:step";
/** Marks those whose work grows with the members of an object. */
export const MEMBERS = "members";

const MEMBER_LOOPS = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "propertyNames",
  "maxProperties",
  "minProperties",
];

export function compileForm(
  walk: SchemaWalk,
  targets: ReadonlyMap<Position, readonly Position[]>,
  patterns: PatternShelf,
): CompileForm {
  return { dialect: walk.dialect, schema: new FormBuilder(walk, targets, patterns).build() };
}

class FormBuilder {
  readonly #walk: SchemaWalk;
  readonly #targets: ReadonlyMap<Position, readonly Position[]>;
  readonly #patterns: PatternShelf;
  /** Positions that are referred to, and their name under `$defs`. */
  readonly #names = new Map<Position, string>();
  /** Positions whose verdict may be too mild, because a pattern below is not asserted. */
  readonly #unsure: ReadonlySet<Position>;

  constructor(walk: SchemaWalk, targets: ReadonlyMap<Position, readonly Position[]>, patterns: PatternShelf) {
    this.#walk = walk;
    this.#targets = targets;
    this.#patterns = patterns;
    for (const target of [...targets.values()].flat()) {
      if (target !== walk.root && !this.#names.has(target)) this.#names.set(target, `d${this.#names.size}`);
    }
    this.#unsure = unsurePositions(walk, targets);
  }

  build(): JsonObject {
    const root = this.#draft(this.#walk.root);
    const definitions: Draft = {};
    for (const [position, name] of this.#names) definitions[name] = this.#draft(position);
    return { ...(typeof root === "boolean" ? {} : root), ...(this.#names.size === 0 ? {} : { $defs: definitions }) };
  }

  /** What stands for a subschema where it is used. */
  #form(pointer: string): Form {
    const position = this.#walk.positions.get(pointer);
    if (position === undefined) return true;
    return this.#names.has(position) ? { $ref: this.#address(position) } : this.#draft(position);
  }

  #address(position: Position): string {
    const name = this.#names.get(position);
    return name === undefined ? "#" : `#/$defs/${name}`;
  }

  #isUnsure(pointer: string): boolean {
    const position = this.#walk.positions.get(pointer);
    return position !== undefined && this.#unsure.has(position);
  }

  // Recursion is bounded by the depth that schema-walk.ts admits.
  #draft(position: Position): Form {
    const { schema, pointer } = position;
    if (typeof schema === "boolean") return schema;
    const draft: Draft = {};
    const [first, ...further] = this.#targets.get(position) ?? [];
    if (first !== undefined) draft.$ref = this.#address(first);
    // Draft-07 ignores what stands beside a reference.
    if (first === undefined || this.#walk.dialect !== "draft-07") {
      for (const [name, value] of Object.entries(schema)) this.#keyword(draft, schema, name, value, joinPointer(pointer, name));
      const more: JsonValue[] = further.map((target) => ({ $ref: this.#address(target) }));
      if (this.#isVague(schema, pointer)) more.push({ anyOf: draft.oneOf ?? [] });
      if (more.length > 0) draft.allOf = [...(Array.isArray(draft.allOf) ? (draft.allOf as readonly JsonValue[]) : []), ...more];
      if (this.#isVague(schema, pointer)) delete draft.oneOf;
    }
    if (Object.keys(draft).length > 0) draft[STEP] = MEMBER_LOOPS.some((name) => name in draft) ? MEMBERS : "";
    return draft;
  }

  #keyword(draft: Draft, schema: JsonObject, name: string, value: JsonValue, pointer: string): void {
    switch (KEYWORDS.get(name)?.role) {
      case "schema":
        if (this.#applies(schema, name, pointer)) draft[name] = this.#form(pointer);
        break;
      case "schemas":
        if (Array.isArray(value)) draft[name] = this.#list(value, pointer);
        break;
      case "items":
        draft[name] = Array.isArray(value) ? this.#list(value, pointer) : this.#form(pointer);
        break;
      case "schemaMap":
        if (name !== "$defs" && name !== "definitions" && isMap(value)) draft[name] = this.#map(name, value, pointer);
        break;
      case "dependencies":
        if (isMap(value)) draft[name] = this.#map(name, value, pointer);
        break;
      case "assertion":
        this.#assertion(draft, schema, name, value, pointer);
        break;
      case "reference":
      case "annotation":
      case undefined:
        break;
    }
  }

  #list(value: readonly JsonValue[], pointer: string): JsonValue[] {
    return value.map((_, index) => this.#form(joinPointer(pointer, index)));
  }

  #map(name: string, value: JsonObject, pointer: string): JsonObject {
    const map: Draft = {};
    for (const [member, child] of Object.entries(value)) {
      if (name === "patternProperties" && this.#patterns.find(member) === undefined) continue;
      map[member] = isSchema(child) ? this.#form(joinPointer(pointer, member)) : child;
    }
    return map;
  }

  /** With a branch whose verdict may be too mild, "exactly one" cannot be told from "at least one". */
  #isVague(schema: JsonObject, pointer: string): boolean {
    const branches = schema.oneOf;
    return (
      Array.isArray(branches) && branches.some((_: JsonValue, index) => this.#isUnsure(joinPointer(pointer, "oneOf", index)))
    );
  }

  #applies(schema: JsonObject, name: string, pointer: string): boolean {
    switch (name) {
      case "contentSchema":
        return false;
      case "not":
        return !this.#isUnsure(pointer);
      case "if":
        return !this.#isUnsure(pointer) && ("then" in schema || "else" in schema);
      case "then":
      case "else":
        return "if" in schema && !this.#isUnsure(pointer.replace(/[^/]*$/, "if"));
      case "additionalItems":
        return Array.isArray(schema.items);
      case "contains":
        return this.#bounds(schema, pointer).length > 0;
      case "additionalProperties":
        return this.#patternsKnown(schema);
      case "unevaluatedProperties":
      case "unevaluatedItems":
        return this.#unsure.size === 0;
      default:
        return true;
    }
  }

  #patternsKnown(schema: JsonObject): boolean {
    const map = schema.patternProperties;
    return !isMap(map) || Object.keys(map).every((source) => this.#patterns.find(source) !== undefined);
  }

  /** What bounds the matches of `contains`; none = it asserts nothing. */
  #bounds(schema: JsonObject, contains: string): readonly string[] {
    if (schema.contains === undefined) return [];
    const bounds = [];
    if (schema.minContains !== 0) bounds.push("minContains");
    if (schema.maxContains !== undefined && !this.#isUnsure(contains)) bounds.push("maxContains");
    // Zero at least says nothing by itself, but keeps the default of one away.
    return bounds.length === 1 && bounds[0] === "maxContains" ? ["minContains", "maxContains"] : bounds;
  }

  #assertion(draft: Draft, schema: JsonObject, name: string, value: JsonValue, pointer: string): void {
    switch (name) {
      case "format":
        if (typeof value === "string" && ASSERTED_FORMATS.has(value)) draft[name] = value;
        break;
      case "pattern":
        if (typeof value === "string" && this.#patterns.find(value) !== undefined) draft[name] = value;
        break;
      case "type":
        draft[name] = schema.nullable === true ? withNull(value) : value;
        break;
      case "nullable":
        // Of OpenAPI 3.0: adds null to a `type` beside it, and means nothing without one.
        break;
      case "minContains":
      case "maxContains":
        if (this.#bounds(schema, pointer.replace(/[^/]*$/, "contains")).includes(name)) draft[name] = value;
        break;
      case "uniqueItems":
        if (value === true) draft[name] = true;
        break;
      default:
        draft[name] = value;
    }
  }
}

function withNull(type: JsonValue): JsonValue {
  const types: readonly JsonValue[] = Array.isArray(type) ? type : [type];
  return types.includes("null") ? types : [...types, "null"];
}

/** The positions with an unasserted pattern, those around them, and those that refer to one. */
function unsurePositions(walk: SchemaWalk, targets: ReadonlyMap<Position, readonly Position[]>): ReadonlySet<Position> {
  const open = [...walk.positions.values()].filter((position) => position.unsure);
  if (open.length === 0) return new Set();
  const referrers = new Map<Position, Position[]>();
  for (const [from, list] of targets) for (const to of list) referrers.set(to, [...(referrers.get(to) ?? []), from]);
  const unsure = new Set<Position>();
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    if (unsure.has(position)) continue;
    unsure.add(position);
    if (position.parent !== undefined) open.push(position.parent);
    open.push(...(referrers.get(position) ?? []));
  }
  return unsure;
}
