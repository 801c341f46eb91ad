// One holder at a time, freed by the operating system; what a sudden death leaves is a journal.
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { JournalError } from "../../daemon/journal/errors.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { program, run } from "./program.ts";
import { AT, openJournal, record, START, toolset } from "./records.ts";

async function refusalOf(file: string): Promise<string> {
  try {
    await openJournal(file).close();
    return "opened";
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    expect(error.message).toContain(file);
    return error.code;
  }
}

proves("STA-2", "a second opener is refused, in this process and in another, until the holder closes or is killed", async () => {
  const file = join(tempFolder(), "pool.db");
  const journal = openJournal(file);
  expect(await refusalOf(file)).toBe("locked");
  // A refused attempt in the same process must not have freed the lock: POSIX would, with any descriptor that is closed.
  const tries = program(
    "tries",
    'try { openJournal(file); await say("opened"); } catch (error) { await say(error.code); } process.disconnect();',
  );
  const second = run(tries, file);
  expect(await once(second, "message")).toEqual(["locked", undefined]);
  await once(second, "exit");
  record(journal, 1);
  await journal.close();

  const holder = run(
    program(
      "holds",
      "const journal = openJournal(file); record(journal, 2); await journal.flush(); await say(1); setInterval(() => {}, 1e6);",
    ),
    file,
  );
  await once(holder, "message");
  expect(await refusalOf(file)).toBe("locked");
  holder.kill("SIGKILL");
  await once(holder, "exit");
  const after = openJournal(file);
  expect(after.versions(0, 9).map(({ version }) => version)).toEqual([2, 1]);
  await after.close();
});

proves("STA-2", "of many that start at once exactly one wins", async () => {
  const file = join(tempFolder(), "pool.db");
  const races = program(
    "races",
    `process.once("message", async () => {
       try { globalThis.journal = openJournal(file); await say("opened"); } catch (error) { await say(error.code); }
     });
     await say("here");
     setInterval(() => undefined, 1e6);`,
  );
  const racers = Array.from({ length: 6 }, () => run(races, file));
  await Promise.all(racers.map((racer) => once(racer, "message")));
  const answers = racers.map((racer) => once(racer, "message"));
  for (const racer of racers) racer.send("go");
  const said = (await Promise.all(answers)).map(([answer]) => String(answer)).sort();
  expect(said).toEqual(["locked", "locked", "locked", "locked", "locked", "opened"]);
  await Promise.all(
    racers.map((racer) => {
      racer.kill("SIGKILL");
      return once(racer, "exit");
    }),
  );
});

proves("STA-3", "one file, mode 0600 from the start, no -wal and no -shm", async () => {
  const folder = tempFolder();
  const journal = openJournal(join(folder, "pool.db"));
  record(journal, 1, [toolset("alpha#1", ["a"])]);
  await journal.flush();
  expect(readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o777) !== 0o600)).toEqual([]);
  expect(readdirSync(folder)).not.toContain("pool.db-shm");
  await Promise.all([journal.close(), journal.close()]);
  expect(readdirSync(folder)).toEqual(["pool.db"]);
  await journal.close();
});

proves("STA-5", "after kill -9 in the middle of it no number is used again, and what was durable is there", async () => {
  const file = join(tempFolder(), "pool.db");
  const works = program(
    "works",
    `const journal = openJournal(file);
     const first = journal.highWater + 1;
     journal.recordConnection({ at: START.at, alias: "alpha", connectionId: "alpha#" + first, event: "connecting", code: null });
     journal.recordProcess({ connectionId: "alpha#" + first, alias: "alpha", pid: process.pid, group: 1, startedAt: "5", bootId: "b" });
     const id = await journal.beginCallDurably(START);
     for (let version = first; version < first + 100; version++) record(journal, version);
     // Nothing of these has been written when the message is on its way.
     process.send({ used: first + 99, number: first, id });
     const end = Date.now() + 1e6; while (Date.now() < end);`,
  );
  let used = 0;
  let calls = 0;
  for (let life = 0; life < 3; life++) {
    const child = run(works, file);
    const [said] = (await once(child, "message")) as [{ used: number; number: number; id: number }];
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(said.number).toBeGreaterThan(used);
    used = said.used;
    calls++;
    const after = openJournal(file);
    expect(after.highWater).toBeGreaterThanOrEqual(used);
    expect(after.connectionNumbers().get("alpha")).toBe(said.number);
    expect(after.processes()).toEqual([
      { connectionId: `alpha#${said.number}`, alias: "alpha", pid: child.pid, group: 1, startedAt: "5", bootId: "b" },
    ]);
    expect(after.calls({ limit: 9 }).map(({ id, status }) => [id, status])[0]).toEqual([said.id, "started"]);
    expect(after.calls({ limit: 9 })).toHaveLength(calls);
    after.forgetProcesses(`alpha#${said.number}`);
    expect(after.processes()).toEqual([]);
    used = after.highWater;
    await after.close();
  }
});

proves("STA-5", "after a clean close versions go on without a gap, numbers above the highest", async () => {
  const file = join(tempFolder(), "pool.db");
  let journal = openJournal(file);
  expect(journal.highWater).toBe(0);
  for (let version = 1; version <= 100; version++) record(journal, version);
  for (const n of [7, 3]) {
    journal.recordConnection({ at: AT, alias: "alpha", connectionId: `alpha#${n}`, event: "connecting", code: null });
  }
  journal.recordConnection({ at: AT, alias: "beta", connectionId: null, event: "failed", code: "config_invalid" });
  expect([...journal.connectionNumbers()]).toEqual([["alpha", 7]]);
  const id = journal.beginCall(START);
  await journal.close();
  journal = openJournal(file);
  expect([journal.highWater, journal.connectionNumbers().get("alpha"), journal.beginCall(START)]).toEqual([100, 7, id + 1]);
  await journal.close();
});
