// Work is bounded: patterns, formats, and checks of values whose cost the server could drive up. Nothing here looks at a clock:
// work is read off the step counter, or would not end at all.
import { expect } from "vitest";
import { CHECK_STEPS } from "../../daemon/admission/limits.ts";
import { unfoldedSize } from "../../daemon/admission/pattern-size.ts";
import { LinearPattern, PatternShelf } from "../../daemon/admission/patterns.ts";
import { steps, withSteps } from "../../daemon/admission/steps.ts";
import { proves } from "../support/promise.ts";
import { admitted, object, toolWith } from "./offer.ts";

const TOO_MANY = [{ pointer: "", message: "takes too many steps to check against the schema" }];

/** Steps of one run. */
function work(run: () => void): number {
  return withSteps(CHECK_STEPS.fast, () => {
    run();
    return CHECK_STEPS.fast - steps.left;
  });
}

proves("ADM-15", "patterns that blow up a backtracking engine take work in proportion to the text", async () => {
  for (const source of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$", "a{1,50}b"]) {
    const pattern = new PatternShelf().find(source);
    expect(pattern, source).toBeInstanceOf(LinearPattern);
    const text = (length: number) => `${"a".repeat(length)}!`;
    const short = work(() => pattern?.test(text(1_000)));
    const long = work(() => pattern?.test(text(100_000)));
    expect(long / short, source).toBeLessThan(101);
  }
  // A backtracking engine would need 2^100000 attempts here.
  const { checkArguments } = await toolWith(object({ a: { pattern: "^(a+)+$" } }, { patternProperties: { "^(b+)+$": {} } }));
  expect(checkArguments({ a: `${"a".repeat(100_000)}!`, [`${"b".repeat(10_000)}!`]: 1 })).toEqual([
    { pointer: "/a", message: "must match the pattern of the schema" },
  ]);
});

proves("ADM-15", "patterns of one schema are kept apart", async () => {
  const { checkArguments } = await toolWith(
    object({ a: { pattern: "^a$" }, b: { pattern: "^b$" }, c: { pattern: "^\\u0063$" } }),
  );
  expect(checkArguments({ a: "a", b: "b", c: "c" })).toEqual([]);
  expect(checkArguments({ a: "b", b: "a", c: "d" })).toHaveLength(3);
});

proves(
  "ADM-15",
  "what cannot run in linear time or within bounds is noted and not asserted, and nothing else is lost",
  async () => {
    const sources = [
      "(?=a)b",
      "(a)\\1",
      "(?<n>a)\\k<n>",
      "[",
      "x{1000}".repeat(100),
      "((a{30}){30}){30}",
      "(?:[a-z]{1,40}\\.){60}",
    ];
    for (const source of sources) {
      expect(new PatternShelf().find(source), source).toBeUndefined();
      const inputSchema = object({ a: { type: "string", minLength: 2, pattern: source } });
      const { tools, notes } = await admitted([{ name: "t", inputSchema }]);
      expect(notes).toEqual([
        {
          tool: "t",
          pointer: "/inputSchema/properties/a/pattern",
          message: "a pattern cannot be run in linear time and within bounds: not checked here",
        },
      ]);
      expect(tools[0]?.checkArguments({ a: "anything" })).toEqual([]);
      expect(tools[0]?.checkArguments({ a: "x" })).toHaveLength(1);
    }
  },
);

proves("ADM-15", "a pattern that is not asserted never turns a good value into a bad one", async () => {
  const look = { pattern: "(?!x)" };
  const { checkArguments } = await toolWith(
    object(
      {
        not: { not: { type: "string", ...look } },
        if: { if: look, then: { const: "then" } },
        oneOf: { oneOf: [{ type: "string", ...look }, { type: "string" }] },
        maxContains: { contains: look, maxContains: 1 },
        map: object({}, { patternProperties: { "(?!x)": {} }, additionalProperties: false }),
        deep: object({}, { allOf: [{ patternProperties: { "(?!x)": {} } }], unevaluatedProperties: false }),
        viaRef: { not: { $ref: "#/$defs/look" } },
      },
      { $defs: { look: { allOf: [look] } } },
    ),
  );
  const good = { not: "a", if: "a", oneOf: "a", maxContains: ["a", "b"], map: { a: 1 }, deep: { a: 1 }, viaRef: "a" };
  expect(checkArguments(good)).toEqual([]);
  expect(checkArguments({ oneOf: 1 })).not.toEqual([]);
});

proves("ADM-15", "the estimate of a pattern's size is not below its program", () => {
  const shelf = new PatternShelf();
  for (const source of [
    "a",
    "a{3}",
    "(ab){2,5}",
    "[a-z0-9]{1,63}",
    "\\p{L}{2}",
    "(?:a|b{4}){3}",
    "^a?b*c+$",
    "\\x{41}{2}",
    "a{,3}",
    "x{2}{3}",
  ]) {
    const size = unfoldedSize(source) ?? 0;
    expect(size * 3 + 8, source).toBeGreaterThanOrEqual(shelf.find(source)?.size ?? 0);
  }
});

proves("ADM-15", "long texts meet no format that takes more than proportional work", async () => {
  const formats = [
    "uri",
    "url",
    "email",
    "date-time",
    "uri-reference",
    "uri-template",
    "json-pointer",
    "regex",
    "byte",
    "duration",
    "uuid",
  ];
  const { checkArguments } = await toolWith(object(Object.fromEntries(formats.map((format) => [format, { format }]))));
  // The stock `url` is quadratic in the colons: 10^11 steps for this text.
  const text = `http://${"a:".repeat(250_000)} `;
  const issues = checkArguments(Object.fromEntries(formats.map((format) => [format, text])));
  expect(issues.map((issue) => issue.pointer)).toContain("/url");
});

proves("ADM-15", "recursion under two branches ends, with a result that the server chose too", async () => {
  const branch = (title: string) => ({ title, type: "object", properties: { x: { $ref: "#/$defs/node" } } });
  const outputSchema = object({ r: { $ref: "#/$defs/node" } }, { $defs: { node: { anyOf: [branch("a"), branch("b")] } } });
  let value: unknown = 5;
  for (let level = 0; level < 200; level++) value = { x: value };
  const { checkResult } = await toolWith({ type: "object" }, { outputSchema });
  expect(checkResult?.({ r: value })).toEqual(TOO_MANY);
  // It ends by the errors it holds, which double with every level, long before the steps are spent.
  expect(CHECK_STEPS.fast - steps.left).toBeLessThan(CHECK_STEPS.fast / 10);
  expect(checkResult?.({ r: { x: { x: {} } } })).toEqual([]);
});

proves("ADM-15", "references that double with every step end too", async () => {
  const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`d${index}`, twice(`d${index + 1}`)]));
  const { checkArguments } = await toolWith(
    object({ a: { $ref: "#/$defs/d0" } }, { $defs: { ...$defs, d60: { type: "string" } } }),
  );
  expect(checkArguments({ a: "x" })).toEqual(TOO_MANY);
});

proves("ADM-15", "unique items and wide enums are compared by content, not pair by pair", async () => {
  const wide = Array.from({ length: 2_000 }, (_, index) => ({ id: index }));
  const { checkResult } = await toolWith(
    { type: "object" },
    { outputSchema: object({ unique: { uniqueItems: true }, wide: { items: { enum: wide } } }) },
  );
  // Pair by pair: 10^10 and 2 × 10^8 comparisons of objects.
  const many = Array.from({ length: 100_000 }, (_, index) => ({ id: index }));
  expect(checkResult?.({ unique: many, wide: many.map(({ id }) => ({ id: id % 2_000 })) })).toEqual([]);
  expect(checkResult?.({ unique: [...many, { id: 7 }] })).toHaveLength(1);
});

proves("ADM-15", "a value nested without end is refused, not followed", async () => {
  const { checkArguments } = await toolWith(object({ next: { $ref: "#" } }));
  let value: unknown = {};
  for (let level = 0; level < 200_000; level++) value = { next: value };
  expect(checkArguments(value)).toEqual([{ pointer: "", message: "is nested too deeply to be checked" }]);
  expect(checkArguments({ next: {} })).toEqual([]);
});

proves("ADM-15", "a hundred thousand mismatches are not collected", async () => {
  const { checkArguments } = await toolWith(object({ list: { items: { type: "string" } } }));
  const issues = checkArguments({ list: Array.from({ length: 100_000 }, (_, index) => index) });
  expect(issues.length).toBeGreaterThan(0);
  expect(issues.length).toBeLessThanOrEqual(10);
});

proves("ADM-15", "one large definition referred to hundreds of times is compiled once", async () => {
  const big = object(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: "string" }])));
  const users = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`u${index}`, { $ref: "#/$defs/big" }]));
  const { checkArguments } = await toolWith(object(users, { $defs: { big } }));
  expect(checkArguments({ u499: { p499: 1 } })).toEqual([{ pointer: "/u499/p499", message: "must be string" }]);
});
