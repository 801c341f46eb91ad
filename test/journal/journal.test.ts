import { fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect } from "vitest";
import { JournalError } from "../../daemon/journal/errors.ts";
import { openJournal as openAt, type JournalOptions } from "../../daemon/journal/journal.ts";
import type { CallEnd, CallStart, Journal, JournalToolset } from "../../daemon/journal/port.ts";
import { fixture } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const AT = "2026-01-01T00:00:00.000Z";

/** On the day of the records: nothing is too old. */
const openJournal = (file: string, options: JournalOptions = {}): Journal =>
  openAt(file, { now: () => new Date(AT), ...options });

function toolset(connectionId: string, names: readonly string[], owner?: string | null): JournalToolset {
  const alias = connectionId.slice(0, connectionId.indexOf("#"));
  return { connectionId, alias, owner, digest: names.join(), tools: names.map((name) => JSON.stringify({ name })) };
}

const MANAGEMENT = { digest: "m", tools: ['{"name":"connect_mcp"}'] };

function record(
  journal: Journal,
  version: number,
  toolsets: readonly JournalToolset[] = [],
  more: Partial<Parameters<Journal["recordVersion"]>[0]> = {},
): void {
  const row = { version, at: AT, cause: `step ${version}`, added: [], removed: [], changed: [], digest: `d${version}` };
  journal.recordVersion({ row, toolsets, management: MANAGEMENT, attached: [], detached: [], ...more });
}

const start: CallStart = {
  at: AT,
  sessionId: "s1",
  callId: "c1",
  version: 3,
  tool: "mcp__alpha__a",
  alias: "alpha",
  connectionId: "alpha#1",
  effect: "write",
  definitionDigest: "dd",
  decision: "allow",
  argumentsDigest: "ad",
  argumentsBytes: 2,
};
const end: CallEnd = {
  status: "ok",
  code: "ok",
  reason: null,
  mayHaveRun: false,
  queuedMs: 0.5,
  durationMs: 1.5,
  decision: "allow",
  resultDigest: "rd",
  resultBytes: 9,
};

const openError = (file: string): string => {
  try {
    void openJournal(file).close();
  } catch (error) {
    if (error instanceof JournalError) {
      expect(error.message).toContain(file);
      return error.code;
    }
    throw error;
  }
  return "opened";
};

proves("STA-1", "versions with their toolsets, views' attachments and calls, before and after a restart", async () => {
  const file = join(tempFolder(), "pool.db");
  let journal = openJournal(file);
  const alpha = toolset("alpha#1", ["a", "b"]);
  record(journal, 1);
  record(journal, 2, [alpha], { attached: [["s1", "alpha"]] });
  record(journal, 3, [alpha, toolset("beta#1", ["c"], "s1"), toolset("beta#2", ["c"], null)], {
    attached: [["s2", "alpha"]],
    detached: [["s1", "alpha"]],
  });
  const id = journal.beginCall(start);
  journal.endCall(id, end);
  const durable = await journal.beginCallDurably({ ...start, tool: "other" });
  journal.endCall(durable, { ...end, status: "error", code: "mcp_timeout", mayHaveRun: true });
  for (const round of ["at once", "after a restart"]) {
    expect(
      journal.versions(1, 10).map((row) => row.version),
      round,
    ).toEqual([3, 2]);
    expect(journal.versions(0, 1).map((row) => row.version)).toEqual([3]);
    expect(
      journal.version(3)?.toolsets.map(({ connectionId, owner, tools }) => [connectionId, owner, tools.map((tool) => tool.name)]),
    ).toEqual([
      ["alpha#1", undefined, ["a", "b"]],
      ["beta#1", "s1", ["c"]],
      ["beta#2", null, ["c"]],
    ]);
    expect(journal.version(2)).toMatchObject({
      row: { cause: "step 2" },
      management: { digest: "m", tools: [{ name: "connect_mcp" }] },
    });
    expect(journal.version(9)).toBeUndefined();
    expect([journal.attachments("s1", 2), journal.attachments("s1", 3), journal.attachments("s2", 3)]).toEqual([
      ["alpha"],
      [],
      ["alpha"],
    ]);
    expect(journal.calls({ limit: 10 })).toEqual([
      { ...start, id: durable, tool: "other", ...end, status: "error", code: "mcp_timeout", mayHaveRun: true },
      { ...start, id, ...end },
    ]);
    expect(journal.calls({ limit: 10, before: durable, status: "ok", session: "s1", tool: start.tool })).toHaveLength(1);
    const { poolId } = journal;
    await journal.close();
    journal = openJournal(file);
    expect([journal.poolId, journal.highWater]).toEqual([poolId, 3]);
  }
  await journal.close();
  await journal.close();
});

proves(
  "STA-2",
  "a second opener is refused by name, in this process and in another, until the holder is gone, kill -9 included",
  async () => {
    const file = join(tempFolder(), "pool.db");
    const journal = openJournal(file);
    expect(openError(file)).toBe("locked");
    await journal.close();
    const holder = fork(fixture("holds-a-database"), [file], { execArgv: [] });
    await once(holder, "message");
    expect(openError(file)).toBe("locked");
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(openError(file)).toBe("opened");
  },
);

proves("STA-3", "one file, mode 0600, no -wal and no -shm", async () => {
  const folder = tempFolder();
  const journal = openJournal(join(folder, "pool.db"));
  record(journal, 1, [toolset("alpha#1", ["a"])]);
  await journal.flush();
  expect(readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([]);
  await journal.close();
  expect(readdirSync(folder)).toEqual(["pool.db"]);
});

proves("STA-4", "each kind of bad file is told apart, and a write that fails later is not lost in silence", async () => {
  const folder = tempFolder();
  const file = (name: string): string => join(folder, name);
  writeFileSync(
    file("garbage"),
    "this is no database, and it is longer than a page header of SQLite would be at the start of a file",
  );
  expect(openError(file("garbage"))).toBe("damaged");
  mkdirSync(file("folder"));
  expect(openError(file("folder"))).toBe("unwritable");
  expect(openError(file("missing/pool.db"))).toBe("unwritable");
  new SQLite(file("foreign")).exec("CREATE TABLE t (a)").close();
  expect(openError(file("foreign"))).toBe("damaged");
  await openJournal(file("newer")).close();
  const newer = new SQLite(file("newer"));
  newer.pragma("user_version = 99");
  newer.close();
  expect(openError(file("newer"))).toBe("damaged");

  const journal = openJournal(file("pool.db"));
  record(journal, 1);
  record(journal, 1);
  const failed = journal.beginCallDurably(start);
  await expect(failed).rejects.toHaveProperty("code", "SQLITE_CONSTRAINT_PRIMARYKEY");
  expect((await journal.broken).message).not.toBe("");
  await journal.close();
});

proves(
  "STA-5",
  "after kill -9 every number is above those used before; after a clean close versions go on without a gap",
  async () => {
    const file = join(tempFolder(), "pool.db");
    let journal = openJournal(file);
    for (let version = 1; version <= 100; version++) record(journal, version);
    journal.recordConnection({ at: AT, alias: "alpha", connectionId: "alpha#7", event: "connecting", code: null });
    journal.recordProcess({ connectionId: "alpha#7", alias: "alpha", pid: 1, group: 1, startedAt: "5", bootId: "b" });
    // Nothing was flushed by us: the file is taken as it is, as a sudden death would leave it.
    const copy = join(tempFolder(), "pool.db");
    for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
    const after = openJournal(copy);
    expect(after.highWater).toBeGreaterThanOrEqual(100);
    expect(after.connectionNumbers().get("alpha")).toBe(7);
    expect(after.processes()).toEqual([
      { connectionId: "alpha#7", alias: "alpha", pid: 1, group: 1, startedAt: "5", bootId: "b" },
    ]);
    after.forgetProcesses("alpha#7");
    expect(after.processes()).toEqual([]);
    await after.close();
    await journal.close();
    journal = openJournal(file);
    expect(journal.highWater).toBe(100);
    await journal.close();
  },
);

proves("STA-6", "a toolset that stays is stored once and its tools are not touched again", async () => {
  const file = join(tempFolder(), "pool.db");
  const journal = openJournal(file);
  let reads = 0;
  const large = toolset(
    "alpha#1",
    Array.from({ length: 1_000 }, (_, n) => `tool ${n}`),
  );
  const watched = {
    ...large,
    get tools() {
      reads++;
      return large.tools;
    },
  };
  for (let version = 1; version <= 50; version++) record(journal, version, [watched]);
  await journal.flush();
  expect(reads).toBe(1);
  expect(journal.version(50)?.toolsets[0]?.tools).toHaveLength(1_000);
  await journal.close();
  const database = new SQLite(file);
  expect(database.prepare("SELECT count(*) AS n FROM toolsets").get()).toEqual({ n: 2 });
  database.close();
});

proves(
  "STA-7",
  "old and surplus rows go, the newest version stays, its toolsets with it, and ids are not used again",
  async () => {
    const file = join(tempFolder(), "pool.db");
    let journal = openJournal(file);
    record(journal, 1, [toolset("alpha#1", ["old"])]);
    for (let version = 2; version <= 10; version++) record(journal, version, [toolset("alpha#2", ["new"])]);
    const ids = Array.from({ length: 5 }, () => journal.beginCall(start));
    await journal.close();
    journal = openJournal(file, { retention: { maxVersions: 3, maxCalls: 2 }, now: () => new Date(AT) });
    expect([journal.oldestVersion(), journal.calls({ limit: 10 }).length]).toEqual([8, 2]);
    expect(journal.version(10)?.toolsets[0]?.tools).toEqual([{ name: "new" }]);
    await journal.close();
    journal = openJournal(file, { retention: { maxAgeMs: 1 }, now: () => new Date("2030-01-01") });
    expect([journal.oldestVersion(), journal.calls({ limit: 10 })]).toEqual([10, []]);
    expect(journal.beginCall(start)).toBeGreaterThan(Math.max(...ids));
    await journal.close();
    const database = new SQLite(file);
    expect(database.prepare("SELECT count(*) AS n FROM toolsets").get()).toEqual({ n: 2 });
    database.close();
  },
);

proves("STA-4", "a journal that cannot be written because of its mode says so", async () => {
  const folder = tempFolder();
  const file = join(folder, "pool.db");
  await openJournal(file).close();
  chmodSync(file, 0o400);
  // Root may write everything: there the mode is mended and the file opens.
  expect(openError(file)).toBe("opened");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
