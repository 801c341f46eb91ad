// Schemas made to harm: too deep, too large, circular, unreadable, reaching outside.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { SCHEMA_LIMITS } from "../../daemon/admission/limits.ts";
import { proves } from "../support/promise.ts";
import { admitted, complaints, object, offer, toolWith } from "./offer.ts";

/** `levels` objects below the root. */
function nested(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

const many = (count: number, schema: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]));

async function messageOf(schema: unknown): Promise<string> {
  const [first] = await complaints(schema);
  return first?.message ?? "";
}

proves("ADM-7", "ten thousand levels are refused where the limit is passed, in schemas and in the data they carry", async () => {
  expect(await messageOf(nested(10_000))).toBe("is nested more than 96 levels deep");
  expect(await messageOf(JSON.parse(`{"type":"object","default":${"[".repeat(5_000)}${"]".repeat(5_000)}}`))).toBe(
    "is nested more than 96 levels deep",
  );
  expect(await messageOf(nested(33))).toBe("subschemas stand more than 32 levels below one another");
  expect((await toolWith(nested(32))).checkArguments({ a: { a: 1 } })).toEqual([{ pointer: "/a/a", message: "must be object" }]);
});

proves("ADM-7", "an object that contains itself, and one that is everywhere, are refused", async () => {
  const circle: Record<string, unknown> = { type: "object" };
  circle.properties = { a: { items: circle } };
  expect(await complaints(circle)).toEqual([{ pointer: "/inputSchema/properties/a/items", message: "contains itself" }]);
  let shared: object = { type: "string" };
  for (let level = 0; level < 40; level++) shared = { allOf: [shared, shared] };
  expect(await messageOf({ type: "object", ...shared })).toMatch(/larger than 262144 bytes/);
});

proves("ADM-7", "the size limits hold, each with its own sentence", async () => {
  expect(await messageOf({ type: "object", description: "x".repeat(5_000_000) })).toBe(
    "makes the JSON text larger than 262144 bytes",
  );
  expect(await messageOf({ type: "object", enum: new Array(100_000_000) })).toBe("makes the JSON text larger than 262144 bytes");
  expect(await messageOf(object(many(30_000, {})))).toBe("makes the JSON text larger than 262144 bytes");
  const groups = many(6, object(many(900, {})));
  expect(await messageOf(object(groups))).toBe("the schema has more than 5000 subschemas");
  expect(await messageOf(object(many(1_001, {})))).toBe("more than 1000 subschemas stand directly within this schema");
  expect(await messageOf(object({ a: { enum: Array.from({ length: 5_001 }, (_, index) => index) } }))).toBe(
    "the schema has more than 5000 enum values",
  );
  expect(await messageOf(object(many(201, { pattern: "a" })))).toBe("the schema has more than 200 patterns");
  expect(await messageOf(object({ a: { pattern: "a".repeat(1_001) } }))).toBe("a pattern is longer than 1000 characters");
  expect(await messageOf(object({ ["n".repeat(257)]: {} }))).toBe("has a name longer than 256 characters");
  const groupsOf300 = many(4, object(many(300, {})));
  expect(await messageOf(object(groupsOf300, { unevaluatedProperties: false }))).toBe(
    "this keyword is allowed with at most 1000 subschemas",
  );
});

proves("ADM-7", "schemas at the limits are admitted", async () => {
  const wide = object({
    ...many(950, { type: "string", maxLength: 9 }),
    ["n".repeat(256)]: {},
    p: { pattern: "a".repeat(1_000) },
  });
  const tool = await toolWith(wide);
  expect(tool.checkArguments({ p949: "0123456789" })).toEqual([
    { pointer: "/p949", message: "must not be longer than 9 characters" },
  ]);
  const values = Array.from({ length: SCHEMA_LIMITS.enumValues }, (_, index) => index);
  expect((await toolWith(object({ a: { enum: values } }))).checkArguments({ a: 4_999 })).toEqual([]);
});

proves("ADM-7", "the schemas of a whole list are bounded too", async () => {
  const heavy = (index: number) => ({
    name: `t${index}`,
    inputSchema: { type: "object", description: `${index}${"x".repeat(250_000)}` },
  });
  const admission = await offer(Array.from({ length: 70 }, (_, index) => heavy(index)));
  expect(admission.kind === "refused" && admission.failure.details).toContainEqual({
    tool: "t69",
    pointer: "/inputSchema",
    message: "the schemas of this list are larger than 16777216 bytes together",
  });
});

proves("ADM-7", "what JSON cannot hold is refused, and nothing of it is run", async () => {
  let ran = 0;
  const touch = (): never => {
    ran += 1;
    throw new Error("touched");
  };
  const values: Readonly<Record<string, unknown>> = {
    function: touch,
    undefined,
    bigint: 1n,
    nan: Number.NaN,
    infinite: Infinity,
    symbol: Symbol("s"),
    date: new Date(0),
    map: new Map(),
    hole: [, 1],
  };
  for (const [kind, value] of Object.entries(values))
    expect(await complaints(object({ a: { default: value } })), kind).toHaveLength(1);
  expect(await messageOf(object({ a: { toJSON: touch } }))).toBe("is not a JSON value");
  expect(ran).toBe(0);
  const trap = { name: "t", inputSchema: object({ a: Object.defineProperty({}, "type", { enumerable: true, get: touch }) }) };
  const admission = await offer([trap]);
  expect(admission.kind === "refused" && admission.failure.details).toEqual([
    { tool: "t", pointer: "/inputSchema/properties/a/type", message: "cannot be read as JSON" },
  ]);
});

proves("ADM-7", "`__proto__` is refused as a name anywhere; other names of Object.prototype are ordinary", async () => {
  for (const text of [
    '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
    '{"type":"object","__proto__":{"type":"string"}}',
    '{"type":"object","default":{"__proto__":1}}',
  ])
    expect(await messageOf(JSON.parse(text)), text).toBe("the member name __proto__ is not allowed");
  const names = ["constructor", "toString", "hasOwnProperty", "valueOf"];
  const schema = object(Object.fromEntries(names.map((name) => [name, { type: "string" }])), {
    required: names,
    additionalProperties: false,
  });
  const tool = await toolWith(schema);
  expect(tool.checkArguments({}).map((issue) => issue.pointer)).toEqual(names.map((name) => `/${name}`));
  expect(tool.checkArguments(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
  expect(tool.checkArguments(JSON.parse('{"__proto__":{"constructor":"x"}}')).map((issue) => issue.pointer)).toContain(
    "/__proto__",
  );
  // Unknown formats and keywords of those names are nothing special either.
  expect((await toolWith(object({ a: { format: "constructor", toString: 1 } }))).checkArguments({ a: "x" })).toEqual([]);
});

proves("ADM-9", "references to elsewhere are refused and a listener that they name sees no request", async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end("{}");
  });
  server.on("connection", () => (requests += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json`;
  const traps: readonly object[] = [
    object({ a: { $ref: url } }),
    object({ a: { $ref: `${url}#/$defs/x` } }),
    object({ a: { $dynamicRef: url } }),
    { ...object({ a: { $recursiveRef: url } }), $schema: "https://json-schema.org/draft/2019-09/schema" },
    { ...object({ a: { $ref: "#/$defs/x" } }), $id: url },
    { ...object({}), $schema: url },
    object({ a: { $ref: "//127.0.0.1/x" } }),
    object({ a: { $ref: "file:///etc/passwd" } }),
    object({ a: { $ref: "schema.json" } }),
    object({ a: { $ref: "https://json-schema.org/draft/2020-12/schema" } }),
    object({ a: { $ref: "http://json-schema.org/draft-07/schema#" } }),
  ];
  try {
    for (const schema of traps) expect((await complaints(schema)).length).toBeGreaterThan(0);
    // As an output schema each is dropped instead.
    const published = traps.map((outputSchema, index) => ({ name: `t${index}`, inputSchema: { type: "object" }, outputSchema }));
    const { tools, notes } = await admitted(published);
    expect(tools.filter(({ view, checkResult }) => "outputSchema" in view || checkResult !== undefined)).toEqual([]);
    expect(notes).toHaveLength(traps.length);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
  expect(requests).toBe(0);
});

proves("ADM-9", "schemas have no addresses: one tool cannot reach another's, and equal ids never mix", async () => {
  for (const keyword of ["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "id"]) {
    expect(await messageOf({ type: "object", [keyword]: "https://example.com/x" }), keyword).toMatch(
      /not allowed|would be ignored/,
    );
    expect(await messageOf(object({ a: { [keyword]: "x" } })), keyword).toMatch(/not allowed|would be ignored/);
  }
  // A property of that name is only a property.
  expect((await toolWith(object({ $id: { type: "string" }, id: {} }))).checkArguments({ $id: 1 })).toEqual([
    { pointer: "/$id", message: "must be string" },
  ]);
  const twice = ["read", "write"].map((kind) => object({ a: { $ref: "#/$defs/x" } }, { $defs: { x: { const: kind } } }));
  const { tools } = await admitted(twice.map((inputSchema, index) => ({ name: `t${index}`, inputSchema })));
  expect(tools.map((tool) => tool.checkArguments({ a: "read" }).length)).toEqual([0, 1]);
});
