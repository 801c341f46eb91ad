import { Ajv } from "ajv";
import fc from "fast-check";
import { expect } from "vitest";
import type { JsonObject } from "../../daemon/contract/index.ts";
import { leftOutText, LONGEST_DESCRIPTION, projectTools } from "../../client/models/projection.ts";
import { providerSchema } from "../../client/models/provider-schema.ts";
import { proves } from "../support/promise.ts";

const tool = (name: string, parameters: JsonObject, description = "d") => ({ name, description, parameters });
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const text: JsonObject = { type: "string" };

function shown(schema: JsonObject): JsonObject {
  const view = providerSchema(schema);
  if (view.kind !== "shown") throw new Error(view.why);
  return view.schema;
}

proves("LEAD-4", "missing properties and items are filled in, null properties are none, $schema is dropped, at any depth", () => {
  expect(shown({ type: "object" })).toEqual({ type: "object", properties: {} });
  expect(shown({ type: "object", properties: null })).toEqual({ type: "object", properties: {} });
  expect(shown({ $schema: "http://json-schema.org/draft-07/schema#", type: "object" })).not.toHaveProperty("$schema");
  const deep = shown(object({ list: { type: "array" }, many: { type: ["array", "null"] }, inner: { type: "object" } }));
  expect(deep.properties).toEqual({
    inner: { type: "object", properties: {} },
    list: { type: "array", items: {} },
    many: { type: ["array", "null"], items: {} },
  });
  const tuple = object({ t: { type: "array", items: [text, { type: "array" }], additionalItems: false } });
  expect(shown(tuple).properties).toEqual({
    t: { type: "array", additionalItems: false, items: { anyOf: [text, { type: "array", items: {} }] } },
  });
});

proves("LEAD-4", "data inside a schema is left as it is, whatever it looks like", () => {
  const properties = {
    $schema: text,
    type: { const: { type: "array" } },
    properties: { enum: [{ $schema: 1, type: "object" }] },
  };
  expect(shown(object(properties)).properties).toEqual(properties);
  const proto = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"array"}}}') as JsonObject;
  expect(JSON.stringify(shown(proto))).toBe('{"properties":{"__proto__":{"items":{},"type":"array"}},"type":"object"}');
});

proves("LEAD-4", "a root combinator becomes a flat view with a visible note", () => {
  const branches = {
    anyOf: [
      object({ a: text, kind: { const: "a" } }, { required: ["a", "kind"] }),
      object({ b: text, kind: { const: "b" } }, { required: ["b", "kind"] }),
    ],
  };
  const { tools, changed } = projectTools([tool("t", object({ id: text }, { required: ["id"], ...branches }))]);
  const [flat] = tools;
  expect(flat?.parameters).toEqual({
    type: "object",
    properties: { a: text, b: text, id: text, kind: { anyOf: [{ const: "a" }, { const: "b" }] } },
    required: ["id", "kind"],
  });
  expect(flat?.description).toContain("simplified");
  expect(changed).toEqual([{ name: "t", note: expect.stringContaining("simplified") as string }]);
});

proves("LEAD-4", "allOf, if/then/else, references, not, enum and const at the root are flattened too", () => {
  const root = {
    ...object({ a: text }),
    $defs: { more: object({ b: text }, { required: ["b"] }) },
    allOf: [{ $ref: "#/$defs/more" }, { if: { required: ["a"] }, then: object({ c: text }), else: object({ d: text }) }],
    not: { required: ["z"] },
    enum: [{ a: "1" }],
    const: { a: "1" },
  };
  const flat = shown(root);
  expect(Object.keys(flat.properties ?? {}).sort()).toEqual(["a", "b", "c", "d"]);
  expect(flat.required).toEqual(["b"]);
  for (const keyword of ["allOf", "not", "enum", "const", "if"]) expect(flat).not.toHaveProperty(keyword);
  // Closed by its own properties: what a branch adds could never be used.
  expect(shown(object({ a: text }, { additionalProperties: false, anyOf: [object({ b: text }), {}] })).properties).toEqual({
    a: text,
  });
});

proves(
  "LEAD-4",
  "a root that refers to itself ends; one that leads nowhere, or lets nothing through, is left out with the reason",
  () => {
    expect(shown({ type: "object", $ref: "#", properties: { a: text } }).properties).toEqual({ a: text });
    expect(providerSchema({ type: "object", $ref: "#/$defs/none" }).kind).toBe("impossible");
    expect(providerSchema({ type: "object", anyOf: [{ type: "string" }, false] }).kind).toBe("impossible");
    const lost = { ...object({ a: { $ref: "#/allOf/0/properties/x" } }), allOf: [object({ x: text })] };
    const { tools, leftOut } = projectTools([
      tool("bad", lost),
      tool("good", { type: "object" }),
      tool("bad name", { type: "object" }),
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["good"]);
    expect(leftOut.map(({ name }) => name)).toEqual(["bad", "bad name"]);
    expect(leftOutText({ tools, leftOut, changed: [] })).toMatch(/cannot be offered to you:\n- bad: .*\n- bad name: /);
  },
);

proves("LEAD-4", "at most 128 tools, those that come first; the others are named, and many are counted", () => {
  const many = Array.from({ length: 200 }, (_, at) => tool(`t${String(at).padStart(3, "0")}`, { type: "object" }));
  const projection = projectTools(many);
  expect(projection.tools).toHaveLength(128);
  expect(projection.tools.at(-1)?.name).toBe("t127");
  expect(projection.leftOut).toHaveLength(72);
  expect(leftOutText(projection)).toContain("- t128: a request holds at most 128 tools");
  expect(leftOutText(projection)).toContain("- and 32 more");
  expect(leftOutText(projectTools([]))).toBe("");
});

proves(
  "LEAD-4",
  "a description is cut at 1,024 with a mark, never inside a character, and the note of a flat view still fits",
  () => {
    const describe = (description: string, schema: JsonObject = { type: "object" }): string =>
      projectTools([tool("t", schema, description)]).tools[0]?.description ?? "";
    expect(describe("x".repeat(LONGEST_DESCRIPTION))).toBe("x".repeat(LONGEST_DESCRIPTION));
    const long = describe("x".repeat(LONGEST_DESCRIPTION + 1));
    expect(long).toHaveLength(LONGEST_DESCRIPTION);
    expect(long.endsWith("… [cut]")).toBe(true);
    for (let shift = 0; shift < 2; shift++) expect(describe("x".repeat(shift) + "🦜".repeat(600))).not.toMatch(/\p{Cs}/u);
    const both = describe("x".repeat(2_000), { type: "object", anyOf: [{}] });
    expect(both.length).toBeLessThanOrEqual(LONGEST_DESCRIPTION);
    expect(both).toMatch(/… \[cut\]\n\[Arguments are shown simplified/);
  },
);

const leaf = fc.constantFrom<JsonObject>(text, { type: "integer" }, { const: "k" }, {}, { type: "array" });
const objects = fc.letrec<{ node: JsonObject }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom("a", "b", "c"), leaf, { maxKeys: 3 }),
        required: fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 2 }),
        closed: fc.boolean(),
      })
      .map(({ properties, required, closed }): JsonObject => ({
        type: "object",
        properties,
        required,
        ...(closed ? { additionalProperties: false } : {}),
      })),
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((anyOf): JsonObject => ({ type: "object", anyOf })),
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((oneOf): JsonObject => ({ type: "object", oneOf })),
    fc.array(tie("node"), { minLength: 1, maxLength: 2 }).map((allOf): JsonObject => ({ type: "object", allOf })),
    fc
      .tuple(tie("node"), tie("node"))
      .map(([then, other]): JsonObject => ({ type: "object", if: { required: ["a"] }, then, else: other })),
  ),
})).node;
const values = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom<unknown>("k", "x", 1, []), { maxKeys: 4 });

proves(
  "LEAD-5",
  "what the admitted schema accepts lacks nothing and has nothing too much for the flat view (any schema, any arguments)",
  () => {
    const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true });
    let accepted = 0;
    fc.assert(
      fc.property(objects, fc.array(values, { minLength: 8, maxLength: 8 }), (schema, samples) => {
        const before = JSON.stringify(schema);
        const view = providerSchema(schema);
        expect(JSON.stringify(schema)).toBe(before);
        const original = ajv.compile(schema);
        const flat = ajv.compile(view.kind === "shown" ? view.schema : false);
        for (const sample of samples.filter((one) => original(one))) {
          accepted++;
          flat(sample);
          const wrong = (flat.errors ?? []).filter(({ instancePath }) => instancePath === "");
          expect(wrong, JSON.stringify({ sample, view })).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(100);
  },
);

proves("LEAD-5", "the admitted schema itself is not touched, not even a frozen one", () => {
  const schema = Object.freeze({
    type: "object",
    properties: Object.freeze({ a: Object.freeze({ type: "array" }) }),
  }) as JsonObject;
  shown(schema);
  expect(schema).toEqual({ type: "object", properties: { a: { type: "array" } } });
});

proves("LEAD-6", "equal tools give equal bytes, whatever order their keys came in", () => {
  const one = tool("t", {
    type: "object",
    properties: { b: { type: "string", minLength: 1 }, a: { enum: [{ y: 1, x: 2 }] } },
    required: ["b"],
  });
  const other = tool("t", {
    required: ["b"],
    properties: { a: { enum: [{ x: 2, y: 1 }] }, b: { minLength: 1, type: "string" } },
    type: "object",
  });
  expect(JSON.stringify(projectTools([one]))).toBe(JSON.stringify(projectTools([other])));
});
