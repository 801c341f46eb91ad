// Decides over one published schema: copied within bounds, walked, its references followed, checked against its metaschema,
// compiled; admitted only when every step agrees. One judge serves one toolset and shares equal schemas through AdmittedSchemas.
import { canonicalJson, deepFreeze, type Issue, type JsonObject } from "../contract/index.ts";
import { sha256 } from "../registry/toolset.ts";
import { AdmittedSchema, AdmittedSchemas } from "./admitted-schemas.ts";
import { copyJson } from "./bounded-json.ts";
import { compileForm, type CompileForm } from "./compile-form.ts";
import { CHECK_STEPS, SCHEMA_LIMITS, TRIAL_NODES } from "./limits.ts";
import { metaschemaIssues } from "./metaschema.ts";
import { PatternShelf } from "./patterns.ts";
import { withPlainNumbers } from "./plain-numbers.ts";
import { resolveReferences } from "./references.ts";
import { schemaCheck } from "./schema-check.ts";
import { SchemaCompiler } from "./schema-compiler.ts";
import { isMap, walkSchema } from "./schema-walk.ts";
import { withSteps } from "./steps.ts";

export type Judgement =
  /** `text` is the canonical JSON of the schema. */
  { readonly kind: "admitted"; readonly admitted: AdmittedSchema; readonly text: string } | Refused;

interface Refused {
  readonly kind: "refused";
  readonly issues: readonly Issue[];
}

/** All schemas that are in use, of all toolsets. */
export const schemasInUse = new AdmittedSchemas();

export class SchemaJudge {
  readonly #patterns = new PatternShelf();
  readonly #compiler = new SchemaCompiler(this.#patterns);

  /** With `objects` the root must say `type: "object"`. Never throws. */
  judge(published: unknown, { objects }: { readonly objects: boolean }): Judgement {
    const copied = copyJson(published);
    if (copied.kind === "refused") return refused(copied.issue);
    const schema = copied.value;
    if (!isMap(schema)) return refused({ pointer: "", message: "is not an object" });
    if (objects && schema.type !== "object") return refused(rootType(schema));
    try {
      const text = canonicalJson(schema);
      const bytes = Buffer.byteLength(text);
      if (bytes > SCHEMA_LIMITS.bytes)
        return refused({ pointer: "", message: `has a JSON text larger than ${SCHEMA_LIMITS.bytes} bytes` });
      const digest = sha256(text);
      const known = schemasInUse.find(digest);
      if (known !== undefined) return { kind: "admitted", admitted: known, text };
      const judged = this.#judgeNew(deepFreeze(schema), bytes);
      if (judged.kind === "refused") return judged;
      schemasInUse.keep(digest, judged.admitted);
      return { ...judged, text };
    } catch (error) {
      // Whatever is thrown over a schema counts against it; the text may hold the server's words and is not shown.
      if (error instanceof RangeError) return refused({ pointer: "", message: "is too large to be compiled" });
      return refused({ pointer: "", message: "cannot be compiled: a keyword has a value that it cannot have here" });
    }
  }

  #judgeNew(schema: JsonObject, bytes: number): Omit<Extract<Judgement, { kind: "admitted" }>, "text"> | Refused {
    const read = readSchema(schema, this.#patterns);
    if (read.kind === "refused") return read;
    const first = this.#compiler.compile(read.form);
    if (read.nodes > TRIAL_NODES) withSteps(CHECK_STEPS.fast, () => first({}));
    const check = schemaCheck(first, () => collectingValidator(schema));
    return { kind: "admitted", admitted: new AdmittedSchema({ schema, check, notes: read.notes, bytes }) };
  }
}

type Reading =
  { readonly kind: "read"; readonly form: CompileForm; readonly nodes: number; readonly notes: readonly Issue[] } | Refused;

function readSchema(schema: JsonObject, patterns: PatternShelf): Reading {
  const walk = walkSchema(withPlainNumbers(schema), patterns);
  const { targets, problems } = resolveReferences(walk);
  const issues = [...walk.problems, ...problems];
  if (issues.length === 0) issues.push(...metaschemaIssues(walk));
  if (issues.length > 0) return { kind: "refused", issues };
  return {
    kind: "read",
    form: compileForm(walk, targets, patterns),
    nodes: walk.positions.size,
    notes: Object.freeze(walk.notes),
  };
}

/** Read again rather than kept: most schemas never meet a value that does not match. */
function collectingValidator(schema: JsonObject): ReturnType<SchemaCompiler["compile"]> {
  const patterns = new PatternShelf();
  const read = readSchema(schema, patterns);
  if (read.kind === "refused") throw new Error("a schema was admitted and is no longer");
  return new SchemaCompiler(patterns, { allErrors: true }).compile(read.form);
}

function refused(issue: Issue): Refused {
  return { kind: "refused", issues: [issue] };
}

function rootType(schema: JsonObject): Issue {
  return schema.type === undefined
    ? { pointer: "", message: 'has no "type": its root must say "type": "object"' }
    : { pointer: "/type", message: 'must be exactly "object" at the root' };
}
