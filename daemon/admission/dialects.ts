// The three dialects of JSON Schema that are admitted, and what each keyword means to admission: where subschemas are, which
// keywords assert, and which assert only in another dialect. Values are judged by the dialect's own metaschema.
import type { JsonValue } from "../contract/index.ts";

export type Dialect = "draft-07" | "2019-09" | "2020-12";

const SPELLINGS: readonly (readonly [RegExp, Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, "draft-07"],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, "2019-09"],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, "2020-12"],
];

/** The dialect a root `$schema` names; absent means 2020-12. Undefined for any other. */
export function dialectOf($schema: JsonValue | undefined): Dialect | undefined {
  if ($schema === undefined) return "2020-12";
  return typeof $schema === "string" ? SPELLINGS.find(([spelling]) => spelling.test($schema))?.[1] : undefined;
}

/** Where subschemas stand in a keyword's value. */
export type Role =
  | "schema"
  | "schemas"
  /** Member names are the schema author's, not keywords. */
  | "schemaMap"
  /** One schema, or a list of them. */
  | "items"
  /** A map to a schema or a list of names. */
  | "dependencies"
  | "assertion"
  | "reference"
  | "annotation";

export interface Keyword {
  readonly role: Role;
  /** Its subschemas apply to the very same value: no step into the data. */
  readonly inPlace: boolean;
  /** Undefined = all. */
  readonly dialects: readonly Dialect[] | undefined;
}

const since2019: readonly Dialect[] = ["2019-09", "2020-12"];

function keywords(role: Role, names: string, options: { inPlace?: boolean; dialects?: readonly Dialect[] } = {}) {
  const keyword: Keyword = Object.freeze({ role, inPlace: options.inPlace ?? false, dialects: options.dialects });
  return names.split(" ").map((name): readonly [string, Keyword] => [name, keyword]);
}

export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...keywords("schema", "additionalProperties propertyNames contains"),
  ...keywords("schema", "not if then else", { inPlace: true }),
  ...keywords("schema", "additionalItems", { dialects: ["draft-07", "2019-09"] }),
  ...keywords("schema", "unevaluatedItems unevaluatedProperties", { dialects: since2019 }),
  ...keywords("schemas", "allOf anyOf oneOf", { inPlace: true }),
  ...keywords("schemas", "prefixItems", { dialects: ["2020-12"] }),
  ...keywords("items", "items"),
  ...keywords("schemaMap", "properties patternProperties $defs definitions"),
  ...keywords("schemaMap", "dependentSchemas", { inPlace: true, dialects: since2019 }),
  ...keywords("dependencies", "dependencies", { inPlace: true }),
  ...keywords("reference", "$ref", { inPlace: true }),
  ...keywords("reference", "$dynamicRef", { inPlace: true, dialects: ["2020-12"] }),
  ...keywords("reference", "$recursiveRef", { inPlace: true, dialects: ["2019-09"] }),
  ...keywords("assertion", "type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength"),
  ...keywords("assertion", "pattern format maxItems minItems uniqueItems maxProperties minProperties required nullable"),
  ...keywords("assertion", "dependentRequired minContains maxContains", { dialects: since2019 }),
  ...keywords("annotation", "$schema $comment title description default examples deprecated readOnly writeOnly"),
  ...keywords("annotation", "contentEncoding contentMediaType"),
  // A schema for the decoded content: never asserted, but a place that a reference may point at.
  ...keywords("schema", "contentSchema"),
]);

/** Keywords that give a schema a second address, or change what a reference means where it is read from. */
export const BANNED: ReadonlySet<string> = new Set(["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"]);

/** Keywords of older drafts, of other tools, or of Ajv's extensions: the server means something that would be ignored. */
export const RETIRED: ReadonlySet<string> = new Set(["divisibleBy", "extends", "disallow", "id", "$data", "$merge", "$patch"]);

export function appliesIn(keyword: Keyword, dialect: Dialect): boolean {
  return keyword.dialects?.includes(dialect) ?? true;
}
