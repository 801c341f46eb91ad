// The digest by which a reviewed tool is known again: over everything of it that a model may read. `default` values are left out,
// because honest servers put the time or the home folder there; descriptions are not.
import { canonicalJson, type JsonObject, type JsonValue } from "../contract/index.ts";
import { sha256 } from "../registry/toolset.ts";
import { copyJson } from "./bounded-json.ts";
import { KEYWORDS } from "./dialects.ts";
import { isMap } from "./schema-walk.ts";
import { memberOf } from "./published.ts";

const SCHEMAS = ["inputSchema", "outputSchema"];
const VISIBLE = ["name", "title", "description", "annotations", ...SCHEMAS];

/** A reviewed definition as the lock file keeps it. */
export interface Pin {
  /** Canonical JSON text. */
  readonly definition: string;
  /** SHA-256 (hex) of it. */
  readonly digest: string;
}

/** `tool` is the list entry as published; never throws. */
export function pinOf(tool: unknown): Pin {
  const visible: Record<string, JsonValue> = {};
  for (const field of VISIBLE) {
    const published = memberOf(tool, field);
    if (published === undefined) continue;
    const copied = copyJson(published);
    // What cannot be read is not exposed either; that it is unreadable is part of what was reviewed.
    const value = copied.kind === "copied" ? copied.value : { unreadable: true };
    visible[field] = SCHEMAS.includes(field) ? withoutDefaults(value) : value;
  }
  const definition = canonicalJson(visible);
  return { definition, digest: sha256(definition) };
}

// The depth is bounded by bounded-json.ts.
function withoutDefaults(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutDefaults);
  if (!isMap(schema)) return schema;
  const kept: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(schema)) {
    const role = KEYWORDS.get(name)?.role;
    // Data, not schemas: a member called `default` in there is an ordinary member.
    if (role === "assertion" || (role === "annotation" && name !== "default")) kept[name] = value;
    else if ((role === "schemaMap" || role === "dependencies") && isMap(value)) kept[name] = eachMember(value);
    else if (name !== "default") kept[name] = withoutDefaults(value);
  }
  return kept;
}

/** Member names are the author's: a property may be called `default`. */
function eachMember(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, withoutDefaults(schema)]));
}
