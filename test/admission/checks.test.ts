// Checks of values: what they say, and that what is compiled means what was published.
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { LosslessNumber } from "lossless-json";
import { expect } from "vitest";
import { deepFreeze, MAX_ISSUES } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { admitted, object, offer, toolWith } from "./offer.ts";

proves("ADM-14", "each kind of mismatch has a pointer at it and a sentence of ours", async () => {
  const { checkArguments } = await toolWith(
    object(
      {
        count: { type: "integer", minimum: 1, maximum: 9 },
        name: { type: "string", minLength: 2, maxLength: 3, pattern: "^a" },
        list: { type: "array", minItems: 1, maxItems: 2, uniqueItems: true, items: { enum: ["x", 1, { k: [1] }] } },
        map: { type: "object", propertyNames: { maxLength: 2 }, additionalProperties: { type: "boolean" }, minProperties: 1 },
        fixed: { const: { a: 1 } },
        step: { multipleOf: 0.01 },
        either: { type: ["string", "null"] },
        choice: { anyOf: [{ type: "string" }, { type: "number" }] },
        shape: {
          oneOf: [object({ k: { const: "a" } }, { required: ["k"] }), object({ k: { const: "b" } }, { required: ["k"] })],
        },
        gone: false,
        some: { contains: { const: 1 }, minContains: 2, maxContains: 3 },
        "odd/na~me": { type: "null" },
      },
      { required: ["count"], additionalProperties: false, dependentRequired: { name: ["list"] } },
    ),
  );
  const said = (value: unknown) => checkArguments(value).map(({ pointer, message }) => `${pointer} ${message}`);
  expect(said({ count: 1, step: 19.99, list: ["x", 1, { k: [1] }].slice(1), either: null, fixed: { a: 1 } })).toEqual([]);
  expect(said({})).toEqual(["/count is required"]);
  expect(said({ count: 1.5 })).toEqual(["/count must be integer"]);
  expect(said({ count: 0 })).toEqual(["/count must be >= 1"]);
  expect(said({ count: "1" })).toEqual(["/count must be integer"]);
  expect(said({ count: 1, extra: 1 })).toEqual(["/extra is not allowed"]);
  expect(said({ count: 1, "e/x~": 1 })).toEqual(["/e~1x~0 is not allowed"]);
  expect(said({ count: 1, name: "bbbb", list: [2] })).toEqual([
    "/name must not be longer than 3 characters",
    "/name must match the pattern of the schema",
    "/list/0 must be one of the allowed values",
  ]);
  expect(said({ count: 1, name: "ab" })).toEqual(["/list is required beside another property that is given"]);
  expect(said({ count: 1, list: ["x", "x"] })).toEqual(["/list must not have the same item twice"]);
  expect(said({ count: 1, list: [{ k: [1] }, { k: [1] }] })).toEqual(["/list must not have the same item twice"]);
  expect(said({ count: 1, map: { abc: true } })).toEqual(["/map/abc has a name that is not allowed"]);
  expect(said({ count: 1, map: { a: 1 } })).toEqual(["/map/a must be boolean"]);
  expect(said({ count: 1, fixed: { a: 2 } })).toEqual(["/fixed must be the one allowed value"]);
  expect(said({ count: 1, step: 0.001 })).toEqual(["/step must be a multiple of 0.01"]);
  expect(said({ count: 1, either: 1 })).toEqual(["/either must be string or null"]);
  expect(said({ count: 1, choice: true })).toEqual(["/choice must be string or number"]);
  expect(said({ count: 1, shape: { k: "c" } })).toEqual([
    "/shape/k must be the one allowed value",
    "/shape must have exactly one of the allowed forms",
  ]);
  expect(said({ count: 1, gone: 1 })).toEqual(["/gone is not allowed"]);
  expect(said({ count: 1, some: [1] })).toEqual([
    "/some must have at least 2 and at most 3 items of a form that the schema names",
  ]);
  expect(said({ count: 1, "odd/na~me": 1 })).toEqual(["/odd~1na~0me must be null"]);
  expect(said([])).toEqual([" must be object"]);
  expect(said(null)).toEqual([" must be object"]);
});

proves("ADM-14", "at most ten issues, each once, none with a value in it, the same each time", async () => {
  const tool = await toolWith(
    object({ list: { items: { type: "string", pattern: "^secret-pattern$", enum: ["secret-enum"] } } }),
  );
  const value = { list: Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? index : "secret-value")) };
  const issues = tool.checkArguments(value);
  expect(issues).toHaveLength(MAX_ISSUES);
  expect(JSON.stringify(issues)).not.toContain("secret");
  expect(tool.checkArguments(value)).toEqual(issues);
  expect(tool.checkArguments({ list: ["secret-enum"] })[0]?.message).toBe("must match the pattern of the schema");
});

proves("ADM-14", "a very long property name is not repeated", async () => {
  const tool = await toolWith(object({ a: object({}, { additionalProperties: false }) }));
  expect(tool.checkArguments({ a: { ["n".repeat(100_000)]: 1 } })).toEqual([{ pointer: "/a", message: "is not allowed" }]);
});

proves("ADM-14", "values stay as they are: no coercion, no default, nothing removed, frozen ones too", async () => {
  const { checkArguments } = await toolWith(
    object(
      { n: { type: "number", default: 7 }, o: object({ d: { default: "x" } }, { default: {} }) },
      { additionalProperties: {} },
    ),
  );
  const value = deepFreeze({ o: {}, extra: [1, { a: null }] });
  const before = JSON.stringify(value);
  expect(checkArguments(value)).toEqual([]);
  expect(JSON.stringify(value)).toBe(before);
  expect(checkArguments({ n: "7" })).toEqual([{ pointer: "/n", message: "must be number" }]);
});

proves("ADM-14", "only own properties are properties", async () => {
  const { checkArguments } = await toolWith(object({}, { required: ["constructor"] }));
  expect(checkArguments({})).toEqual([{ pointer: "/constructor", message: "is required" }]);
});

proves("ADM-14", "a number kept as text is judged as the number that it is, in values and in schemas", async () => {
  const big = (text: string) => new LosslessNumber(text);
  const { checkArguments, json, view } = await toolWith(
    object({ id: { type: "integer", minimum: 0, maximum: big("18446744073709551615"), default: big("12345678901234567890") } }),
  );
  expect(checkArguments({ id: big("12345678901234567890") })).toEqual([]);
  expect(checkArguments({ id: big("-12345678901234567890") })).toEqual([{ pointer: "/id", message: "must be >= 0" }]);
  expect(json).toContain('"default":12345678901234567890,"maximum":18446744073709551615,');
  expect(Object.isFrozen(view.inputSchema)).toBe(true);
  // Nobody writes into the pool's JSON by dressing text up as a number.
  const forged = { isLosslessNumber: true, value: '0}}}},{"name":"mcp__other__tool"' };
  const tool = await toolWith(object({ a: { default: forged } }));
  expect(JSON.parse(tool.json)).toEqual(JSON.parse(JSON.stringify(tool.view)));
});

const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, "", "a", "ab", "b");
const names = fc.constantFrom("a", "b", "c", "constructor");
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const schemas = fc.letrec<{ schema: unknown }>((tie) => {
  const schema = tie("schema");
  const record = (shape: Record<string, fc.Arbitrary<unknown>>) => fc.record(shape, { requiredKeys: [], noNullPrototype: true });
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.boolean(),
      fc.constantFrom({ $ref: "#/$defs/x" }, { $ref: "#/$defs/y~1z" }),
      record({
        type: fc.constantFrom("string", "number", "integer", "object", "array", "null", ["string", "null"]),
        enum: fc.uniqueArray(value, { minLength: 1, maxLength: 4, comparator: "SameValueZero" }),
        const: value,
        minimum: fc.integer({ min: -1, max: 1 }),
        maxLength: fc.integer({ min: 0, max: 2 }),
        pattern: fc.constantFrom("^a", "b$", "^(a+)+$"),
        uniqueItems: fc.boolean(),
        title: fc.string(),
        default: value,
        "x-other": value,
      }),
      record({
        properties: fc.dictionary(names, schema, { maxKeys: 2, noNullPrototype: true }),
        patternProperties: fc.dictionary(fc.constantFrom("^a", "c"), schema, { maxKeys: 1, noNullPrototype: true }),
        additionalProperties: schema,
        unevaluatedProperties: schema,
        propertyNames: schema,
        required: fc.uniqueArray(names, { maxLength: 2 }),
        dependentSchemas: fc.dictionary(names, schema, { maxKeys: 1, noNullPrototype: true }),
        dependentRequired: fc.constant({ a: ["b"] }),
      }),
      record({
        prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }),
        items: schema,
        contains: schema,
        minContains: fc.integer({ min: 0, max: 2 }),
        maxContains: fc.integer({ min: 2, max: 3 }),
        unevaluatedItems: schema,
      }),
      record({
        allOf: fc.array(schema, { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(schema, { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(schema, { minLength: 1, maxLength: 3 }),
        not: schema,
        if: schema,
        then: schema,
        else: schema,
      }),
    ),
  };
}).schema;

/** Undefined where the reference itself breaks: Ajv generates wrong code for some nestings of unevaluatedProperties. */
function verdictOf(validate: ValidateFunction, given: unknown): boolean | undefined {
  try {
    return validate(given);
  } catch {
    return undefined;
  }
}

proves(
  "ADM-14",
  "what is compiled accepts exactly what the published schema accepts",
  async () => {
    const reference = new Ajv2020({ strict: false, ownProperties: true });
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(schemas, schemas, schemas, fc.array(value, { minLength: 4, maxLength: 4 }), async (a, x, y, values) => {
        const inputSchema = object({ a }, { $defs: { x, "y/z": y } });
        const admission = await offer([{ name: "t", inputSchema }]);
        // Circles among the three are refused; everything else of this grammar is valid.
        if (admission.kind === "refused") {
          expect(admission.refusals.map((refusal) => refusal.message)).toEqual([expect.stringContaining("comes back to itself")]);
          return;
        }
        const stock = reference.compile(inputSchema);
        for (const given of values) {
          const expected = verdictOf(stock, { a: given });
          if (expected === undefined) continue;
          const issues = admission.tools[0]?.checkArguments({ a: given }) ?? [];
          expect(issues.length === 0, JSON.stringify({ inputSchema, given, issues })).toBe(expected);
          compared += 1;
        }
      }),
      // Not by chance: both sides are Ajv, but where its generated code is wrong they may be wrong differently.
      { numRuns: 120, seed: 20_260_801 },
    );
    expect(compared).toBeGreaterThan(200);
  },
  60_000,
);

proves("ADM-16", "an unusable output schema is dropped with a note, and its tool works", async () => {
  const bad: readonly unknown[] = [null, "x", true, [], { $ref: "#/none" }, { $id: "http://x/" }, { type: "any" }, { enum: [] }];
  const published = bad.map((outputSchema, index) => ({ name: `t${index}`, inputSchema: { type: "object" }, outputSchema }));
  const { tools, notes } = await admitted(published);
  expect(tools).toHaveLength(bad.length);
  for (const tool of tools) {
    expect(tool.checkResult).toBeUndefined();
    expect(tool.view).not.toHaveProperty("outputSchema");
    expect(JSON.parse(tool.json)).not.toHaveProperty("outputSchema");
  }
  expect(notes.map((note) => note.message)).toEqual(
    bad.map((): unknown => expect.stringMatching(/^dropped, results are not checked: /)),
  );
});

proves("ADM-16", "a usable one is shown and checks the structured part it is given, of any type", async () => {
  const fields = object({ content: { type: "number" }, isError: { type: "string" } }, { required: ["content"] });
  const tool = await toolWith({ type: "object" }, { outputSchema: fields });
  expect(tool.view.outputSchema).toEqual(fields);
  expect(tool.checkResult?.({ content: 1, isError: "no" })).toEqual([]);
  expect(tool.checkResult?.({ isError: true })).toEqual([
    { pointer: "/content", message: "is required" },
    { pointer: "/isError", message: "must be string" },
  ]);
  const list = await toolWith({ type: "object" }, { outputSchema: { type: "array", items: { type: "string" } } });
  expect(list.checkResult?.(["a"])).toEqual([]);
  expect(list.checkResult?.([1])).toEqual([{ pointer: "/0", message: "must be string" }]);
});
