// What is recorded is read back, at what cost, and for how long.
import { statSync } from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect, vi } from "vitest";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { prepare } from "../../daemon/journal/statement.ts";
import { AT, END, openJournal, record, START, toolset } from "./records.ts";

const newFile = (): string => join(tempFolder(), "pool.db");
const DAY_MS = 24 * 3_600_000;

function countsOf(file: string, ...tables: readonly string[]): readonly number[] {
  const database = new SQLite(file);
  const counts = tables.map((table) => prepare<[], { n: number }>(database, `SELECT count(*) AS n FROM ${table}`).get()?.n ?? -1);
  database.close();
  return counts;
}

proves("STA-1", "versions with their toolsets, views' attachments and calls, before and after a restart", async () => {
  const file = newFile();
  let journal = openJournal(file);
  const alpha = toolset("alpha#1", ["a", "b"]);
  const betaOfOne = toolset("beta#1", ["c"], "s1");
  record(journal, 1);
  record(journal, 2, [alpha], { attached: [["s1", "alpha"]] });
  record(journal, 3, [alpha, betaOfOne, toolset("beta#2", ["c"], null)], {
    attached: [["s2", "alpha"]],
    detached: [["s1", "alpha"]],
  });
  record(journal, 4, [betaOfOne], { attached: [["s1", "alpha"]] });
  record(journal, 5, [betaOfOne, alpha]);
  const id = journal.beginCall(START);
  journal.endCall(id, END);
  const durable = await journal.beginCallDurably({ ...START, tool: "other", callId: null });
  const failed = { ...END, status: "error", code: "mcp_timeout", mayHaveRun: true } as const;
  journal.endCall(durable, failed);
  const left = journal.beginCall({ ...START, sessionId: "s2" });
  const { poolId } = journal;

  for (const round of ["at once", "after a restart"]) {
    const numbers = (since: number, limit: number): readonly number[] => journal.versions(since, limit).map((row) => row.version);
    expect([numbers(0, 1), numbers(2, 10), numbers(5, 10)], round).toEqual([[5], [5, 4, 3], []]);
    const names = (version: number): unknown =>
      journal
        .version(version)
        ?.toolsets.map((set) => [set.connectionId, set.alias, set.owner, set.tools.map((tool) => tool.name)]);
    const alphaNames = ["alpha#1", "alpha", undefined, ["a", "b"]];
    const betaNames = ["beta#1", "beta", "s1", ["c"]];
    expect(names(1)).toEqual([]);
    expect(names(2)).toEqual([alphaNames]);
    expect(names(3)).toEqual([alphaNames, betaNames, ["beta#2", "beta", null, ["c"]]]);
    expect(names(4)).toEqual([betaNames]);
    expect(names(5)).toEqual([betaNames, alphaNames]);
    expect(journal.version(2)?.toolsets[0]?.tools[0]?.source).toEqual({
      kind: "mcp",
      alias: "alpha",
      tool: "a",
      connectionId: "alpha#1",
    });
    expect(journal.version(2)).toMatchObject({ row: { cause: "step 2" }, management: { tools: [{ name: "connect_mcp" }] } });
    expect([journal.version(0), journal.version(9)]).toEqual([undefined, undefined]);
    const attached = (session: string): unknown => [1, 2, 3, 4, 5].map((version) => journal.attachments(session, version));
    expect(attached("s1")).toEqual([[], ["alpha"], [], ["alpha"], ["alpha"]]);
    expect(attached("s2")).toEqual([[], [], ["alpha"], ["alpha"], ["alpha"]]);
    expect(journal.calls({ limit: 10 }).slice(1)).toEqual([
      { ...START, id: durable, tool: "other", callId: null, ...failed },
      { ...START, id, ...END },
    ]);
    expect(journal.calls({ limit: 10, session: "s2" })).toMatchObject([{ id: left, status: "started", code: null }]);
    expect(journal.calls({ limit: 10, before: durable, status: "ok", session: "s1", tool: START.tool })).toHaveLength(1);
    await journal.close();
    journal = openJournal(file);
    expect([journal.poolId, journal.highWater]).toEqual([poolId, 5]);
  }
  // What an earlier life had attached and published ended with it.
  record(journal, 6);
  expect([journal.version(6)?.toolsets, journal.attachments("s1", 6)]).toEqual([[], []]);
  expect(journal.attachments("s1", 5)).toEqual(["alpha"]);
  await journal.close();
});

proves("STA-6", "a toolset that stays is written once, and equal tools of other connections are the same text", async () => {
  const file = newFile();
  const journal = openJournal(file);
  const names = Array.from({ length: 1_000 }, (_, n) => `tool_${n}`);
  let looks = 0;
  const watched = (connectionId: string) => {
    const set = toolset(connectionId, names);
    return {
      ...set,
      get tools() {
        looks++;
        return set.tools;
      },
    };
  };
  const first = watched("alpha#1");
  for (let version = 1; version <= 50; version++) record(journal, version, [version % 2 === 0 ? first : watched("alpha#1")]);
  record(journal, 51, [watched("alpha#2")]);
  await journal.flush();
  expect(looks).toBe(2);
  for (const [version, connectionId] of [
    [50, "alpha#1"],
    [51, "alpha#2"],
  ] as const) {
    const [read] = journal.version(version)?.toolsets ?? [];
    expect(read?.tools).toHaveLength(1_000);
    expect(read?.tools.every(({ source }) => source.kind === "mcp" && source.connectionId === connectionId)).toBe(true);
  }
  await journal.close();
  // Two connections' toolsets and the management tools; two texts; three spans.
  expect(countsOf(file, "toolsets", "contents", "publications")).toEqual([3, 2, 3]);
});

proves("STA-6", "a call that begins and ends within a batch is one row, and many rows cost one transaction", async () => {
  const file = newFile();
  const journal = openJournal(file);
  const calls = 5_000;
  for (let n = 0; n < calls; n++) journal.endCall(journal.beginCall(START), END);
  expect(journal.calls({ limit: calls + 1, status: "ok" })).toHaveLength(calls);
  const ids = await Promise.all(Array.from({ length: 200 }, () => journal.beginCallDurably(START)));
  expect(new Set(ids).size).toBe(200);
  for (const id of ids) journal.endCall(id, END);
  await journal.close();
  expect(countsOf(file, "calls")).toEqual([calls + 200]);
});

proves("STA-7", "above its size the file loses its oldest rows, never the newest versions or calls", async () => {
  const file = newFile();
  let journal = openJournal(file);
  record(journal, 1, [toolset("alpha#1", ["old"])], { attached: [["s1", "alpha"]] });
  record(journal, 2, [toolset("alpha#2", ["new"])], { attached: [["s2", "alpha"]] });
  for (let version = 3; version <= 10; version++) record(journal, version, [toolset("alpha#2", ["new"])]);
  const ids = Array.from({ length: 5 }, () => journal.beginCall(START));
  journal.recordConnection({ at: AT, alias: "alpha", connectionId: "alpha#2", event: "connected", code: null });
  await journal.close();

  journal = openJournal(file, { retention: { maxBytes: 1, keepVersions: 3, keepCalls: 2 } });
  expect(journal.oldestVersion()).toBe(8);
  expect(journal.calls({ limit: 10 }).map(({ id }) => id)).toEqual(ids.slice(-2).reverse());
  expect(journal.version(7)).toBeUndefined();
  expect(journal.version(8)?.toolsets.map(({ connectionId }) => connectionId)).toEqual(["alpha#2"]);
  expect([journal.attachments("s1", 8), journal.attachments("s2", 8)]).toEqual([["alpha"], ["alpha"]]);
  expect(journal.connectionNumbers().get("alpha")).toBe(2);
  // A toolset whose row went is written again when it comes back.
  record(journal, 11, [toolset("alpha#1", ["old"])]);
  expect(journal.version(11)?.toolsets.map(({ connectionId }) => connectionId)).toEqual(["alpha#1"]);
  await journal.close();
  expect(countsOf(file, "connection_events", "toolsets", "contents")).toEqual([0, 3, 3]);
});

proves("STA-7", "what is too old goes, the newest version stays whatever its age, and ids and numbers go on", async () => {
  const file = newFile();
  let journal = openJournal(file);
  const later = new Date(Date.parse(AT) + 40 * DAY_MS);
  for (let version = 1; version <= 4; version++) record(journal, version);
  record(journal, 5, [], { at: later.toISOString() });
  const ids = [journal.beginCall(START), journal.beginCall({ ...START, at: later.toISOString() })];
  await journal.close();
  const retention = { keepVersions: 1, keepCalls: 1 };
  journal = openJournal(file, { retention, now: () => later });
  expect([journal.oldestVersion(), journal.calls({ limit: 9 }).map(({ id }) => id)]).toEqual([5, ids.slice(1)]);
  await journal.close();
  journal = openJournal(file, { retention, now: () => new Date(later.getTime() + 400 * DAY_MS) });
  expect([journal.oldestVersion(), journal.highWater]).toEqual([5, 5]);
  expect(journal.beginCall(START)).toBeGreaterThan(Math.max(...ids));
  await journal.close();
});

proves("STA-7", "the size limit lets go of bytes, in portions, until the file fits", async () => {
  const file = newFile();
  let journal = openJournal(file);
  for (let n = 0; n < 20_000; n++) journal.beginCall({ ...START, tool: "t".repeat(200) });
  await journal.close();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    journal = openJournal(file, { retention: { maxBytes: 1_000_000, keepCalls: 10 } });
    // The first portion at the start, the others soon after, without anybody asking.
    const gone = (id: number): boolean => journal.calls({ limit: 1, before: id + 1 }).length === 0;
    expect([gone(5_000), gone(5_001)]).toEqual([true, false]);
    for (let portion = 0; portion < 5; portion++) vi.advanceTimersByTime(1_000);
    expect(gone(15_000)).toBe(true);
    expect(journal.calls({ limit: 30_000 }).length).toBeGreaterThan(100);
    await journal.close();
  } finally {
    vi.useRealTimers();
  }
  expect(statSync(file).size).toBeLessThan(4_000_000);
});
