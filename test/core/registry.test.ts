import fc from "fast-check";
import { expect } from "vitest";
import { managementSet } from "../../daemon/sessions/management.ts";
import { bind, type Binding } from "../../daemon/registry/bind.ts";
import { RegistryReader, type Past } from "../../daemon/registry/reads.ts";
import { Registry } from "../../daemon/registry/registry.ts";
import { RegistryError, type Commit } from "../../daemon/registry/types.ts";
import { proves } from "../support/promise.ts";
import { toolset } from "./toolsets.ts";

const NO_PAST: Past = { versions: () => [], version: () => undefined, attachments: () => [] };
const LEAD = { id: "s1", lead: true };

function newRegistry(options: { firstVersion?: number; versionsInMemory?: number; watchBuffer?: number } = {}): {
  registry: Registry;
  commits: Commit[];
  reader: RegistryReader;
} {
  const commits: Commit[] = [];
  const registry = new Registry({
    firstVersion: 1,
    versionsInMemory: 16,
    management: managementSet([]),
    now: () => new Date("2026-01-01T00:00:00.000Z"),
    onCommit: (commit) => commits.push(commit),
    ...options,
  });
  return { registry, commits, reader: new RegistryReader(registry, NO_PAST, "pool") };
}

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (error) {
    if (error instanceof RegistryError) return error.code;
    throw error;
  }
  return undefined;
};

proves("CORE-1", "publish with the first attachment is one version, and repeating it changes nothing", () => {
  const { registry, commits } = newRegistry();
  const alpha = toolset("alpha#1", ["b", "a"]);
  expect(registry.publish("connect alpha#1", alpha, { kind: "attach", session: "s1", alias: "alpha" })).toBe(2);
  expect(registry.current.row).toEqual({
    version: 2,
    at: "2026-01-01T00:00:00.000Z",
    cause: "connect alpha#1",
    added: ["mcp__alpha__a", "mcp__alpha__b"],
    removed: [],
    changed: [],
    digest: registry.current.row.digest,
  });
  expect(registry.attach("attach alpha", "s1", "alpha")).toBe(2);
  expect(registry.detach("detach alpha", "s2", "alpha")).toBe(2);
  expect(commits.map((commit) => commit.state.version)).toEqual([1, 2]);
  expect(commits[1]?.attached).toEqual([["s1", "alpha"]]);
});

proves("CORE-1", "a step with one bad change takes none of the good ones", () => {
  const { registry } = newRegistry();
  registry.publish("", toolset("alpha#1", ["a"]));
  const before = registry.current;
  const step = (): unknown =>
    registry.commit("", [
      { kind: "publish", toolset: toolset("beta#1", ["a"]) },
      { kind: "attach", session: "s1", alias: "beta" },
      { kind: "publish", toolset: toolset("alpha#1", ["z"]) },
    ]);
  expect(codeOf(step)).toBe("already_registered");
  expect(registry.current).toBe(before);
  // The name index was not touched either: beta's name is still free.
  expect(codeOf(() => registry.publish("", toolset("beta#1", ["a"])))).toBeUndefined();
});

proves("CORE-2", "a withdrawal by a former toolset leaves the successor alone", () => {
  const { registry } = newRegistry();
  const first = toolset("alpha#1", ["a"]);
  const second = toolset("alpha#1", ["a", "b"]);
  registry.publish("", first);
  registry.replace("", first, second);
  const before = registry.current;
  expect(codeOf(() => registry.withdraw("", first))).toBe("not_registered");
  expect(codeOf(() => registry.replace("", first, second))).toBe("not_registered");
  expect(registry.current).toBe(before);
  // Equal content is not the same toolset.
  expect(codeOf(() => registry.withdraw("", toolset("alpha#1", ["a", "b"])))).toBe("not_registered");
  registry.withdraw("", second);
  expect(registry.current.toolsets.size).toBe(0);
});

proves("CORE-3", "whatever order servers and tools come in, the bytes are the same, sorted by code units", () => {
  const servers = [toolset("alpha#1", ["b", "a", "Z"]), toolset("beta#1", ["a_b", "ab", "a"]), toolset("gamma#1", ["x"])];
  const bytes = (order: readonly number[]): string => {
    const { registry, reader } = newRegistry();
    for (const at of order) {
      const next = servers[at];
      if (next !== undefined) registry.publish("", next, { kind: "attach", session: "s1", alias: next.alias });
    }
    return reader.view(LEAD).toolsJson + reader.view(LEAD).digest + registry.current.row.digest;
  };
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), (order) => {
      expect(bytes(order)).toBe(bytes([0, 1, 2]));
    }),
  );
  const { registry, reader } = newRegistry();
  for (const set of servers) registry.publish("", set);
  const text: unknown = JSON.parse(reader.snapshot(registry.version).json);
  const names = (text as { tools: { name: string }[] }).tools.map((tool) => tool.name);
  expect(names).toEqual([...names].sort());
  expect(Object.isFrozen(registry.current)).toBe(true);
  expect(Object.isFrozen(servers[0]?.tools[0]?.view.inputSchema)).toBe(true);
});

proves("CORE-4", "a commit shares what it does not touch, and the view of another server's change is the same text", () => {
  const { registry, reader } = newRegistry();
  const alpha = toolset("alpha#1", ["a"]);
  registry.publish("", alpha, { kind: "attach", session: "s1", alias: "alpha" });
  const before = registry.current;
  const view = reader.view(LEAD);
  registry.publish("", toolset("beta#1", ["b"]), { kind: "attach", session: "s2", alias: "beta" });
  expect(registry.current.toolsets.get("alpha#1")).toBe(alpha);
  expect(registry.current.attachments.get("s1")).toBe(before.attachments.get("s1"));
  expect(before.toolsets.size).toBe(1);
  expect(reader.view(LEAD)).toEqual({ ...view, version: 3 });
});

proves("CORE-5", "future, floor, answer: in memory down to the floor, from the journal below it", () => {
  const past = new Registry({ firstVersion: 1, versionsInMemory: 1, management: managementSet([]), now: () => new Date(0) });
  const { registry } = newRegistry({ firstVersion: 11, versionsInMemory: 3 });
  const reader = new RegistryReader(
    registry,
    {
      ...NO_PAST,
      version: (version) =>
        version === 11 ? { row: past.current.row, toolsets: [], management: { digest: "", tools: [] } } : undefined,
    },
    "pool",
  );
  for (const n of [1, 2, 3, 4]) registry.publish("", toolset(`alpha#${n}`, [`t${n}`]));
  expect([registry.version, registry.floor]).toEqual([15, 13]);
  expect(registry.at(16)).toEqual({ kind: "future" });
  expect(registry.at(12)).toEqual({ kind: "below_floor" });
  expect(registry.at(13).kind).toBe("state");
  expect(JSON.parse(reader.snapshot(11).json)).toMatchObject({ tools: [] });
  const data = (version: number): unknown => {
    try {
      return reader.snapshot(version);
    } catch (error) {
      return (error as { reason: string; data: unknown }).reason === "unknown_version"
        ? (error as { data: unknown }).data
        : error;
    }
  };
  expect(data(16)).toEqual({ latest: 15, floor: 13 });
  expect(data(10)).toEqual({ latest: 15, floor: 13 });
});

proves("CORE-6", "every version once and in order, across replay and following", async () => {
  const { registry, reader } = newRegistry();
  registry.publish("", toolset("alpha#1", ["a"]));
  const abort = new AbortController();
  const seen: number[] = [];
  const watch = reader.watch(1, abort.signal)[Symbol.asyncIterator]();
  registry.publish("", toolset("beta#1", ["b"]));
  while (seen.length < 3) {
    const next = await watch.next();
    if (next.done === true) break;
    if (next.value.kind === "version") seen.push(next.value.row.version);
    if (seen.length === 2) registry.publish("", toolset("gamma#1", ["c"]));
  }
  expect(seen).toEqual([2, 3, 4]);
  registry.endFollowers();
  expect((await watch.next()).value).toEqual({ kind: "closing" });
  expect((await watch.next()).done).toBe(true);
  expect(registry.followers).toBe(0);
  expect(() => reader.watch(99, abort.signal)).toThrow("Version 99 is not known");
});

proves("CORE-6", "a reader that does not keep up lags instead of growing, and an abort leaves nothing", async () => {
  const { registry } = newRegistry({ watchBuffer: 4, versionsInMemory: 100 });
  const abort = new AbortController();
  const slow = registry.follow(abort.signal);
  for (let n = 1; n <= 20; n++) registry.publish("", toolset(`alpha#${n}`, [`t${n}`]));
  expect((await slow.next()).value).toEqual({ kind: "lagging", version: registry.version });
  registry.publish("", toolset("beta#1", ["b"]));
  expect((await slow.next()).value).toMatchObject({ kind: "version", row: { version: registry.version } });
  const waiting = slow.next();
  abort.abort();
  expect((await waiting).done).toBe(true);
  // One that was never read leaves as well.
  const second = new AbortController();
  registry.follow(second.signal);
  expect(registry.followers).toBe(1);
  second.abort();
  expect(registry.followers).toBe(0);
});

proves(
  "CORE-7",
  "alias a__b with tool c and alias a with tool b__c: the second is refused, the first stays, and nothing is split back",
  () => {
    const { registry } = newRegistry();
    const first = toolset("a__b#1", ["c"]);
    registry.publish("", first);
    expect(codeOf(() => registry.publish("", toolset("a#1", ["b__c", "other"])))).toBe("name_collision");
    expect([...registry.current.toolsets.values()]).toEqual([first]);
    // The name is free again when its holder has left, in the same step too.
    registry.commit("", [
      { kind: "withdraw", toolset: first },
      { kind: "publish", toolset: toolset("a#1", ["b__c"]) },
    ]);
    expect([...registry.current.toolsets.keys()]).toEqual(["a#1"]);
    // Connections of one alias share their names.
    expect(codeOf(() => registry.publish("", toolset("a#2", ["b__c"], "s2")))).toBeUndefined();
  },
);

proves("CORE-8", "each way a tag can be stale has its reason", () => {
  const { registry } = newRegistry({ versionsInMemory: 8 });
  const first = toolset("alpha#1", { same: {}, other: {}, gone: {} });
  const connected = registry.publish("", first, { kind: "attach", session: "s1", alias: "alpha" });
  const call = (name: string, version: number, viewer = LEAD): Binding =>
    bind({ viewer, name, seen: registry.at(version), current: registry.current });
  const reason = (binding: Binding): string => (binding.kind === "refused" ? binding.reason : binding.kind);
  expect(reason(call("mcp__alpha__same", connected))).toBe("remote");
  expect(reason(call("mcp__alpha__same", connected - 1))).toBe("not_in_snapshot");
  expect(reason(call("mcp__alpha__same", connected + 1))).toBe("version_unknown");
  expect(reason(call("mcp__alpha__same", connected, { id: "s1", lead: false }))).toBe("not_in_snapshot");
  expect(reason(call("mcp__alpha__same", connected, { id: "s2", lead: true }))).toBe("not_in_snapshot");

  const second = toolset("alpha#1", { same: {}, other: { description: "now another" } });
  registry.replace("", first, second);
  expect(reason(call("mcp__alpha__same", connected))).toBe("remote");
  expect(reason(call("mcp__alpha__other", connected))).toBe("replaced");
  expect(reason(call("mcp__alpha__gone", connected))).toBe("withdrawn");

  const replaced = registry.version;
  registry.attach("", "s2", "alpha");
  registry.detach("", "s1", "alpha");
  expect(reason(call("mcp__alpha__same", replaced))).toBe("withdrawn");
  registry.attach("", "s1", "alpha");
  expect(reason(call("mcp__alpha__same", replaced))).toBe("remote");
  // A reconnect is another connection, even with the same tools.
  registry.commit("", [
    { kind: "withdraw", toolset: second },
    { kind: "publish", toolset: toolset("alpha#2", { same: {} }) },
  ]);
  expect(reason(call("mcp__alpha__same", replaced))).toBe("withdrawn");
  expect(reason(call("mcp__alpha__same", registry.version))).toBe("remote");
  for (let n = 0; n < 10; n++) registry.attach("", `x${n}`, "alpha");
  expect(reason(call("mcp__alpha__same", replaced))).toBe("version_expired");
});

proves("CORE-8", "with sharing by session, each session sees and binds its own connection", () => {
  const { registry, reader } = newRegistry();
  registry.publish("", toolset("alpha#1", ["a"], "s1"), { kind: "attach", session: "s1", alias: "alpha" });
  registry.publish("", toolset("alpha#2", ["a"], "s2"), { kind: "attach", session: "s2", alias: "alpha" });
  for (const [session, connection] of [
    ["s1", "alpha#1"],
    ["s2", "alpha#2"],
  ] as const) {
    const binding = bind({
      viewer: { id: session, lead: true },
      name: "mcp__alpha__a",
      seen: registry.at(registry.version),
      current: registry.current,
    });
    expect(binding).toMatchObject({ kind: "remote", toolset: { connectionId: connection } });
    expect(JSON.parse(reader.view({ id: session, lead: true }).toolsJson)).toHaveLength(1);
  }
  expect(reader.tool(registry.version, "mcp__alpha__a", "alpha#2").source).toMatchObject({ connectionId: "alpha#2" });
  expect(() => reader.tool(registry.version, "mcp__alpha__a")).toThrow("add ?connection=");
});
