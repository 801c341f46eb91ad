// Names and the match with the policy.
import fc from "fast-check";
import { expect } from "vitest";
import { exposureName, roomForTool } from "../../daemon/admission/names.ts";
import { proves } from "../support/promise.ts";
import { admitted, offer, refused } from "./offer.ts";

const plain = { type: "object" };
const tool = (name: string) => ({ name, inputSchema: plain });

proves("ADM-1", "names on one side only refuse the whole list, sorted by code units on both sides", async () => {
  const published = [tool("b"), tool("é"), tool("Z"), tool("kept")];
  const policy = new Map([
    ["kept", { effect: "read" as const }],
    ["y", { effect: "read" as const }],
    ["X", { effect: "write" as const }],
  ]);
  const { failure, refusals } = await refused(published, {}, { policy });
  expect(failure.code).toBe("policy_mismatch");
  expect(failure.details).toEqual({ unreviewed: ["Z", "b", "é"], missing: ["X", "y"] });
  expect(refusals.map((refusal) => refusal.tool).sort()).toEqual(["X", "Z", "b", "y", "é"]);
  expect(failure.message).toBe("The published tools are not exactly the tools of the policy");
});

proves("ADM-1", "an empty list fits an empty policy and nothing else", async () => {
  expect((await admitted([])).tools).toEqual([]);
  expect((await refused([], { a: { effect: "read" } })).failure.details).toEqual({ unreviewed: [], missing: ["a"] });
  expect((await refused([tool("a")], {}, { policy: new Map() })).failure.details).toEqual({ unreviewed: ["a"], missing: [] });
});

proves("ADM-1", "names are compared letter by letter, whatever they are", async () => {
  const published = ["a", "A", "constructor", "__proto__", "\u00e4"].map(tool);
  const policy = new Map(["a", "A ", "constructor", "__proto__", "a\u0308"].map((name) => [name, { effect: "read" as const }]));
  expect((await refused(published, {}, { policy })).failure.details).toEqual({
    unreviewed: ["A", "\u00e4"],
    missing: ["A ", "a\u0308"],
  });
});

proves("ADM-2", "a hidden tool is not exposed, whatever its schema, and must be there", async () => {
  const published = [tool("shown"), { name: "odd", inputSchema: "none", description: 7 }];
  const { tools } = await admitted(published, { odd: { effect: "hidden" } });
  expect(tools.map(({ view }) => view.name)).toEqual(["mcp__alpha__shown"]);
  const missing = await refused([tool("shown")], { odd: { effect: "hidden" } });
  expect(missing.failure.details).toEqual({ unreviewed: [], missing: ["odd"] });
});

proves("ADM-2", "a hidden tool takes no local name: it neither collides nor is too long", async () => {
  const long = "x".repeat(200);
  const policy = { "a.b": { effect: "hidden" as const }, [long]: { effect: "hidden" as const } };
  const { tools } = await admitted([tool("a.b"), tool("a_b"), tool(long)], policy);
  expect(tools.map(({ view }) => view.name)).toEqual(["mcp__alpha__a_b"]);
});

proves("ADM-3", "the rule, by examples", () => {
  const names = ["lookup", "getConsoleLogs", "a.b/c", "--x--", "__init__", "a__b", "Größe", "a\u0000b", "a-_b", "42"];
  expect(names.map((name) => exposureName("alpha", name))).toEqual(
    ["lookup", "getconsolelogs", "a_b_c", "x", "init", "a__b", "gr_e", "a_b", "a__b", "42"].map((part) => ({
      kind: "name",
      name: `mcp__alpha__${part}`,
    })),
  );
});

proves("ADM-3", "whatever the name, it fits the grammar and the length, or is refused with the remedy", () => {
  const alias = fc.stringMatching(/^[a-z][a-z0-9_]{0,31}$/);
  fc.assert(
    fc.property(alias, fc.string({ unit: "binary", maxLength: 80 }), (prefix, name) => {
      const result = exposureName(prefix, name);
      if (result.kind === "rejected") {
        expect(result.message).toContain(`"as" in the policy`);
        expect(result.message).toContain(`at most ${roomForTool(prefix)} characters`);
      } else {
        expect(result.name).toMatch(/^mcp__[a-z][a-z0-9_]*__[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/);
        expect(result.name.length).toBeLessThanOrEqual(64);
      }
      // The same in, the same out; and its own result again.
      expect(exposureName(prefix, name)).toEqual(result);
    }),
  );
});

proves("ADM-3", "exactly 64 characters fit; one more is refused, and `as` heals it", async () => {
  const room = roomForTool("alpha");
  expect(room).toBe(64 - "mcp__alpha__".length);
  expect(exposureName("alpha", "x".repeat(room)).kind).toBe("name");
  const long = "x".repeat(room + 1);
  const { failure } = await refused([tool(long)]);
  expect(failure.code).toBe("name_rejected");
  expect(failure.details).toEqual([
    {
      tool: long,
      pointer: "/name",
      message:
        `the local name "mcp__alpha__${long}" has 65 characters and 64 are allowed: ` +
        `give it a shorter one with "as" in the policy (at most 52 characters)`,
    },
  ]);
  const { tools } = await admitted([tool(long)], { [long]: { effect: "read", as: "short" } });
  expect(tools[0]?.view.name).toBe("mcp__alpha__short");
  expect(tools[0]?.view.source).toEqual({ kind: "mcp", alias: "alpha", connectionId: "alpha#1", tool: long });
});

proves("ADM-3", "a name of which nothing is left is refused; a local name of the policy is held to its grammar", async () => {
  expect((await refused([tool("日本")])).failure.code).toBe("name_rejected");
  expect((await admitted([tool("日本")], { 日本: { effect: "read", as: "japan" } })).tools[0]?.view.name).toBe(
    "mcp__alpha__japan",
  );
  for (const as of ["", "_x", "x_", "X", "a-b", "x".repeat(53)])
    expect((await refused([tool("t")], { t: { effect: "read", as } })).failure.code).toBe("name_rejected");
});

proves("ADM-4", "one name twice in a list is a collision before anything else", async () => {
  const { failure, refusals } = await refused([tool("a"), { name: "a", inputSchema: 1 }, tool("new"), tool("a")], {
    gone: { effect: "read" },
  });
  expect(failure.code).toBe("name_collision");
  expect(failure.details).toEqual([{ tool: "a", pointer: "/name", message: "the list holds this name 3 times" }]);
  expect(refusals.map((refusal) => refusal.code)).toEqual(["name_collision", "policy_mismatch"]);
});

proves("ADM-4", "names that become one are all refused, and each refusal names the others", async () => {
  const { failure } = await refused([tool("a.b"), tool("a_b"), tool("A_B"), tool("c")]);
  expect(failure.code).toBe("name_collision");
  const message = `"a.b" and "a_b" and "A_B" would all be "mcp__alpha__a_b": give all but one another name with "as" in the policy`;
  expect(failure.details).toEqual(["a.b", "a_b", "A_B"].map((name) => ({ tool: name, pointer: "/name", message })));
});

proves("ADM-4", "`as` takes part in collisions, and resolves them", async () => {
  const two = [tool("a.b"), tool("a_b")];
  expect((await refused(two, { "a.b": { effect: "read", as: "a_b" } })).failure.code).toBe("name_collision");
  const { tools } = await admitted(two, { "a.b": { effect: "read", as: "dotted" } });
  expect(tools.map(({ view }) => view.name)).toEqual(["mcp__alpha__a_b", "mcp__alpha__dotted"]);
});

proves("ADM-4", "no list gives the same name twice, or less than all tools", async () => {
  const name = fc.stringMatching(/^[ab._A]{1,4}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(name, { maxLength: 6 }), async (names) => {
      const admission = await offer(names.map(tool));
      if (admission.kind === "refused") return;
      const exposed = admission.tools.map(({ view }) => view.name);
      expect(exposed).toEqual([...new Set(exposed)].sort());
      expect(exposed.length).toBe(names.length);
    }),
  );
});
