// Checks a schema's keyword values against the metaschema of its dialect. The three validators live as long as the process and
// never see a server's schema as a schema, only as data; so they cannot be poisoned and do not grow.
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Issue, JsonObject, JsonValue } from "../contract/index.ts";
import type { Dialect } from "./dialects.ts";
import { issuesOf } from "./issues.ts";
import type { Position, SchemaWalk } from "./schema-walk.ts";

type MetaschemaCheck = (schema: unknown) => readonly Issue[];

const checks = new Map<Dialect, MetaschemaCheck>();

function checkFor(dialect: Dialect): MetaschemaCheck {
  const known = checks.get(dialect);
  if (known !== undefined) return known;
  const check = makeCheck(dialect);
  checks.set(dialect, check);
  return check;
}

const ADDRESSES: Readonly<Record<Dialect, string>> = {
  "draft-07": "http://json-schema.org/draft-07/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

function makeCheck(dialect: Dialect): MetaschemaCheck {
  // Formats of the metaschemas are left out: references and patterns are judged elsewhere.
  const options = { validateFormats: false, messages: false, code: { optimize: false }, logger: false as const };
  const ajv = dialect === "draft-07" ? new Ajv(options) : dialect === "2019-09" ? new Ajv2019(options) : new Ajv2020(options);
  const validate = ajv.getSchema(ADDRESSES[dialect]);
  if (validate === undefined) throw new Error(`no metaschema of ${dialect}`);
  return (schema) => {
    if (validate(schema) === true) return [];
    const issues = issuesOf(validate.errors ?? []);
    validate.errors = null;
    return issues;
  };
}

/** The first violations, as pointers into the schema. */
export function metaschemaIssues(walk: SchemaWalk): readonly Issue[] {
  const check = checkFor(walk.dialect);
  const found: Issue[] = [];
  const judge = (position: Position, schema: unknown): void => {
    // The most deeply placed finding says what is wrong; the others say what that breaks.
    const [issue] = [...check(schema)].sort((a, b) => b.pointer.length - a.pointer.length);
    if (issue !== undefined)
      found.push({
        pointer: position.pointer + issue.pointer,
        message: `is not valid JSON Schema ${walk.dialect}: ${issue.message}`,
      });
  };
  judge(walk.root, walk.nullProperties.length === 0 ? walk.root.schema : withoutMembers(walk.root.schema, walk.nullProperties));
  for (const position of walk.uncovered) if (found.length === 0) judge(position, position.schema);
  return found;
}

/** A copy without the members at these pointers. Only for the rare `properties: null`. */
function withoutMembers(schema: JsonObject | boolean, pointers: readonly string[]): JsonValue {
  const gone = new Set(pointers);
  const copy = (value: JsonValue, pointer: string): JsonValue => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((member: JsonValue, index) => copy(member, `${pointer}/${index}`));
    const kept = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
      const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      return gone.has(at) ? [] : [[name, copy(member, at)]];
    });
    return Object.fromEntries(kept);
  };
  return copy(schema, "");
}
