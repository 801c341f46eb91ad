// A list that is read again and again: memory stays flat, and what nobody uses is gone.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { schemasInUse } from "../../daemon/admission/schema-judge.ts";
import { proves } from "../support/promise.ts";
import { admitted, object, type Admitted } from "./offer.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function heap(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    collect();
    // Weak references are cleared between turns.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

const MIB = 1024 * 1024;

/** A fresh list each time, as after parsing; `round` makes its schemas differ. */
function list(tools: number, round = 0): unknown[] {
  const schema = (index: number) =>
    object({
      [`p${index}`]: { type: "string", pattern: `^[a-z]{${(index % 9) + 1}}$` },
      query: { type: "string", default: round },
    });
  return Array.from({ length: tools }, (_, index) => ({
    name: `tool_${index}`,
    description: "x".repeat(100),
    inputSchema: schema(index),
  }));
}

proves(
  "ADM-18",
  "a thousand refreshes of 300 tools: the heap is flat and no schema is compiled again",
  async () => {
    let current: Admitted | undefined;
    let previous: Admitted | undefined;
    const refresh = async (times: number): Promise<void> => {
      for (let round = 0; round < times; round++) {
        previous = current;
        current = await admitted(list(300));
      }
    };
    await refresh(100);
    const before = await heap();
    await refresh(900);
    expect((await heap()) - before).toBeLessThan(4 * MIB);
    expect(current?.tools.map((tool) => tool.checkArguments)).toEqual(previous?.tools.map((tool) => tool.checkArguments));
    expect(current?.tools[0]?.view.inputSchema).toBe(previous?.tools[0]?.view.inputSchema);
  },
  240_000,
);

proves(
  "ADM-18",
  "refreshes that differ each time leave nothing behind",
  async () => {
    let current: Admitted | undefined;
    const refresh = async (from: number, to: number): Promise<void> => {
      for (let round = from; round < to; round++) current = await admitted(list(20, round));
    };
    await refresh(1, 60);
    const before = await heap();
    await refresh(60, 180);
    expect((await heap()) - before).toBeLessThan(4 * MIB);
    expect(current?.tools).toHaveLength(20);
    current = undefined;
    await heap();
    expect(schemasInUse.size).toBeLessThan(20);
  },
  240_000,
);

proves("ADM-18", "equal schemas of different tools and servers are one; a mismatch in one does not show in another", async () => {
  const inputSchema = object({ only: { type: "string" } });
  const one = await admitted([
    { name: "a", inputSchema },
    { name: "b", inputSchema: structuredClone(inputSchema) },
  ]);
  const two = await admitted(
    [{ name: "c", inputSchema: structuredClone(inputSchema) }],
    {},
    { alias: "beta", connectionId: "beta#1" },
  );
  const checks = [...one.tools, ...two.tools].map((tool) => tool.checkArguments);
  expect(new Set(checks).size).toBe(1);
  expect(checks[0]?.({ only: 1 })).toHaveLength(1);
  expect(checks[1]?.({ only: "x" })).toEqual([]);
});
