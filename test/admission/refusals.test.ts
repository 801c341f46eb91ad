// How refusals are reported: together, in order, bounded, and readable.
import { expect } from "vitest";
import type { ToolPin } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { admitted, complaints, refused } from "./offer.ts";

const plain = { type: "object" };
const tool = (name: unknown, more: object = {}) => ({ name, inputSchema: plain, ...more });

proves("ADM-5", "every kind of refusal is found in one go, in the order of the codes", async () => {
  const published = [
    tool("twice"),
    tool("twice"),
    tool("unknown"),
    tool("x".repeat(80)),
    tool("a.b"),
    tool("a_b"),
    { name: "bad", inputSchema: { type: "array" } },
    tool("drifted"),
  ];
  const names = ["twice", "missing", "x".repeat(80), "a.b", "a_b", "bad", "drifted"];
  const policy = new Map(names.map((name) => [name, { effect: "read" as const }]));
  const { failure, refusals } = await refused(
    published,
    {},
    { policy, pins: { tools: new Map([["drifted", { digest: "0", definition: {} }]]) } },
  );
  expect(failure.code).toBe("name_collision");
  const codes = refusals.map((refusal) => `${refusal.code} ${refusal.tool.slice(0, 8)}`);
  expect(codes.slice(0, 6)).toEqual([
    "name_collision twice",
    "policy_mismatch unknown",
    "policy_mismatch missing",
    "name_rejected xxxxxxxx",
    "name_collision a.b",
    "name_collision a_b",
  ]);
  expect(codes).toContain("schema_rejected bad");
  expect(codes).toContain("definition_drift drifted");
});

proves("ADM-5", "the failure's code is the first that applies", async () => {
  const list = [tool("x".repeat(80)), tool("a.b"), tool("a_b"), { name: "bad", inputSchema: 1 }, tool("d")];
  const pins = { tools: new Map<string, ToolPin>() };
  const codeOf = async (published: readonly unknown[], extra = {}) => (await refused(published, extra, { pins })).failure.code;
  expect(await codeOf(list, { gone: { effect: "read" } })).toBe("policy_mismatch");
  expect(await codeOf(list)).toBe("name_rejected");
  expect(await codeOf(list.slice(1))).toBe("name_collision");
  expect(await codeOf(list.slice(3))).toBe("schema_rejected");
  expect(await codeOf(list.slice(4))).toBe("definition_drift");
});

proves("ADM-5", "an entry without a usable name is refused by its place", async () => {
  const entries = [null, 7, "tool", [], {}, tool(7), tool(""), tool("n".repeat(1_025)), tool("good")];
  const { failure } = await refused(entries, {}, { policy: new Map([["good", { effect: "read" }]]) });
  expect(failure.code).toBe("name_rejected");
  expect(failure.details).toEqual(
    [
      "the entry is not an object",
      "the entry is not an object",
      "the entry is not an object",
      "the tool's name is not a string",
      "the tool's name is not a string",
      "the tool's name is not a string",
      "the tool's name is empty",
      "the tool's name is longer than 1024 characters",
    ].map((message, index) => ({ tool: `#${index}`, pointer: "/name", message })),
  );
});

proves("ADM-5", "details hold 100 entries at most and say how many more there are", async () => {
  const many = Array.from({ length: 250 }, (_, index) => ({ name: `t${String(index).padStart(3, "0")}`, inputSchema: 1 }));
  const rejected = (await refused(many)).failure.details as { tool: string; message: string }[];
  expect(rejected).toHaveLength(101);
  expect(rejected[100]).toEqual({ tool: "…", pointer: "", message: "150 more are not listed" });
  const mismatch = await refused(many, {}, { policy: new Map() });
  expect(mismatch.failure.details).toMatchObject({ missing: [], omitted: 150 });
  expect((mismatch.failure.details as { unreviewed: string[] }).unreviewed).toHaveLength(100);
  expect(mismatch.refusals).toHaveLength(250);
});

proves("ADM-5", "names are cut and what is invisible in them is shown", async () => {
  const evil = `\u001b[2J\u202egood\u200b\ud800${"x".repeat(300)}`;
  const { failure } = await refused([tool(evil)], {}, { policy: new Map() });
  const [shown] = (failure.details as { unreviewed: string[] }).unreviewed;
  expect(shown).toMatch(/^\\u\{1b\}\[2J\\u\{202e\}good\\u\{200b\}\\u\{d800\}x+…$/);
  const [complaint] = await complaints({ type: "object", "minlengt\u001bh": 1, properties: { "a\u001b": { $id: "x" } } });
  expect(complaint).toEqual({
    pointer: "/inputSchema/properties/a\\u{1b}/$id",
    message: expect.stringContaining(`"$id"`) as string,
  });
});

proves("ADM-6", "twenty good tools and one of each bad kind: each bad one is named, no good one is", async () => {
  const good = Array.from({ length: 20 }, (_, index) => tool(`good${index}`));
  const bad: Readonly<Record<string, { entry: object; pointer: string; message: string }>> = {
    untyped: {
      entry: { inputSchema: {} },
      pointer: "/inputSchema",
      message: 'has no "type": its root must say "type": "object"',
    },
    array: {
      entry: { inputSchema: { type: "array" } },
      pointer: "/inputSchema/type",
      message: 'must be exactly "object" at the root',
    },
    union: {
      entry: { inputSchema: { type: ["object", "null"] } },
      pointer: "/inputSchema/type",
      message: 'must be exactly "object" at the root',
    },
    yes: { entry: { inputSchema: true }, pointer: "/inputSchema", message: "is not an object" },
    nothing: { entry: { inputSchema: null }, pointer: "/inputSchema", message: "is not an object" },
    text: { entry: { inputSchema: "object" }, pointer: "/inputSchema", message: "is not an object" },
    list: { entry: { inputSchema: [] }, pointer: "/inputSchema", message: "is not an object" },
    missing: { entry: {}, pointer: "/inputSchema", message: "is missing" },
    described: { entry: { inputSchema: plain, description: 7 }, pointer: "/description", message: "is not a string" },
    denied: { entry: { inputSchema: plain, description: null }, pointer: "/description", message: "is not a string" },
  };
  for (const [name, { entry, pointer, message }] of Object.entries(bad)) {
    const { failure, refusals } = await refused([...good, { name, ...entry }]);
    expect(failure.code, name).toBe("schema_rejected");
    expect(failure.details, name).toEqual([{ tool: name, pointer, message }]);
    expect(refusals, name).toHaveLength(1);
  }
  const all = await refused([...good, ...Object.entries(bad).map(([name, { entry }]) => ({ name, ...entry }))]);
  expect((all.failure.details as { tool: string }[]).map((detail) => detail.tool)).toEqual(Object.keys(bad));
  // The user sheds them one by one, and the twenty are there.
  const hidden = Object.fromEntries(Object.keys(bad).map((name) => [name, { effect: "hidden" as const }]));
  const { tools } = await admitted([...good, ...Object.entries(bad).map(([name, { entry }]) => ({ name, ...entry }))], hidden);
  expect(tools).toHaveLength(20);
});

proves("ADM-6", "several faults of one schema are told at once, each at its place", async () => {
  const schema = {
    type: "object",
    properties: { a: { minlength: 3 }, "b/c": { $ref: "#/$defs/none" }, d: { enum: [] }, e: { prefixItem: [] } },
  };
  expect((await complaints(schema)).map((issue) => issue.pointer)).toEqual([
    "/inputSchema/properties/a/minlength",
    "/inputSchema/properties/d/enum",
    "/inputSchema/properties/e/prefixItem",
    "/inputSchema/properties/b~1c/$ref",
  ]);
});
