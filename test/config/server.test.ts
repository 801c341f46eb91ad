// One server's entry: its settings, its alias, its tools, what is frozen and what its digest covers.
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { accepted, faults, server, servers, spec, saying } from "./support.ts";

proves("CFG-5", "every fault of an entry is found, each with its pointer, line and column; the neighbour is valid", () => {
  const { servers: found } = accepted(
    `{"mcpServers": {
  "alpha": {
    "comand": "node",
    "args": "x",
    "env": {"A": 1, "": "x", "B=C": "x"},
    "keepAlive": "yes",
    "concurrency": 0,
    "sharing": "share",
    "tools": {"a": "raed"}
  },
  "beta": {"command": "node", "tools": {}}
}}`,
  );
  expect(found.get("beta")?.kind).toBe("valid");
  const alpha = found.get("alpha");
  expect(alpha).toMatchObject({ kind: "invalid", alias: "alpha", type: "stdio" });
  const issues = alpha?.kind === "invalid" ? alpha.issues : [];
  expect(issues.map(({ line, column, pointer, message }) => `${line ?? 0}:${column ?? 0} ${pointer} ${message}`)).toEqual([
    expect.stringMatching(/^2:12 \/mcpServers\/alpha\/command "command" is missing/),
    '3:5 /mcpServers/alpha/comand "comand" is not a known key; the nearest is "command"',
    '4:13 /mcpServers/alpha/args "args" must be an array of strings, one for each argument',
    '5:18 /mcpServers/alpha/env/A the variable "A" must be a string: put it in double quotes',
    '5:21 /mcpServers/alpha/env/ "" cannot be the name of a variable',
    '5:30 /mcpServers/alpha/env/B=C "B=C" cannot be the name of a variable',
    '6:18 /mcpServers/alpha/keepAlive "keepAlive" must be true or false',
    '7:20 /mcpServers/alpha/concurrency "concurrency" must be a whole number from 1 to 2147483647',
    '8:16 /mcpServers/alpha/sharing "sharing" cannot be "share": it is one of "shared", "session"',
    expect.stringMatching(/^9:20 \/mcpServers\/alpha\/tools\/a the effect of "a" cannot be "raed": it is one of "read"/),
  ]);
});

proves("CFG-5", "an entry that is no object, or misses what is required, says what it must have", () => {
  for (const entry of [null, 1, "node", [], true]) {
    const found = servers({ alpha: entry }).get("alpha");
    expect(found).toMatchObject({
      kind: "invalid",
      issues: [{ pointer: "/mcpServers/alpha", message: saying(/must be an object/) }],
    });
  }
  expect(faults({ tools: undefined })).toEqual([
    expect.stringMatching(/^\/mcpServers\/alpha\/tools: "tools" is missing: .*\{\}/),
  ]);
  expect(faults({ tools: [] })).toEqual([expect.stringMatching(/^\/mcpServers\/alpha\/tools: .*must be an object/)]);
  expect(faults({ command: " " })).toEqual([expect.stringMatching(/^\/mcpServers\/alpha\/command: .*is empty/)]);
  expect(faults({ args: ["a", 1, null] })).toEqual([
    expect.stringMatching(/^\/mcpServers\/alpha\/args\/1: argument 2 must be a string: put it in double quotes/),
    expect.stringMatching(/^\/mcpServers\/alpha\/args\/2: argument 3 must be a string/),
  ]);
});

proves("CFG-5", "numbers are whole and in their range", () => {
  const least = {
    ...{ concurrency: 1, queueLimit: 0, queueTimeoutMs: 1, lingerMs: 0, graceMs: 0, startupTimeoutMs: 1 },
    ...{ toolTimeoutMs: 1, toolTotalMs: 1, maxResultBytes: 1, maxMessageBytes: 1 },
  };
  for (const [key, lowest] of Object.entries(least)) {
    expect(spec({ [key]: lowest })).toMatchObject({ [key]: lowest });
    for (const bad of [lowest - 1, 1.5, 2 ** 31, "1", null, true]) {
      expect(faults({ [key]: bad }), key).toEqual([
        `/mcpServers/alpha/${key}: "${key}" must be a whole number from ${lowest} to 2147483647`,
      ]);
    }
  }
});

proves("CFG-5", "keys of other programs' files are met with what to write instead, and __proto__ is an unknown key", () => {
  expect(faults({ enabled: true })).toEqual([expect.stringContaining('"disabled": true')]);
  expect(faults({ timeout: 5 })).toEqual([expect.stringContaining("toolTimeoutMs")]);
  expect(faults({ alwaysAllow: [] })).toEqual([expect.stringContaining('"approval": "allow"')]);
  const { servers: found } = accepted(
    '{"mcpServers": {"alpha": {"command": "node", "tools": {}, "__proto__": {"disabled": true}}}}',
  );
  expect(found.get("alpha")).toMatchObject({ kind: "invalid", issues: [{ pointer: "/mcpServers/alpha/__proto__" }] });
});

proves("CFG-7", "names that are no aliases are listed as invalid, as they stand, with the rule and an example", () => {
  const entry = { command: "node", tools: {} };
  for (const name of ["My Server", "1st", "_x", "a-b", "", "é", "A", "a".repeat(33), "constructor.name"]) {
    const found = servers({ [name]: entry, good: entry });
    expect(found.get(name), name).toMatchObject({
      kind: "invalid",
      alias: name,
      issues: [{ message: saying(/cannot be the alias/) }],
    });
    expect(found.get("good")?.kind).toBe("valid");
  }
  expect(servers({ "My Server": entry }).get("My Server")).toMatchObject({
    issues: [{ message: saying(/for example "my_server"/) }],
  });
  for (const alias of ["a", "a".repeat(32), "constructor", "a_1"])
    expect(servers({ [alias]: entry }).get(alias)?.kind).toBe("valid");
});

proves("CFG-7", "__proto__ as a server, a variable and a tool is data", () => {
  const { servers: found } = accepted(
    `{"mcpServers": {"__proto__": {"command": "node", "tools": {}}, "alpha":
      {"command": "node", "env": {"__proto__": "x"}, "tools": {"__proto__": "read", "constructor": {"effect": "hidden"}}}}}`,
  );
  expect([...found.keys()]).toEqual(["__proto__", "alpha"]);
  expect(found.get("__proto__")).toMatchObject({ kind: "invalid", issues: [{ pointer: "/mcpServers/__proto__" }] });
  const alpha = found.get("alpha");
  if (alpha?.kind !== "valid") throw new Error("invalid");
  expect(Object.entries(alpha.spec.launch.env)).toEqual([["__proto__", "x"]]);
  expect(Object.getPrototypeOf(alpha.spec.launch.env)).toBe(Object.prototype);
  expect([...alpha.spec.tools.keys()]).toEqual(["__proto__", "constructor"]);
});

proves("CFG-7", "a long name is cut; two that are alike so far are one entry with both faults", () => {
  const long = "x".repeat(100);
  const found = servers({ [`${long}1`]: {}, [`${long}2`]: null });
  expect([...found.keys()]).toEqual(["x".repeat(64)]);
  const [kept] = found.values();
  const pointers = kept?.kind === "invalid" ? new Set(kept.issues.map(({ pointer }) => pointer.slice(0, 113))) : new Set();
  expect(pointers).toEqual(new Set([`/mcpServers/${long}1`, `/mcpServers/${long}2`]));
});

proves("CFG-9", "an effect alone and a full policy are read, in the order of the file", () => {
  const full = { effect: "write", as: "short_1", timeoutMs: 5, concurrent: false, approval: "ask" };
  const { tools } = spec({ tools: { b: "read", a: full, c: "external", d: "hidden", e: { effect: "read" }, "": "read" } });
  expect([...tools]).toEqual([
    ["b", { effect: "read" }],
    ["a", full],
    ["c", { effect: "external" }],
    ["d", { effect: "hidden" }],
    ["e", { effect: "read" }],
    ["", { effect: "read" }],
  ]);
});

proves("CFG-9", "every slip in a policy is told with its pointer", () => {
  const at = "/mcpServers/alpha/tools/t";
  const cases: readonly (readonly [unknown, string, string])[] = [
    ["Read", at, 'cannot be "Read"'],
    [true, at, "must be one of"],
    [null, at, "must be one of"],
    [["read"], at, "must be one of"],
    [{}, `${at}/effect`, "is missing"],
    [{ effect: "safe" }, `${at}/effect`, 'cannot be "safe"'],
    [{ effect: "read", aproval: "ask" }, `${at}/aproval`, 'the nearest is "approval"'],
    [{ effect: "read", approval: "never" }, `${at}/approval`, "it is one of"],
    [{ effect: "read", timeoutMs: 0 }, `${at}/timeoutMs`, "whole number from 1"],
    [{ effect: "read", concurrent: 1 }, `${at}/concurrent`, "true or false"],
    [{ effect: "read", as: 1 }, `${at}/as`, "must be a string"],
    ...["", "_a", "a_", "_", "A", "a-b", "a b", "é"].map(
      (as) => [{ effect: "read", as }, `${at}/as`, "no _ at either end"] as const,
    ),
  ];
  for (const [policy, pointer, message] of cases) {
    expect(faults({ tools: { t: policy, fine: "read" } }), JSON.stringify(policy)).toEqual([
      expect.stringMatching(new RegExp(`^${pointer}: .*${message}`)),
    ]);
  }
  for (const as of ["a", "0", "a_b", "a__b", "9_9"])
    expect(spec({ tools: { t: { effect: "read", as } } }).tools.get("t")?.as).toBe(as);
});

proves("CFG-11", "kinds of other releases are recognised, others are listed against the valid ones", () => {
  for (const type of ["http", "streamable-http", "streamableHttp", "sse", "ws"]) {
    expect(server({ type, command: undefined, url: "https://example.org/mcp", headers: { A: "b" } })).toMatchObject({
      kind: "invalid",
      type,
      issues: [{ pointer: "/mcpServers/alpha/type", message: saying(/this release runs stdio servers only/) }],
    });
  }
  expect(server({ type: "carrier-pigeon" })).toMatchObject({
    type: "carrier-pigeon",
    issues: [{ message: saying(/it is one of "stdio"/) }],
  });
  expect(server({ type: 1 })).toMatchObject({
    kind: "invalid",
    type: "stdio",
    issues: [{ message: saying(/must be a string/) }],
  });
});

proves("CFG-11", "a url without a type is a remote server, and a url beside a command is a fault", () => {
  const remote = server({ command: undefined, url: "https://example.org/mcp" });
  expect(remote).toMatchObject({
    type: "http",
    issues: [{ pointer: "/mcpServers/alpha/url", message: saying(/stdio servers only/) }],
  });
  expect(server({ url: "https://example.org/mcp" })).toMatchObject({
    type: "stdio",
    issues: [{ pointer: "/mcpServers/alpha/url" }],
  });
});

proves("CFG-12", "each setting and each expanded value changes the digest", () => {
  const base = { args: ["a"], env: { A: "${V}", B: "x" }, tools: { t: "read", u: "write" } };
  const env = { V: "1", COMMAND: "node" };
  const { digest } = spec(base, env);
  const changes: readonly Readonly<Record<string, unknown>>[] = [
    { command: "deno" },
    { args: ["b"] },
    { args: ["a", ""] },
    { env: { A: "${V}" } },
    { cwd: "elsewhere" },
    { tools: { t: "read" } },
    { tools: { t: "read", u: "external" } },
    { tools: { t: "read", u: { effect: "write", timeoutMs: 5 } } },
    { sharing: "session" },
    { reconnect: "backoff" },
    { keepAlive: true },
    { disabled: true },
    ...["concurrency", "queueLimit", "queueTimeoutMs", "lingerMs", "graceMs", "startupTimeoutMs", "toolTimeoutMs"].map((key) => ({
      [key]: 7,
    })),
    ...["toolTotalMs", "maxResultBytes", "maxMessageBytes"].map((key) => ({ [key]: 7 })),
  ];
  const digests = changes.map((change) => spec({ ...base, ...change }, env).digest);
  expect(new Set([digest, ...digests]).size).toBe(changes.length + 1);
  expect(spec(base, { ...env, V: "2" }).digest).not.toBe(digest);
});

proves("CFG-12", "what does not matter to a running connection leaves the digest as it is", () => {
  const env = { V: "node" };
  const { digest } = spec({ command: "node", env: { A: "1", B: "2" }, tools: { t: "read", u: "write" } }, env);
  const alike: readonly Readonly<Record<string, unknown>>[] = [
    { description: "words" },
    { type: "stdio", sharing: "shared", cwd: "." },
    { env: { B: "2", A: "1" } },
    { tools: { u: "write", t: { effect: "read" } } },
    { command: "${V}" },
  ];
  for (const change of alike)
    expect(spec({ command: "node", env: { A: "1", B: "2" }, tools: { t: "read", u: "write" }, ...change }, env).digest).toBe(
      digest,
    );
});

proves("CFG-13", "every object of a configuration is frozen", () => {
  const config = accepted(
    JSON.stringify({
      limits: { sessions: 5 },
      mcpServers: { alpha: { command: "x", args: ["a"], env: { A: "b" }, tools: { t: { effect: "read", as: "u" } } }, beta: {} },
    }),
  );
  const open: unknown[] = [config];
  let seen = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    seen += 1;
    if (value instanceof Map) for (const held of value.values() as Iterable<unknown>) open.push(held);
    else {
      expect(Object.isFrozen(value), JSON.stringify(value)).toBe(true);
      for (const held of Object.values(value) as unknown[]) open.push(held);
    }
  }
  expect(seen).toBeGreaterThan(10);
});
