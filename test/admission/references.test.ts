// References within a schema: how they are read, where they may lead, and that recursion works.
import fc from "fast-check";
import { expect } from "vitest";
import { joinPointer, localPointer } from "../../daemon/admission/json-pointer.ts";
import { proves } from "../support/promise.ts";
import { complaints, object, toolWith } from "./offer.ts";

const messages = async (schema: unknown): Promise<readonly string[]> => (await complaints(schema)).map((issue) => issue.message);
const NOWHERE = ['"$ref" leads to no subschema of this schema'];
const CIRCLE = ["a reference comes back to itself without a step into the data"];

proves("ADM-8", "a tree refers to itself through $defs, through properties and through the root", async () => {
  const node = { type: "object", properties: { value: { type: "number" } }, required: ["value"] };
  const trees = [
    object(
      { tree: { $ref: "#/$defs/node" } },
      {
        $defs: { node: { ...node, properties: { ...node.properties, left: { $ref: "#/$defs/node" } } } },
      },
    ),
    object({ tree: { ...node, properties: { ...node.properties, left: { $ref: "#/properties/tree" } } } }),
    object({ value: { type: "number" }, left: { $ref: "#" }, tree: { $ref: "#" } }),
  ];
  for (const schema of trees) {
    const { checkArguments } = await toolWith(schema);
    expect(checkArguments({ tree: { value: 1, left: { value: 2, left: { value: 3 } } } })).toEqual([]);
    expect(checkArguments({ tree: { value: 1, left: { value: 2, left: { value: "x" } } } })).toEqual([
      { pointer: "/tree/left/left/value", message: "must be number" },
    ]);
  }
});

proves("ADM-8", "pointers with ~0, ~1 and percent-escapes lead to the named place", async () => {
  const odd = ["a/b", "a~b", "a%b", "a b", "ä", '"', "^", "%25", "~1", "a%2Fb", "$ref", "", "0"];
  for (const name of odd) {
    for (const encode of [encodeURI, encodeURIComponent]) {
      const $ref = `#${joinPointer("", "$defs", name).split("/").map(encode).join("/")}`;
      const { checkArguments } = await toolWith(object({ x: { $ref } }, { $defs: { [name]: { type: "string" }, other: {} } }));
      expect(checkArguments({ x: 1 }), $ref).toEqual([{ pointer: "/x", message: "must be string" }]);
    }
  }
});

proves("ADM-8", "every pointer that is built is read back", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (tokens) => {
      const pointer = joinPointer("", ...tokens);
      expect(localPointer(`#${encodeURI(pointer).replaceAll("#", "%23")}`)).toBe(pointer);
    }),
  );
});

proves("ADM-8", "what leads nowhere, or to a place that is no subschema, is refused", async () => {
  const hidden = { $ref: "http://127.0.0.1/" };
  const nowhere = [
    object({ a: { $ref: "#/$defs/none" } }),
    object({ a: { $ref: "#/$defs" } }, { $defs: {} }),
    object(
      { a: { $ref: "#/properties/b/default" } },
      { properties: { a: { $ref: "#/properties/b/default" }, b: { default: hidden } } },
    ),
    object({ a: { $ref: "#/properties/b/enum/0" }, b: { enum: [hidden] } }),
    object({ a: { $ref: "#/x-hidden/y" } }, { "x-hidden": { y: hidden } }),
    object({ a: { $ref: "#/properties/a~2" } }),
    object({ a: { $ref: "#/%zz" } }),
    object({ a: { $ref: "#/properties/a/" } }),
  ];
  for (const schema of nowhere.slice(0, 5)) expect(await messages(schema)).toEqual(NOWHERE);
  for (const schema of nowhere.slice(5)) expect(await messages(schema)).toHaveLength(1);
  expect(await messages(object({ a: { $ref: 7 } }))).toEqual(['"$ref" is not a string']);
  expect(await messages(object({ a: { $ref: "#name" } }))).toEqual([
    '"$ref" is not a local reference: only "#" and "#/…" are followed, nothing is fetched',
  ]);
});

proves("ADM-8", "a circle without a step into the data is refused; with one it is recursion", async () => {
  const circles = [
    object({}, { $ref: "#" }),
    object({ a: { $ref: "#/properties/a" } }),
    object({ a: { $ref: "#/$defs/x" } }, { $defs: { x: { $ref: "#/$defs/y" }, y: { allOf: [{ $ref: "#/$defs/x" }] } } }),
    object({}, { anyOf: [{ type: "object" }, { not: { $ref: "#" } }] }),
    object({}, { if: { $ref: "#/then" }, then: { dependentSchemas: { a: { $ref: "#/if" } } } }),
    object(
      { a: { $ref: "#/$defs/x" } },
      { $defs: { x: { oneOf: [{ type: "null" }, { else: { $ref: "#/$defs/x" }, if: true }] } } },
    ),
  ];
  for (const schema of circles) expect(await messages(schema), JSON.stringify(schema)).toEqual(CIRCLE);
  const steps = [
    object({}, { additionalProperties: { $ref: "#" } }),
    object({ a: { items: { $ref: "#/properties/a" } } }),
    object({ a: { anyOf: [{ type: "string" }, { contains: { $ref: "#/properties/a" } }] } }),
    object({ a: { prefixItems: [{ $ref: "#" }] } }),
  ];
  for (const schema of steps) await toolWith(schema);
});

proves("ADM-8", "dynamic and recursive references mean plain ones, in the dialect that owns them", async () => {
  const tree = (keyword: string) => object({ value: { type: "number" }, next: { [keyword]: "#" } });
  const dynamic = await toolWith(tree("$dynamicRef"));
  const recursive = await toolWith({ ...tree("$recursiveRef"), $schema: "https://json-schema.org/draft/2019-09/schema" });
  for (const { checkArguments } of [dynamic, recursive])
    expect(checkArguments({ next: { next: { value: "x" } } })).toEqual([
      { pointer: "/next/next/value", message: "must be number" },
    ]);
  expect(await messages(tree("$recursiveRef"))).toEqual(['"$recursiveRef" means nothing in 2020-12 and would be ignored']);
  expect(await messages({ ...tree("$dynamicRef"), $schema: "http://json-schema.org/draft-07/schema#" })).toHaveLength(1);
  expect(await messages(object({ a: { $dynamicRef: "#node" } }))).toHaveLength(1);
  const both = await toolWith(
    object({ a: { $ref: "#/$defs/x", $dynamicRef: "#/$defs/y" } }, { $defs: { x: { minimum: 1 }, y: { maximum: 2 } } }),
  );
  expect([0, 1, 3].map((a) => both.checkArguments({ a }).length)).toEqual([1, 0, 1]);
});

proves("ADM-8", "a reference beside assertions asserts with them, except in draft-07, which ignores them", async () => {
  const schema = object({ a: { $ref: "#/definitions/x", minLength: 3 } }, { definitions: { x: { type: "string" } } });
  expect((await toolWith(schema)).checkArguments({ a: "b" })).toHaveLength(1);
  const old = await toolWith({ ...schema, $schema: "http://json-schema.org/draft-07/schema#" });
  expect(old.checkArguments({ a: "b" })).toEqual([]);
  expect(old.checkArguments({ a: 1 })).toHaveLength(1);
});
