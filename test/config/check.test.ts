// What `toolpool check` is told, and that its forecast of names is admission's own.
import fc from "fast-check";
import { expect } from "vitest";
import { checkConfig, isSound } from "../../config/check.ts";
import { exposedName, nameProblem } from "../../config/exposed-name.ts";
import { exposureName } from "../../daemon/admission/names.ts";
import { proves } from "../support/promise.ts";
import { FILE } from "./support.ts";

const TEXT = `{"mcpServers": {
  "alpha": {"command": "node", "tools": {
    "a": "read", "b": "read", "c": {"effect": "write"}, "d": "external", "e": "hidden",
    "${"long".repeat(20)}": "read",
    "same name": "read", "Same-Name": "read", "other": {"effect": "read", "as": "same_name"},
    "---": "read", "${"quiet".repeat(20)}": "hidden"}},
  "off": {"command": "node", "disabled": true, "tools": {}},
  "broken": {"command": "\${NONE}", "tools": {}}
}}`;

proves("CFG-17", "servers are valid, disabled or invalid, with their tools by effect and their faults", () => {
  const checked = checkConfig(TEXT, FILE, {});
  expect(checked).toMatchObject({
    kind: "checked",
    file: FILE,
    servers: [
      { alias: "alpha", status: "valid", type: "stdio", tools: { read: 7, write: 1, external: 1, hidden: 2 }, issues: [] },
      { alias: "off", status: "disabled", tools: { read: 0, write: 0, external: 0, hidden: 0 }, issues: [], warnings: [] },
      { alias: "broken", status: "invalid", issues: [{ pointer: "/mcpServers/broken/command", line: 8, column: 25 }] },
    ],
  });
  expect(isSound(checked)).toBe(false);
  expect(isSound(checkConfig('{"mcpServers": {}}', FILE, {}))).toBe(true);
  expect(isSound(checkConfig("{", FILE, {}))).toBe(false);
  expect(checkConfig("{", FILE, {})).toMatchObject({ kind: "refused", file: FILE, issues: [{ line: 1, column: 2 }] });
});

proves("CFG-17", "names that are too long, empty or taken are warned of with their place; hidden tools have none", () => {
  const checked = checkConfig(TEXT, FILE, {});
  const warnings = checked.kind === "checked" ? (checked.servers[0]?.warnings ?? []) : [];
  expect(warnings.map(({ line, column, message }) => `${line ?? 0}:${column ?? 0} ${message}`)).toEqual([
    expect.stringMatching(/^4:5 tool "long.*92 characters and 64 are allowed.*at most 52 characters/),
    '5:26 tool "Same-Name": its local name is that of "same name" too: give one of them another with "as"',
    '5:47 tool "other": its local name is that of "same name" too: give one of them another with "as"',
    expect.stringMatching(/^6:5 tool "---": nothing is left/),
  ]);
});

proves("CFG-17", "64 characters are a name and 65 are not", () => {
  const room = 64 - "mcp__a__".length;
  expect(nameProblem("a", "t".repeat(room), {})).toBeUndefined();
  expect(nameProblem("a", "t".repeat(room + 1), {})).toContain("65 characters");
  expect(nameProblem("a", "t", { as: "t".repeat(room) })).toBeUndefined();
  expect(nameProblem("a", "t", { as: "t".repeat(room + 1) })).toContain(`at most ${room} characters`);
});

proves("CFG-17", "the forecast of a name is what admission decides", () => {
  const alias = fc.stringMatching(/^[a-z][a-z0-9_]{0,31}$/);
  const tool = fc.oneof(
    fc.string({ maxLength: 70 }),
    fc.string({ unit: "binary" }),
    fc.stringMatching(/^[A-Za-z0-9_.\-/ ]{0,64}$/),
  );
  const as = fc.option(fc.stringMatching(/^[a-z0-9]([a-z0-9_]{0,60}[a-z0-9])?$/), { nil: undefined });
  fc.assert(
    fc.property(alias, tool, as, (alias, tool, as) => {
      const policy = as === undefined ? {} : { as };
      const decided = exposureName(alias, tool, as);
      expect(nameProblem(alias, tool, policy) === undefined).toBe(decided.kind === "name");
      if (decided.kind === "name") expect(exposedName(alias, tool, policy)).toBe(decided.name);
    }),
    { numRuns: 500 },
  );
});
