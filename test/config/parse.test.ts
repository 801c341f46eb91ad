// From text to configuration: the top of the file, its syntax, and what must hold for any text.
import fc from "fast-check";
import { expect } from "vitest";
import { checkConfig } from "../../config/check.ts";
import { parseConfig } from "../../config/parse.ts";
import { LIMIT_DEFAULTS, SERVER_DEFAULTS, type ConfigIssue } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { accepted, FILE, refused, servers, spec, saying } from "./support.ts";

proves("CFG-1", "what is left out takes the documented default", () => {
  const { digest, launchDigest, ...alpha } = spec({});
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(launchDigest).toMatch(/^[0-9a-f]{64}$/);
  expect(alpha).toEqual({
    alias: "alpha",
    type: "stdio",
    launch: { command: "node", args: [], env: {}, cwd: "/etc/pool" },
    written: { type: "stdio", command: "node", args: [], env: [], cwd: "." },
    tools: new Map(),
    sharing: "shared",
    reconnect: "manual",
    keepAlive: false,
    disabled: false,
    ...SERVER_DEFAULTS,
  });
  expect(accepted('{"mcpServers": {}}')).toEqual({ file: FILE, servers: new Map(), limits: LIMIT_DEFAULTS });
});

proves("CFG-1", "what is written is taken, and servers keep the order of the file", () => {
  const settings = {
    sharing: "session",
    reconnect: "backoff",
    keepAlive: true,
    disabled: true,
    description: "mine",
    concurrency: 1,
    queueLimit: 0,
    queueTimeoutMs: 2,
    lingerMs: 3,
    graceMs: 0,
    startupTimeoutMs: 4,
    installTimeoutMs: 0,
    toolTimeoutMs: 5,
    toolTotalMs: 2_147_483_647,
    maxResultBytes: 6,
    maxMessageBytes: 7,
  };
  expect(spec({ type: "stdio", ...settings })).toMatchObject(settings);
  const entry = { command: "node", tools: {} };
  expect([...servers({ zeta: entry, alpha: entry, "9": entry }).keys()]).toEqual(["9", "zeta", "alpha"]);
  const limits = { sessions: 1, drainMs: 0, versionsInMemory: 2 };
  expect(accepted(JSON.stringify({ limits, mcpServers: {} })).limits).toEqual(limits);
});

const SYNTAX: readonly (readonly [string, number, number, string])[] = [
  ['{"mcpServers": {', 1, 17, "ends too early"],
  ['{\n  "mcpServers": {}\n  "limits": {}}', 3, 3, "comma is missing"],
  ['{\r\n"mcpServers" {}}', 2, 14, "colon"],
  ["{\n'mcpServers': {}}", 2, 1, "double quotes"],
  ["{\r'mcpServers': {}}", 2, 1, "double quotes"],
  ["{mcpServers: {}}", 1, 2, "double quotes"],
  ['{"a": tOpSeCrEt}', 1, 7, "no JSON value"],
  ['{"a": "tOpSeCrEt\n"}', 1, 7, "not closed on its line"],
  ['{"a": "tOpSeCrEt\\x"}', 1, 7, "backslash"],
  ['{"a": "tOpSeCrEt\t"}', 1, 7, "control character"],
  ['{"a": 1} {"b": 2}', 1, 10, "goes on behind its end"],
  ["/* tOpSeCrEt", 1, 1, "comment is not closed"],
  ["{,}", 1, 2, "expected"],
];

proves("CFG-3", "each kind of syntax error has its place and its sentence, and shows nothing of the text", () => {
  for (const [text, line, column, message] of SYNTAX) {
    const issues = refused(text);
    expect(issues, text).toMatchObject([{ pointer: "", line, column, message: saying(message) }]);
    expect(JSON.stringify(issues)).not.toContain("tOpSeCrEt");
  }
});

proves("CFG-3", "brackets without end are refused before any parser recurses into them", () => {
  expect(refused("[".repeat(200_000))).toMatchObject([{ line: 1, column: 33, message: saying("inside each other") }]);
  expect(refused('{"a":'.repeat(200_000))).toMatchObject([{ line: 1 }]);
});

const one = (issues: readonly ConfigIssue[]): string => {
  expect(issues).toHaveLength(1);
  return `${issues[0]?.pointer ?? ""}: ${issues[0]?.message ?? ""}`;
};

proves("CFG-4", "an unknown key at the top refuses the file, with pointer, place and nearest key", () => {
  const issues = refused('{\n  "mcpServer": {},\n  "mcpServers": {}\n}');
  expect(issues).toEqual([
    { pointer: "/mcpServer", line: 2, column: 3, message: '"mcpServer" is not a known key; the nearest is "mcpServers"' },
  ]);
  expect(one(refused('{"mcpServers": {}, "limit": {}}'))).toBe('/limit: "limit" is not a known key; the nearest is "limits"');
  expect(one(refused('{"mcpServers": {}, "limits": {"drainMS": 1}}'))).toMatch(/^\/limits\/drainMS: .*"drainMs"$/);
  expect(one(refused('{"mcpServers": {}, "a/b~c": 1}'))).toMatch(/^\/a~1b~0c: /);
  expect(one(refused('{"mcpServers": {}, "__proto__": {}}'))).toMatch(/^\/__proto__: .*not a known key/);
});

proves("CFG-4", "the shape of another program is recognised", () => {
  const found = refused('{"servers": {"alpha": {"command": "node"}}}').map(({ pointer, message }) => `${pointer}: ${message}`);
  expect(found).toEqual([
    expect.stringMatching(/^\/mcpServers: "mcpServers" is missing/),
    expect.stringMatching(/^\/servers: .*write "mcpServers"/),
  ]);
});

proves("CFG-4", "a file of another shape, a wrong type and a limit out of range refuse the file", () => {
  for (const text of ["[]", "1", '"x"', "null", "true"]) expect(one(refused(text))).toMatch(/^: the file must hold an object/);
  expect(one(refused('{"mcpServers": []}'))).toMatch(/^\/mcpServers: .*must be an object/);
  expect(one(refused('{"mcpServers": null}'))).toMatch(/^\/mcpServers: .*must be an object/);
  expect(one(refused('{"mcpServers": {}, "limits": 1}'))).toMatch(/^\/limits: .*must be an object/);
  expect(one(refused('{"mcpServers": {}, "$schema": 1}'))).toMatch(/^\/\$schema: .*must be a string/);
  const bad = [
    ["sessions", 0],
    ["sessions", 1.5],
    ["sessions", "1"],
    ["drainMs", -1],
    ["drainMs", 2 ** 31],
    ["versionsInMemory", 0],
  ] as const;
  for (const [key, value] of bad) {
    const issues = refused(JSON.stringify({ mcpServers: {}, limits: { [key]: value } }));
    expect(one(issues)).toMatch(new RegExp(`^/limits/${key}: .*whole number`));
  }
});

proves("CFG-4", "every fault at the top is told at once, in the order of the file", () => {
  const issues = refused('{"x": 1,\n"mcpServers": [],\n"limits": {"sessions": 0,\n"y": 1}}');
  expect(issues.map(({ line, pointer }) => `${line ?? 0} ${pointer}`)).toEqual([
    "1 /x",
    "2 /mcpServers",
    "3 /limits/sessions",
    "4 /limits/y",
  ]);
});

proves("CFG-6", "a key twice at the top refuses the file", () => {
  expect(refused('{"mcpServers": {},\n"mcpServers": {}}')).toMatchObject([
    { pointer: "/mcpServers", line: 2, column: 1, message: saying("stands here twice (first in line 1)") },
  ]);
  expect(one(refused('{"mcpServers": {}, "limits": {"drainMs": 1, "drainMs": 2}}'))).toMatch(/^\/limits\/drainMs: .*twice/);
});

proves("CFG-6", "an alias twice, or a key twice anywhere in an entry, makes that server invalid and no other", () => {
  const entry = '{"command": "node", "tools": {}}';
  const { servers: found } = accepted(
    `{"mcpServers": {"twice": ${entry}, "good": ${entry},
      "twice": ${entry},
      "key": {"command": "node", "command": "deno", "tools": {}},
      "tool": {"command": "node", "tools": {"a": "read", "a": "write"}},
      "env": {"command": "node", "tools": {}, "env": {"A": "1", "\\u0041": "2"}}}}`,
  );
  expect([...found].map(([alias, { kind }]) => `${alias} ${kind}`)).toEqual([
    "twice invalid",
    "good valid",
    "key invalid",
    "tool invalid",
    "env invalid",
  ]);
  const pointers = [...found.values()].flatMap((server) => (server.kind === "invalid" ? server.issues : []));
  expect(pointers.map(({ pointer, line }) => `${pointer} ${line ?? 0}`)).toEqual([
    "/mcpServers/twice 2",
    "/mcpServers/key/command 3",
    "/mcpServers/tool/tools/a 4",
    "/mcpServers/env/env/A 5",
  ]);
});

proves("CFG-18", "neither noise nor a damaged file makes the loader throw or a fault without a sentence", () => {
  const sound = JSON.stringify({ mcpServers: { alpha: { command: "a${B:-c}", args: ["x"], tools: { t: { effect: "read" } } } } });
  const damaged = fc
    .tuple(fc.nat(sound.length), fc.nat(8), fc.string({ maxLength: 4, unit: "binary" }))
    .map(([at, length, put]) => sound.slice(0, at) + put + sound.slice(at + length));
  const anyServer = fc.dictionary(fc.string(), fc.jsonValue()).map((alpha) => JSON.stringify({ mcpServers: { alpha } }));
  const text = fc.oneof(damaged, anyServer, fc.json(), fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(text, (given) => {
      const loaded = parseConfig(given, FILE, {});
      const checked = checkConfig(given, FILE, {});
      const found =
        loaded.kind === "refused"
          ? loaded.issues
          : [...loaded.config.servers.values()].flatMap((server) => (server.kind === "invalid" ? server.issues : []));
      expect(checked.kind).toBe(loaded.kind === "ok" ? "checked" : "refused");
      if (loaded.kind === "refused") expect(found.length).toBeGreaterThan(0);
      for (const { message, line, column } of found) {
        expect(message).not.toBe("");
        expect(line).toBeGreaterThan(0);
        expect(column).toBeGreaterThan(0);
      }
    }),
    { numRuns: 300 },
  );
});
