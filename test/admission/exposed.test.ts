// What admission gives out: exposed tools, their digests, pins; and how it spends its time.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { admit } from "../../daemon/admission/admit.ts";
import { pinOf } from "../../daemon/admission/pins.ts";
import { canonicalJson, type JsonObject, type ToolPin, type ToolPolicy } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { admitted, object, refused, toolWith } from "./offer.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function frozenThrough(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(frozenThrough);
}

proves("ADM-17", "a view holds what the contract says and nothing else of the server's", async () => {
  const inputSchema = { properties: { b: {}, a: { description: "x" } }, type: "object" };
  const { tools, digest } = await admitted(
    [
      {
        name: "doIt",
        title: "T",
        description: "Does it",
        inputSchema,
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
        icons: [],
        execution: {},
        _meta: { a: 1 },
      },
    ],
    { doIt: { effect: "write", approval: "ask", timeoutMs: 5 } },
  );
  const [tool] = tools;
  const definition = {
    description: "Does it",
    effect: "write",
    inputSchema,
    name: "mcp__alpha__doit",
    outputSchema: { type: "object" },
  };
  expect(tool?.view).toEqual({
    ...definition,
    digest: sha256(canonicalJson(definition)),
    source: { kind: "mcp", alias: "alpha", connectionId: "alpha#1", tool: "doIt" },
  });
  expect(tool?.json).toBe(canonicalJson(tool?.view));
  expect(tool).toMatchObject({ approval: "ask", timeoutMs: 5, concurrent: false });
  expect(digest).toBe(sha256(tool?.view.digest ?? ""));
  expect(frozenThrough(tool?.view)).toBe(true);
  expect(Object.isFrozen(tool)).toBe(true);
  expect(Object.isFrozen(tools)).toBe(true);
});

proves("ADM-17", "the published list may change or be frozen afterwards: what was admitted stays", async () => {
  const inputSchema = object({ a: { type: "string", enum: ["x"] } }) as { properties: { a: { enum: string[] } } };
  const { tools } = await admitted([{ name: "t", inputSchema }]);
  inputSchema.properties.a.enum.push("y");
  expect(tools[0]?.view.inputSchema).toEqual(object({ a: { type: "string", enum: ["x"] } }));
  expect(tools[0]?.checkArguments({ a: "y" })).toHaveLength(1);
});

proves("ADM-17", "equal content gives equal bytes, whatever the order it came in", async () => {
  const entry = (flip: boolean) => ({
    name: "t",
    inputSchema: flip ? { properties: { a: {}, b: {} }, type: "object" } : { type: "object", properties: { b: {}, a: {} } },
  });
  const other = { name: "s", inputSchema: { type: "object" } };
  const one = await admitted([entry(false), other]);
  const two = await admitted([other, entry(true)]);
  expect(two.digest).toBe(one.digest);
  expect(two.tools.map((tool) => tool.json)).toEqual(one.tools.map((tool) => tool.json));
  const elsewhere = await admitted([other, entry(true)], {}, { connectionId: "alpha#2" });
  expect(elsewhere.digest).toBe(one.digest);
  expect(elsewhere.tools[0]?.json).not.toBe(one.tools[0]?.json);
});

proves("ADM-17", "each part of a definition changes its digest", async () => {
  const base = { name: "t", description: "d", inputSchema: { type: "object" } };
  const digests = await Promise.all(
    [
      admitted([base]),
      admitted([{ ...base, description: "e" }]),
      admitted([{ ...base, inputSchema: { type: "object", title: "x" } }]),
      admitted([{ ...base, outputSchema: { type: "object" } }]),
      admitted([base], { t: { effect: "write" } }),
      admitted([base], { t: { effect: "read", as: "u" } }),
    ].map(async (admission) => (await admission).tools[0]?.view.digest),
  );
  expect(new Set(digests).size).toBe(digests.length);
  expect((await admitted([{ ...base, description: undefined }])).tools[0]?.view.description).toBe("");
});

proves("ADM-17", "hints never matter: the policy alone says the effect and what may overlap", async () => {
  const hint = fc.option(fc.boolean(), { nil: undefined });
  const annotations = fc.record({
    readOnlyHint: hint,
    destructiveHint: hint,
    idempotentHint: hint,
    openWorldHint: hint,
    title: fc.string(),
  });
  const effect = fc.constantFrom("read" as const, "write" as const, "external" as const);
  await fc.assert(
    fc.asyncProperty(annotations, effect, hint, async (hints, wanted, concurrent) => {
      const policy: ToolPolicy = concurrent === undefined ? { effect: wanted } : { effect: wanted, concurrent };
      const bare = { name: "delete_all", inputSchema: { type: "object" } };
      const hinted = await admitted([{ ...bare, annotations: hints }], { delete_all: policy });
      expect(hinted.tools[0]?.view.effect).toBe(wanted);
      expect(hinted.tools[0]?.concurrent).toBe(concurrent ?? wanted === "read");
      expect(hinted.digest).toBe((await admitted([bare], { delete_all: policy })).digest);
    }),
  );
});

proves("ADM-19", "a pin over every model-visible field: each change is drift, a default's is not", async () => {
  const entry = {
    name: "t",
    title: "T",
    description: "d",
    inputSchema: object({ a: { type: "string", default: "/home/me" }, default: { type: "string" } }),
    outputSchema: object({ b: {} }),
    annotations: { readOnlyHint: true },
    _meta: { at: 1 },
  };
  const pins = { tools: new Map([["t", pinned(entry)]]) };
  const same = [
    entry,
    { ...entry, _meta: { at: 2 } },
    { ...entry, inputSchema: object({ a: { type: "string", default: "/home/you" }, default: { type: "string" } }) },
  ];
  for (const published of same) expect((await admitted([published], {}, { pins })).tools).toHaveLength(1);
  const changed = "differs from what was reviewed";
  const added = "was not there when it was reviewed";
  const gone = "was there when it was reviewed";
  const drifted: [object, ...[string, string][]][] = [
    [{ ...entry, title: "U" }, ["/title", changed]],
    [{ ...entry, description: "d " }, ["/description", changed]],
    [{ ...entry, inputSchema: object({ a: { type: "string" } }) }, ["/inputSchema/properties/default", gone]],
    [
      { ...entry, inputSchema: object({ a: { type: "string", enum: ["x"] }, default: { type: "string" } }) },
      ["/inputSchema/properties/a/enum", added],
    ],
    [
      { ...entry, inputSchema: object({ a: { type: "string" }, default: { type: "number" } }) },
      ["/inputSchema/properties/default/type", changed],
    ],
    [{ ...entry, outputSchema: object({ c: {} }) }, ["/outputSchema/properties/b", gone], ["/outputSchema/properties/c", added]],
    [{ ...entry, annotations: { readOnlyHint: false } }, ["/annotations/readOnlyHint", changed]],
    [{ ...entry, annotations: undefined }, ["/annotations", gone]],
  ];
  for (const [published, ...places] of drifted) {
    const { failure } = await refused([published], {}, { pins });
    expect(failure.code).toBe("definition_drift");
    expect(failure.details).toEqual(places.map(([pointer, message]) => ({ tool: "t", pointer, message })));
  }
  const many = { ...entry, inputSchema: object(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, {}]))) };
  const { failure } = await refused([many], {}, { pins });
  expect(failure.details).toHaveLength(11);
  const unpinned = await refused([entry], {}, { pins: { tools: new Map() } });
  expect(unpinned.failure.details).toEqual([{ tool: "t", pointer: "", message: "has not been reviewed: no pin" }]);
  expect((await admitted([entry], { t: { effect: "hidden" } }, { pins: { tools: new Map() } })).tools).toEqual([]);
});

const pinned = (entry: object): ToolPin => {
  const { digest, definition } = pinOf(entry);
  return { digest, definition: JSON.parse(definition) as JsonObject };
};

proves("ADM-19", "a pin can be made of anything", () => {
  fc.assert(
    fc.property(fc.anything(), (tool) => {
      expect(pinOf(tool).digest).toMatch(/^[0-9a-f]{64}$/);
    }),
  );
});

proves("ADM-21", "other work has its turn while a long list is admitted", async () => {
  const published = Array.from({ length: 200 }, (_, index) => ({
    name: `t${index}`,
    inputSchema: object(
      Object.fromEntries(Array.from({ length: 30 }, (_unused, at) => [`turn${index}_${at}`, { type: "string" }])),
    ),
  }));
  let turns = 0;
  let done = false;
  const tick = (): void => {
    turns += 1;
    if (!done) setImmediate(tick);
  };
  setImmediate(tick);
  await admitted(published);
  done = true;
  expect(turns).toBeGreaterThan(5);
});

proves("ADM-21", "an aborted admission rejects with the reason and gives nothing", async () => {
  const reason = new Error("enough");
  const input = {
    alias: "a",
    connectionId: "a#1",
    published: [{ name: "t", inputSchema: { type: "object" } }],
    policy: new Map(),
  };
  await expect(admit(input, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const names = Array.from({ length: 500 }, (_, index) => `t${index}`);
  const published = names.map((name) => ({
    name,
    inputSchema: object(
      Object.fromEntries(Array.from({ length: 30 }, (_unused, at) => [`stop_${name}_${at}`, { type: "string" }])),
    ),
  }));
  const policy = new Map(names.map((name) => [name, { effect: "read" as const }]));
  const running = admit({ alias: "a", connectionId: "a#1", published, policy }, { signal: controller.signal });
  setImmediate(() => controller.abort(reason));
  await expect(running).rejects.toBe(reason);
});

proves("ADM-14", "the checks of one tool are independent of one another", async () => {
  const tool = await toolWith(object({ a: { type: "string" } }), { outputSchema: object({ a: { type: "number" } }) });
  expect([tool.checkArguments({ a: 1 }).length, tool.checkResult?.({ a: 1 }).length]).toEqual([1, 0]);
});
