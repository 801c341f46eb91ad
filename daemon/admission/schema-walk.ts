// Judges a schema before any compiler sees it: walks every subschema once and collects what is refused, what is only noted, where
// subschemas stand, and which references lead where. It knows JSON Schema by the table of dialects.ts; values of keywords are the
// metaschema's business (metaschema.ts). What is passed has been through bounded-json.ts: plain, finite, shallow.
import type { Issue, JsonObject, JsonValue } from "../contract/index.ts";
import { appliesIn, BANNED, dialectOf, KEYWORDS, RETIRED, type Dialect } from "./dialects.ts";
import { ASSERTED_FORMATS, QUIET_FORMATS } from "./formats.ts";
import { joinPointer } from "./json-pointer.ts";
import { MAX_FINDINGS, SCHEMA_LIMITS } from "./limits.ts";
import { nearKeyword } from "./near-keyword.ts";
import type { PatternShelf } from "./patterns.ts";
import { visibleText } from "./visible-text.ts";

/** A subschema and where it stands. */
export interface Position {
  readonly pointer: string;
  readonly schema: JsonObject | boolean;
  readonly parent: Position | undefined;
  /** Applies to the same value as its parent. */
  readonly inPlace: boolean;
  readonly depth: number;
  /** Holds a pattern that is not asserted. */
  unsure: boolean;
}

export interface Reference {
  readonly from: Position;
  readonly keyword: string;
  readonly target: string;
}

export interface SchemaWalk {
  readonly dialect: Dialect;
  readonly root: Position;
  /** By pointer, parents before their children. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly references: readonly Reference[];
  /** Pointers of `properties: null`. */
  readonly nullProperties: readonly string[];
  /** Subschemas that the dialect's metaschema does not reach. */
  readonly uncovered: readonly Position[];
  readonly problems: readonly Issue[];
  readonly notes: readonly Issue[];
}

export function isSchema(value: JsonValue | undefined): value is JsonObject | boolean {
  return typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value));
}

export function isMap(value: JsonValue | undefined): value is JsonObject {
  return isSchema(value) && typeof value !== "boolean";
}

export function walkSchema(schema: JsonObject, patterns: PatternShelf): SchemaWalk {
  return new Walk(schema, patterns).run();
}

class Walk implements SchemaWalk {
  readonly dialect: Dialect;
  readonly root: Position;
  readonly positions = new Map<string, Position>();
  readonly references: Reference[] = [];
  readonly nullProperties: string[] = [];
  readonly uncovered: Position[] = [];
  readonly problems: Issue[] = [];
  readonly notes: Issue[] = [];
  readonly #patterns: PatternShelf;
  #patternCount = 0;
  #enumValues = 0;
  #unevaluated: string | undefined;

  constructor(schema: JsonObject, patterns: PatternShelf) {
    this.#patterns = patterns;
    const dialect = dialectOf(schema.$schema);
    if (dialect === undefined) {
      this.#refuse("/$schema", "names a dialect other than draft-07, 2019-09 and 2020-12");
    }
    this.dialect = dialect ?? "2020-12";
    this.root = { pointer: "", schema, parent: undefined, inPlace: false, depth: 0, unsure: false };
    this.positions.set("", this.root);
  }

  run(): this {
    // The map grows while it is walked: every subschema found is visited in its turn.
    for (const position of this.positions.values()) {
      if (this.positions.size > SCHEMA_LIMITS.nodes) {
        this.#refuse(position.pointer, `the schema has more than ${SCHEMA_LIMITS.nodes} subschemas`);
        break;
      }
      if (position.depth > SCHEMA_LIMITS.depth) {
        this.#refuse(position.pointer, `subschemas stand more than ${SCHEMA_LIMITS.depth} levels below one another`);
        break;
      }
      if (this.problems.length >= MAX_FINDINGS) break;
      if (typeof position.schema !== "boolean") this.#visit(position, position.schema);
    }
    if (this.#unevaluated !== undefined && this.positions.size > SCHEMA_LIMITS.nodesUnevaluated)
      this.#refuse(this.#unevaluated, `this keyword is allowed with at most ${SCHEMA_LIMITS.nodesUnevaluated} subschemas`);
    return this;
  }

  #visit(position: Position, schema: JsonObject): void {
    const before = this.positions.size;
    for (const [name, value] of Object.entries(schema)) {
      const pointer = joinPointer(position.pointer, name);
      const keyword = KEYWORDS.get(name);
      if (BANNED.has(name)) {
        this.#refuse(pointer, `"${name}" is not allowed: a schema has no address of its own here`);
      } else if (RETIRED.has(name) || (keyword !== undefined && !appliesIn(keyword, this.dialect))) {
        this.#refuse(pointer, `"${name}" means nothing in ${this.dialect} and would be ignored`);
      } else if (keyword === undefined) {
        this.#unknown(pointer, name);
      } else {
        this.#keyword(position, name, value, pointer);
      }
    }
    if (this.positions.size - before > SCHEMA_LIMITS.siblings)
      this.#refuse(position.pointer, `more than ${SCHEMA_LIMITS.siblings} subschemas stand directly within this schema`);
  }

  #unknown(pointer: string, name: string): void {
    const near = nearKeyword(name);
    if (near !== undefined)
      this.#refuse(pointer, `"${visibleText(name)}" is no keyword and would be ignored: is "${near}" meant?`);
    else this.#note(pointer, `unknown keyword "${visibleText(name)}": ignored`);
  }

  #keyword(position: Position, name: string, value: JsonValue, pointer: string): void {
    const keyword = KEYWORDS.get(name);
    const add = (child: JsonValue | undefined, at: string): void => this.#add(position, name, child, at);
    switch (keyword?.role) {
      case "schema":
        if (name.startsWith("unevaluated")) this.#unevaluated = pointer;
        add(value, pointer);
        break;
      case "schemas":
        if (Array.isArray(value)) value.forEach((child: JsonValue, index) => add(child, joinPointer(pointer, index)));
        break;
      case "items":
        if (!Array.isArray(value)) add(value, pointer);
        else if (this.dialect === "2020-12") this.#refuse(pointer, `a list of "items" is "prefixItems" in 2020-12`);
        else value.forEach((child: JsonValue, index) => add(child, joinPointer(pointer, index)));
        break;
      case "schemaMap":
      case "dependencies":
        if (name === "properties" && value === null) {
          this.nullProperties.push(pointer);
          this.#note(pointer, `"properties" is null: read as absent`);
        } else if (isMap(value)) {
          for (const [member, child] of Object.entries(value)) {
            if (name === "patternProperties") this.#pattern(position, member, joinPointer(pointer, member));
            if (keyword.role === "schemaMap" || isSchema(child)) add(child, joinPointer(pointer, member));
          }
        }
        break;
      case "reference":
        if (typeof value === "string") this.references.push({ from: position, keyword: name, target: value });
        else this.#refuse(pointer, `"${name}" is not a string`);
        break;
      case "assertion":
        this.#assertion(position, name, value, pointer);
        break;
      case "annotation":
        if (name === "$schema" && position !== this.root) this.#refuse(pointer, `"$schema" is only allowed at the root`);
        break;
      case undefined:
        break;
    }
  }

  #assertion(position: Position, name: string, value: JsonValue, pointer: string): void {
    if (name === "enum" && Array.isArray(value)) {
      this.#enumValues += value.length;
      if (value.length === 0) this.#refuse(pointer, `"enum" is empty: no value could ever match`);
      if (this.#enumValues > SCHEMA_LIMITS.enumValues)
        this.#refuse(pointer, `the schema has more than ${SCHEMA_LIMITS.enumValues} enum values`);
    } else if (name === "pattern" && typeof value === "string") {
      this.#pattern(position, value, pointer);
    } else if (name === "format" && typeof value === "string" && !ASSERTED_FORMATS.has(value) && !QUIET_FORMATS.has(value)) {
      this.#note(pointer, `unknown format "${visibleText(value, 64)}": not checked`);
    }
  }

  #pattern(position: Position, source: string, pointer: string): void {
    this.#patternCount += 1;
    if (this.#patternCount > SCHEMA_LIMITS.patterns) {
      if (this.#patternCount === SCHEMA_LIMITS.patterns + 1)
        this.#refuse(pointer, `the schema has more than ${SCHEMA_LIMITS.patterns} patterns`);
    } else if (source.length > SCHEMA_LIMITS.patternLength) {
      this.#refuse(pointer, `a pattern is longer than ${SCHEMA_LIMITS.patternLength} characters`);
    } else if (this.#patterns.find(source) === undefined) {
      position.unsure = true;
      this.#note(pointer, "a pattern cannot be run in linear time and within bounds: not checked here");
    }
  }

  #add(parent: Position, via: string, schema: JsonValue | undefined, pointer: string): void {
    // Anything else is a metaschema violation, and reported as one.
    if (!isSchema(schema)) return;
    const inPlace = KEYWORDS.get(via)?.inPlace ?? false;
    const position: Position = { pointer, schema, parent, inPlace, depth: parent.depth + 1, unsure: false };
    this.positions.set(pointer, position);
    if (this.dialect === "draft-07" && (via === "$defs" || via === "contentSchema")) this.uncovered.push(position);
  }

  #refuse(pointer: string, message: string): void {
    if (this.problems.length < MAX_FINDINGS) this.problems.push({ pointer, message });
  }

  #note(pointer: string, message: string): void {
    if (this.notes.length < MAX_FINDINGS) this.notes.push({ pointer, message });
  }
}
