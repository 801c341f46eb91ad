// Bad files at the start, and writes that fail later.
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect } from "vitest";
import { JournalError } from "../../daemon/journal/errors.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { program, run } from "./program.ts";
import { END, openJournal, record, START } from "./records.ts";

async function refusalOf(file: string): Promise<string> {
  try {
    await openJournal(file).close();
    return "opened";
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    expect(error.message).toContain(file);
    expect(error.message).toMatch(/move it away|move the file away|check the folder/);
    return error.code;
  }
}

async function filled(file: string): Promise<string> {
  const journal = openJournal(file);
  for (let version = 1; version <= 200; version++) record(journal, version);
  for (let n = 0; n < 200; n++) journal.beginCall(START);
  await journal.close();
  return file;
}

/** As daemon/journal/statement.ts says: what V8 collects of better-sqlite3's may end the process. */
const kept: unknown[] = [];

function change(file: string, sql: string): string {
  const database = new SQLite(file);
  kept.push(database);
  database.exec(sql);
  database.close();
  return file;
}

proves("STA-4", "each kind of bad file is told apart at the start, and left as it was", async () => {
  const folder = tempFolder();
  const at = (name: string): string => join(folder, name);
  writeFileSync(at("garbage"), "this is no database, although it is longer than a page header of SQLite ".repeat(50));
  expect(await refusalOf(at("garbage"))).toBe("damaged");
  expect(readFileSync(at("garbage"), "utf8")).toContain("this is no database");
  expect(await refusalOf(change(at("foreign"), "CREATE TABLE t (a)"))).toBe("damaged");
  expect(await refusalOf(change(await filled(at("newer")), "PRAGMA user_version = 99"))).toBe("damaged");
  expect(await refusalOf(change(await filled(at("older")), "DROP TABLE calls"))).toBe("damaged");
  truncateSync(await filled(at("short")), 20_000);
  expect(await refusalOf(at("short"))).toBe("damaged");
  const holed = readFileSync(await filled(at("holed")));
  writeFileSync(at("holed"), holed.fill(0xa5, 3 * 4_096, holed.length - 4_096));
  expect(await refusalOf(at("holed"))).toBe("damaged");
  mkdirSync(at("folder"));
  expect(await refusalOf(at("folder"))).toBe("unwritable");
  expect(await refusalOf(at("missing/pool.db"))).toBe("unwritable");
  symlinkSync(await filled(at("target")), at("link"));
  expect(await refusalOf(at("link"))).toBe("unwritable");
  writeFileSync(at("empty"), "");
  expect(await refusalOf(at("empty"))).toBe("opened");
  chmodSync(at("empty"), 0o644);
  expect(await refusalOf(at("empty"))).toBe("opened");
  expect(statSync(at("empty")).mode & 0o777).toBe(0o600);
});

proves("STA-4", "a file that is moved away breaks the journal, and whoever waits or reads is told", async () => {
  const folder = tempFolder();
  const file = join(folder, "pool.db");
  const journal = openJournal(file);
  record(journal, 1);
  await journal.flush();
  renameSync(file, join(folder, "elsewhere.db"));
  const waiting = journal.beginCallDurably(START);
  const id = journal.beginCall(START);
  await expect(waiting).rejects.toMatchObject({ name: "JournalError", code: "unwritable" });
  expect(await journal.broken).toMatchObject({ code: "unwritable" });
  // Recording goes on without harm while the daemon closes: there is nothing more to lose that was not told.
  record(journal, 2);
  journal.endCall(id, END);
  journal.recordProcess({ connectionId: "a#1", alias: "a", pid: 1, group: 1, startedAt: "", bootId: "" });
  expect(() => journal.calls({ limit: 1 })).toThrow(JournalError);
  await expect(journal.flush()).rejects.toThrow(JournalError);
  await expect(journal.beginCallDurably(START)).rejects.toThrow(JournalError);
  await journal.close();
  expect(existsSync(file)).toBe(false);
  // The lock went with it.
  await openJournal(join(folder, "elsewhere.db")).close();
});

proves("STA-4", "a disk that is full breaks the journal; what was written before is kept", async () => {
  const file = join(tempFolder(), "pool.db");
  const fills = program(
    "fills",
    `const journal = openJournal(file);
     record(journal, 1);
     await journal.flush();
     let failed;
     while (failed === undefined) {
       for (let n = 0; n < 100; n++) journal.endCall(journal.beginCall(START), END);
       await journal.flush().catch((error) => (failed = error.code));
     }
     const broken = await journal.broken;
     const durable = await journal.beginCallDurably(START).catch((error) => error.code);
     const closed = await journal.close().then(() => "closed", (error) => error.code);
     await say({ failed, broken: broken.code, durable, closed, message: broken.message });
     process.disconnect();`,
  );
  const child = run(fills, file, { limitKiB: 512 });
  const [said] = (await once(child, "message")) as [Record<string, string>];
  await once(child, "exit");
  expect(said).toMatchObject({ failed: "unwritable", broken: "unwritable", durable: "unwritable", closed: "closed" });
  expect(said.message).toContain("free space");
  const after = openJournal(file);
  expect(after.versions(0, 9)).toHaveLength(1);
  expect(after.calls({ limit: 9 }).length).toBeGreaterThan(0);
  await after.close();
});

proves("STA-4", "what is recorded after the close is dropped, and nobody waits for it", async () => {
  const journal = openJournal(join(tempFolder(), "pool.db"));
  const id = journal.beginCall(START);
  await journal.close();
  journal.endCall(id, END);
  record(journal, 1);
  await expect(journal.beginCallDurably(START)).rejects.toMatchObject({ code: "unwritable" });
  expect(() => journal.versions(0, 1)).toThrow("is closed");
});
