// Dialects, keywords and formats: what is enforced, what is noted, what is refused because it would be ignored.
import { expect } from "vitest";
import { nearKeyword } from "../../daemon/admission/near-keyword.ts";
import { proves } from "../support/promise.ts";
import { admitted, complaints, object, toolWith } from "./offer.ts";

const DRAFT_07 = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema"];
const DRAFT_2019 = ["https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft/2019-09/schema#"];
const DRAFT_2020 = ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft/2020-12/schema#", undefined];

const at = ($schema: string | undefined, properties: Record<string, unknown>, more = {}): object =>
  object(properties, { ...more, ...($schema === undefined ? {} : { $schema }) });

proves("ADM-10", "the same schema under every spelling of every dialect", async () => {
  for (const $schema of [...DRAFT_07, ...DRAFT_2019, ...DRAFT_2020]) {
    const { checkArguments } = await toolWith(at($schema, { a: { type: "integer", minimum: 1 } }, { required: ["a"] }));
    expect(checkArguments({ a: 1 })).toEqual([]);
    expect(checkArguments({ a: 0 })).toEqual([{ pointer: "/a", message: "must be >= 1" }]);
  }
});

proves("ADM-10", "any other dialect is refused, and so is one below the root", async () => {
  const others = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/schema#",
    "https://example.com/x",
    "",
    7,
    null,
  ];
  for (const $schema of others)
    expect(await complaints({ type: "object", $schema })).toEqual([
      { pointer: "/inputSchema/$schema", message: "names a dialect other than draft-07, 2019-09 and 2020-12" },
    ]);
  expect(await complaints(object({ a: { $schema: DRAFT_2020[0] } }))).toEqual([
    { pointer: "/inputSchema/properties/a/$schema", message: '"$schema" is only allowed at the root' },
  ]);
});

proves("ADM-10", "tuples in the spelling of their dialect are enforced, in another's refused", async () => {
  const old = { a: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false } };
  const young = { a: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false } };
  const wrong = { a: ["x", "y"] };
  for (const [$schema, tuple] of [
    [DRAFT_07[0], old],
    [DRAFT_2019[0], old],
    [DRAFT_2020[0], young],
  ] as const) {
    const { checkArguments } = await toolWith(at($schema, tuple));
    expect(checkArguments({ a: ["x", 1] })).toEqual([]);
    expect(checkArguments(wrong)).toEqual([{ pointer: "/a/1", message: "must be number" }]);
    expect(checkArguments({ a: ["x", 1, 2] })).toHaveLength(1);
  }
  expect(await complaints(at(DRAFT_2020[0], old))).toHaveLength(2);
  expect(await complaints(at(DRAFT_07[0], young))).toEqual([
    { pointer: "/inputSchema/properties/a/prefixItems", message: '"prefixItems" means nothing in draft-07 and would be ignored' },
  ]);
});

proves("ADM-11", "keywords of another draft are refused where they would be ignored", async () => {
  const foreign: readonly (readonly [string | undefined, Record<string, unknown>])[] = [
    [DRAFT_07[0], { unevaluatedProperties: false }],
    [DRAFT_07[0], { dependentRequired: { a: ["b"] } }],
    [DRAFT_07[0], { contains: {}, minContains: 2 }],
    [DRAFT_2019[0], { prefixItems: [{}] }],
    [undefined, { additionalItems: false }],
    [undefined, { divisibleBy: 2 }],
    [undefined, { extends: {} }],
    [undefined, { disallow: "string" }],
    [undefined, { $data: "1/x" }],
    [undefined, { $merge: {} }],
  ];
  for (const [$schema, keywords] of foreign)
    expect((await complaints(at($schema, { a: keywords })))[0]?.message, JSON.stringify(keywords)).toMatch(/would be ignored$/);
});

proves("ADM-11", "a misspelt assertion is refused and its spelling given; other unknown keywords are noted", async () => {
  const slips = {
    minlength: "minLength",
    addtionalProperties: "additionalProperties",
    requird: "required",
    tpye: "type",
    Items: "items",
    ref: "$ref",
    enums: "enum",
    propertes: "properties",
  };
  for (const [slip, meant] of Object.entries(slips))
    expect(await complaints(object({ a: { [slip]: 1 } })), slip).toEqual([
      {
        pointer: `/inputSchema/properties/a/${slip}`,
        message: `"${slip}" is no keyword and would be ignored: is "${meant}" meant?`,
      },
    ]);
  const harmless = [
    "x-order",
    "example",
    "discriminator",
    "xml",
    "externalDocs",
    "markdownDescription",
    "errorMessage",
    "~standard",
    "note",
    "message",
    "parent",
    "opt_fields",
    "optional",
    "propertyOrder",
    "default_value",
  ];
  for (const name of harmless) expect(nearKeyword(name), name).toBeUndefined();
  const tool = {
    name: "t",
    inputSchema: object({ a: Object.fromEntries(harmless.map((name) => [name, { $ref: "http://x/" }])) }),
  };
  const { tools, notes } = await admitted([tool]);
  expect(notes.map((note) => note.message)).toEqual(harmless.map((name) => `unknown keyword "${name}": ignored`));
  expect(tools[0]?.view.inputSchema).toEqual(tool.inputSchema);
});

proves("ADM-11", "values that the metaschema forbids are refused at their place", async () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ["required", true],
    ["exclusiveMinimum", true],
    ["type", "any"],
    ["type", []],
    ["enum", []],
    ["enum", "a"],
    ["properties", []],
    ["items", 7],
    ["minLength", -1],
    ["multipleOf", 0],
    ["pattern", 1],
    ["title", 5],
    ["anyOf", []],
    ["allOf", {}],
    ["additionalProperties", "no"],
    ["uniqueItems", "yes"],
    ["dependentRequired", { a: "b" }],
  ];
  for (const [keyword, value] of wrong) {
    const [issue] = await complaints(object({ a: { [keyword]: value } }));
    expect(issue?.pointer, keyword).toMatch(new RegExp(`^/inputSchema/properties/a/${keyword}`));
  }
  // Also where a metaschema does not look: draft-07 knows no $defs.
  const issues = await complaints(at(DRAFT_07[0], { a: { $ref: "#/$defs/x" } }, { $defs: { x: { required: true } } }));
  expect(issues.map((issue) => issue.pointer)).toEqual(["/inputSchema/$defs/x/required"]);
});

proves("ADM-11", "keywords that mean nothing alone are not held against a schema", async () => {
  const { checkArguments } = await toolWith(
    object({
      a: { if: { const: 1 } },
      b: { then: { const: 1 } },
      c: { minContains: 2 },
      d: { contains: { const: 1 }, minContains: 0 },
      e: { nullable: true, anyOf: [{ type: "string" }] },
      f: { type: "string", nullable: true },
      g: { contains: { const: 1 }, minContains: 0, maxContains: 1 },
    }),
  );
  expect(checkArguments({ a: 2, b: 2, c: [], d: [], e: "x", f: null, g: [] })).toEqual([]);
  expect(checkArguments({ f: 1 })).toHaveLength(1);
  expect(checkArguments({ g: [1, 1] })).toHaveLength(1);
  expect(checkArguments({ e: null })).toHaveLength(1);
});

proves("ADM-11", "known formats are enforced, unknown ones noted and passed", async () => {
  const good: Readonly<Record<string, unknown>> = {
    "date-time": "2026-02-28T10:00:00Z",
    date: "2026-02-28",
    time: "10:00:00Z",
    duration: "PT1H",
    email: "a@example.com",
    hostname: "example.com",
    ipv4: "127.0.0.1",
    ipv6: "::1",
    uuid: "6f1c0b1e-6f3d-4c2e-9a40-0d6e9f6b1c22",
    uri: "https://example.com/{id}?q=ä b",
    url: "https://example.com/ä",
    "uri-reference": "../x",
    "json-pointer": "/a/b",
    regex: "^a$",
    byte: "aGk=",
    int32: 7,
    int64: 7,
  };
  const bad: Readonly<Record<string, unknown>> = {
    "date-time": "yesterday",
    date: "2026-02-30",
    time: "25:00:00Z",
    duration: "1h",
    email: "a@",
    hostname: "-",
    ipv4: "1.2.3",
    ipv6: ":",
    uuid: "x",
    uri: "no",
    url: "//x",
    "uri-reference": "\\",
    "json-pointer": "a",
    regex: "(",
    byte: "a=b",
    int32: 2 ** 31,
    int64: 1.5,
  };
  const tool = await toolWith(object(Object.fromEntries(Object.keys(good).map((format) => [format, { format }]))));
  expect(tool.checkArguments(good)).toEqual([]);
  for (const [format, value] of Object.entries(bad))
    expect(tool.checkArguments({ [format]: value }), format).toEqual([
      { pointer: `/${format.replace("/", "~1")}`, message: `must match the format "${format}"` },
    ]);
  const unknown = ["google-duration", "path", "phone"];
  const quiet = ["uint64", "json", "iri", "jwt"];
  const loose = object(Object.fromEntries([...unknown, ...quiet].map((format) => [format, { type: "string", format }])));
  const { tools, notes } = await admitted([{ name: "t", inputSchema: loose }]);
  expect(notes.map((note) => note.message)).toEqual(unknown.map((format) => `unknown format "${format}": not checked`));
  expect(tools[0]?.checkArguments(Object.fromEntries([...unknown, ...quiet].map((format) => [format, "anything"])))).toEqual([]);
});

proves("ADM-12", "root anyOf, oneOf, allOf, not and if are admitted as they stand and enforced", async () => {
  const schema = {
    type: "object",
    properties: { kind: { type: "string" }, a: {}, b: {}, c: {} },
    anyOf: [{ required: ["a"] }, { required: ["b"] }, { required: ["c"] }],
    allOf: [
      {
        if: { properties: { kind: { const: "x" } }, required: ["kind"] },
        then: { required: ["a"] },
        else: { not: { required: ["c"] } },
      },
    ],
    oneOf: [{ required: ["kind"] }, { maxProperties: 1 }],
  };
  const { view, checkArguments } = await toolWith(schema);
  expect(view.inputSchema).toEqual(schema);
  expect(checkArguments({ kind: "x", a: 1 })).toEqual([]);
  expect(checkArguments({ b: 1 })).toEqual([]);
  expect(checkArguments({ kind: "x", b: 1 })).toEqual([{ pointer: "/a", message: "is required" }]);
  expect(checkArguments({ c: 1 })).toEqual([{ pointer: "", message: "must not have a form that the schema excludes" }]);
  expect(checkArguments({ kind: "y" }).at(-1)?.message).toMatch(/allowed forms/);
});

proves("ADM-13", "tools without arguments, and what each says of an extra key", async () => {
  const silent = await toolWith({ type: "object" });
  const nulled = await toolWith({ type: "object", properties: null });
  const closed = await toolWith({ type: "object", additionalProperties: false });
  for (const { checkArguments } of [silent, nulled, closed]) expect(checkArguments({})).toEqual([]);
  for (const { checkArguments } of [silent, nulled]) expect(checkArguments({ extra: 1 })).toEqual([]);
  expect(closed.checkArguments({ extra: 1 })).toEqual([{ pointer: "/extra", message: "is not allowed" }]);
  expect(nulled.view.inputSchema).toEqual({ type: "object", properties: null });
  const { notes } = await admitted([{ name: "t", inputSchema: { type: "object", properties: null } }]);
  expect(notes).toEqual([{ tool: "t", pointer: "/inputSchema/properties", message: '"properties" is null: read as absent' }]);
  expect(await complaints({ type: "object", required: null })).toHaveLength(1);
});
