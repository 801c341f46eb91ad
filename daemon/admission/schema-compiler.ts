// Compiles judged schemas with Ajv, in the profile that docs/SCHEMAS.md justifies: nothing is fetched, coerced, filled in or
// removed; an own property is meant where a property is named; patterns run in linear time; every subschema applied takes a step of
// the check's budget. One compiler serves one toolset, with one Ajv for each dialect, and is dropped after use.
import { _, Ajv, Name, type CodeKeywordDefinition, type KeywordCxt, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonValue } from "../contract/index.ts";
import { MEMBERS, STEP, type CompileForm } from "./compile-form.ts";
import type { Dialect } from "./dialects.ts";
import { ASSERTED_FORMATS } from "./formats.ts";
import { CHECK_ERRORS } from "./limits.ts";
import type { LinearPattern } from "./patterns.ts";
import { type PatternShelf } from "./patterns.ts";
import { steps } from "./steps.ts";
import { hasUniqueItems, membersOf } from "./value-keywords.ts";

/** What the three classes of Ajv have in common here. */
type Engine = Pick<Ajv, "compile" | "addKeyword" | "removeKeyword">;

export class SchemaCompiler {
  readonly #patterns: PatternShelf;
  readonly #allErrors: boolean;
  readonly #engines = new Map<Dialect, Engine>();

  /** With `allErrors` a check goes on after the first mismatch, until there are CHECK_ERRORS.full of them. */
  constructor(patterns: PatternShelf, { allErrors = false } = {}) {
    this.#patterns = patterns;
    this.#allErrors = allErrors;
  }

  /** Throws what Ajv throws. */
  compile({ dialect, schema }: CompileForm): ValidateFunction {
    let engine = this.#engines.get(dialect);
    if (engine === undefined) {
      engine = this.#makeEngine(dialect);
      this.#engines.set(dialect, engine);
    }
    return engine.compile(schema);
  }

  #makeEngine(dialect: Dialect): Engine {
    const options = this.#options();
    const engine: Engine =
      dialect === "draft-07" ? new Ajv(options) : dialect === "2019-09" ? new Ajv2019(options) : new Ajv2020(options);
    engine.removeKeyword("enum");
    engine.removeKeyword("uniqueItems");
    engine.addKeyword({
      keyword: "enum",
      schemaType: "array",
      compile: (values: JsonValue[]) => {
        const members = membersOf(values);
        return (value: unknown) => members.has(value);
      },
    });
    engine.addKeyword({
      keyword: "uniqueItems",
      type: "array",
      schemaType: "boolean",
      validate: (_wanted: boolean, items: readonly unknown[]) => hasUniqueItems(items),
      errors: false,
    });
    engine.addKeyword(stepKeyword(this.#allErrors ? CHECK_ERRORS.full : CHECK_ERRORS.fast));
    return engine;
  }

  #options(): Options {
    const find = (source: string): LinearPattern => {
      const pattern = this.#patterns.find(source);
      if (pattern === undefined) throw new Error("a pattern without a linear form reached the compiler");
      return pattern;
    };
    return {
      strictSchema: true,
      strictNumbers: true,
      strictTypes: false,
      strictTuples: false,
      strictRequired: false,
      allowUnionTypes: true,
      allowMatchingProperties: true,
      // metaschema.ts has done it, on the published form.
      meta: false,
      validateSchema: false,
      validateFormats: true,
      formats: Object.fromEntries(ASSERTED_FORMATS),
      ownProperties: true,
      allErrors: this.#allErrors,
      useDefaults: false,
      coerceTypes: false,
      removeAdditional: false,
      $data: false,
      discriminator: false,
      // 19.99 is a multiple of 0.01, whatever a double says.
      multipleOfPrecision: 9,
      messages: false,
      logger: false,
      // A schema that is referred to a thousand times is compiled once, not a thousand times in place.
      inlineRefs: false,
      code: { optimize: false, regExp: Object.assign(find, { code: "linear" }) },
    };
  }
}

/** The counter of the function that Ajv generates. */
const ERRORS = new Name("errors");

/** Stands before everything else that applies to values of any type. */
function stepKeyword(mostErrors: number): CodeKeywordDefinition {
  return { keyword: STEP, schemaType: "string", before: "$ref", code: (cxt) => takeStep(cxt, mostErrors) };
}

function takeStep({ gen, data, schema }: KeywordCxt, mostErrors: number): void {
  const budget = gen.scopeValue("obj", { ref: steps });
  const cost = _`(typeof ${data} === "string" ? 1 + (${data}.length >>> 6) : 1)`;
  // Errors are bounded too: branches under a recursive reference double them with every level.
  gen.if(_`(${budget}.left -= ${cost}) < 0 || ${ERRORS} > ${mostErrors}`, () => gen.code(_`${budget}.spent()`));
  if (schema === MEMBERS)
    gen.if(_`typeof ${data} === "object" && ${data} !== null && !Array.isArray(${data})`, () =>
      gen.code(_`${budget}.left -= Object.keys(${data}).length >>> 2`),
    );
}
