// The state folder, broken in one way after the other. Real folders, the real program.
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { clinic, has, lacks } from "./clinic.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

proves(
  "DOC-3",
  "a sound folder has nothing; modes that let others in are found and mended by --fix, and only they change",
  async () => {
    const place = clinic();
    await place.up();
    const sound = (await place.look()).findings;
    for (const id of ["state_mode", "state_folder", "state_owner", "socket_path", "token", "journal", "disk_space"] as const)
      lacks(sound, id);
    chmodSync(place.state, 0o755);
    chmodSync(join(place.state, "token"), 0o644);
    const { findings, code } = await place.look();
    expect(code).toBe(1);
    has(findings, "state_mode", { about: place.state, level: "error", command: `chmod 0700 ${place.state}`, fixable: true });
    has(findings, "state_mode", { about: join(place.state, "token"), level: "error", sentence: /0644 instead of 0600/ });
    expect([modeOf(place.state), modeOf(join(place.state, "token"))]).toEqual([0o755, 0o644]);
    const fixed = await place.look(["--fix"]);
    expect(fixed.fixed.map(({ kind }) => kind)).toEqual(["done", "done"]);
    lacks(fixed.findings, "state_mode");
    expect([modeOf(place.state), modeOf(join(place.state, "token"))]).toEqual([0o700, 0o600]);
    expect((await place.json<{ running: boolean }>("status")).running).toBe(true);
  },
);

proves("DOC-3", "an open file in a closed folder is a warning: nobody gets there", async () => {
  const place = clinic();
  mkdirSync(place.state, { mode: 0o700 });
  writeFileSync(join(place.state, "daemon.log"), "", { mode: 0o644 });
  const { findings, code } = await place.look();
  has(findings, "state_mode", { about: join(place.state, "daemon.log"), level: "warning" });
  expect(code).toBe(0);
});

proves("DOC-3", "a file where the folder, or the socket, should be; a token and a journal that are none", async () => {
  const place = clinic();
  writeFileSync(place.state, "");
  has((await place.look()).findings, "state_folder", { level: "error", command: `mv ${place.state} ${place.state}.old` });
  rmSync(place.state);
  mkdirSync(place.state, { mode: 0o700 });
  const inFolder = (name: string): string => join(place.state, name);
  writeFileSync(inFolder("toolpool.sock"), "", { mode: 0o600 });
  writeFileSync(inFolder("token"), "not a token\n", { mode: 0o600 });
  writeFileSync(inFolder("pool.db"), "not a database at all, but long enough to be one: ".repeat(3), { mode: 0o600 });
  const { findings } = await place.look(["--fix"]);
  has(findings, "socket_path", { level: "error", command: /^mv .*toolpool\.sock/ });
  has(findings, "token", { level: "error", command: `rm -r ${inFolder("token")}` });
  has(findings, "journal", { level: "error", sentence: /damaged or no journal/, command: /pool\.db\.damaged && toolpool up$/ });
  // None of these is for --fix to judge.
  for (const name of ["toolpool.sock", "token", "pool.db"]) expect(existsSync(inFolder(name))).toBe(true);
});

proves(
  "DOC-3",
  "a journal that is cut off, of another program, of a newer one, and one that is all in its log still",
  async () => {
    const place = clinic();
    await place.up();
    await place.close();
    const file = join(place.state, "pool.db");
    lacks((await place.look()).findings, "journal");
    const newer = new SQLite(file);
    newer.pragma("user_version = 99");
    newer.pragma("journal_mode = DELETE");
    newer.close();
    has((await place.look()).findings, "journal", { sentence: /newer Toolpool/ });
    const other = new SQLite(file);
    other.pragma("application_id = 7");
    other.close();
    has((await place.look()).findings, "journal", { sentence: /something else/ });
    // What a living or a killed daemon has not carried over yet is in the file beside it.
    writeFileSync(`${file}-wal`, "x", { mode: 0o600 });
    lacks((await place.look()).findings, "journal");
    rmSync(`${file}-wal`);
    truncateSync(file, 4_096);
    has((await place.look()).findings, "journal", { sentence: /its end is missing/ });
    truncateSync(file, 50);
    has((await place.look()).findings, "journal", { sentence: /first line/ });
    rmSync(file);
    appendFileSync(file, "", { mode: 0o600 });
    lacks((await place.look()).findings, "journal");
  },
);

proves("DOC-3", "TOOLPOOL_STATE that is relative, empty or not expanded", async () => {
  const place = clinic();
  const look = async (TOOLPOOL_STATE: string): ReturnType<typeof place.look> => place.look([], { TOOLPOOL_STATE });
  lacks((await place.look()).findings, "state_setting");
  has((await look("some/where")).findings, "state_setting", {
    about: "TOOLPOOL_STATE",
    command: `export TOOLPOOL_STATE=${place.folder}/some/where`,
  });
  has((await look("")).findings, "state_setting", { command: "unset TOOLPOOL_STATE" });
  has((await look("~/state")).findings, "state_setting", { command: 'export TOOLPOOL_STATE="$HOME/state"' });
  expect(existsSync(join(place.folder, "some"))).toBe(false);
});

proves("DOC-3", "a state folder with a path too long for a socket is fine, and where the socket is then is said", async () => {
  const place = clinic();
  const state = join(place.folder, "a-long-name-".repeat(8));
  const { findings } = await place.look([], { TOOLPOOL_STATE: state });
  lacks(findings, "socket_path");
  expect(findings.find(({ id }) => id === "socket_path")?.sentence).toContain("too long");
});
