// What dead daemons and dead writers leave, and what --fix does about it: never anything to a living one.
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect } from "vitest";
import type { Discovery } from "../../daemon/contract/index.ts";
import { mend } from "../../client/doctor/mend.ts";
import { fileFacts } from "../../client/doctor/file-facts.ts";
import type { Seen } from "../../client/doctor/finding.ts";
import { alive } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { clinic, has, killed, lacks, outsider } from "./clinic.ts";

const long = (path: string): void => utimesSync(path, new Date(0), new Date(0));

proves(
  "DOC-4",
  "after kill -9: the dead file and socket are found; --fix removes them and the next start is as ever",
  async () => {
    const place = clinic();
    const { pid } = await place.up();
    lacks((await place.look()).findings, "stale_discovery");
    await killed(pid);
    const { findings, code } = await place.look();
    expect(code).toBe(0);
    has(findings, "stale_discovery", { level: "warning", fixable: true, command: `rm ${join(place.state, "daemon.json")}` });
    has(findings, "stale_socket", { level: "warning", fixable: true });
    expect(existsSync(join(place.state, "daemon.json"))).toBe(true);
    const fixed = await place.look(["--fix"]);
    expect(fixed.fixed.map(({ id, kind }) => [id, kind])).toEqual([
      ["stale_discovery", "done"],
      ["stale_socket", "done"],
    ]);
    lacks(fixed.findings, "stale_discovery");
    lacks(fixed.findings, "stale_socket");
    expect(place.stateFiles().filter((name) => /daemon\.json|sock|doctor/.test(name))).toEqual([]);
    expect((await place.up()).pid).not.toBe(pid);
  },
);

proves("DOC-4", "a dead file whose pid is a living stranger's: the file goes, the stranger stays", async () => {
  const place = clinic();
  const stranger = outsider(process.execPath, ["-e", "setInterval(() => 0, 1000)"]);
  const { pid } = await place.up();
  await killed(pid);
  const file = join(place.state, "daemon.json");
  const published = JSON.parse(readFileSync(file, "utf8")) as Discovery;
  writeFileSync(file, JSON.stringify({ ...published, pid: stranger.pid }));
  has((await place.look()).findings, "stale_discovery", { sentence: /belongs to another program now/ });
  await place.look(["--fix"]);
  expect(existsSync(file)).toBe(false);
  expect(alive(stranger.pid ?? 0)).toBe(true);
});

proves(
  "DOC-4",
  "while somebody holds the journal nothing is stale: he starts, closes or hangs, and --fix touches nothing",
  async () => {
    const place = clinic();
    const { pid } = await place.up();
    await killed(pid);
    const holder = new SQLite(join(place.state, "pool.db"));
    holder.pragma("locking_mode = EXCLUSIVE");
    holder.exec("BEGIN IMMEDIATE");
    const before = place.stateFiles();
    const { findings } = await place.look(["--fix"]);
    has(findings, "daemon_silent", { level: "error", sentence: new RegExp(`pid ${String(process.pid)}`) });
    lacks(findings, "stale_discovery");
    lacks(findings, "stale_socket");
    expect(place.stateFiles()).toEqual(before);
    holder.close();
    lacks((await place.look()).findings, "daemon_silent");
  },
);

proves("DOC-4", "a running daemon is not touched by --fix", async () => {
  const place = clinic();
  const { pid } = await place.up();
  const { fixed } = await place.look(["--fix"]);
  expect(fixed).toEqual([]);
  expect(alive(pid)).toBe(true);
  expect((await place.json<{ running: boolean }>("status")).running).toBe(true);
});

proves(
  "DOC-4",
  "the lock of a dead writer goes, that of a living one stays; drafts of the state go, drafts of yours are shown",
  async () => {
    const place = clinic();
    const lock = `${place.configFile}.lock`;
    mkdirSync(lock);
    lacks((await place.look()).findings, "stale_lock");
    long(lock);
    has((await place.look()).findings, "stale_lock", { command: `rmdir ${lock}`, fixable: true });
    mkdirSync(place.state, { mode: 0o700 });
    const draft = join(place.state, "daemon.json.new");
    const yours = `${place.configFile}.123456`;
    for (const file of [draft, yours]) writeFileSync(file, "{}", { mode: 0o600 });
    lacks((await place.look()).findings, "leftover_draft");
    for (const file of [draft, yours]) long(file);
    const { findings } = await place.look();
    has(findings, "leftover_draft", { about: draft, fixable: true });
    has(findings, "leftover_draft", { about: yours, fixable: false, sentence: /whether you miss something/ });
    await place.look(["--fix"]);
    expect([lock, draft, yours].map((path) => existsSync(path))).toEqual([false, false, true]);
  },
);

async function seenAs(path: string): Promise<Seen> {
  const found = await fileFacts(path);
  if (found === undefined) throw new Error(`no ${path}`);
  return found;
}

proves("DOC-4", "what was put there after the look stays, also a socket that somebody listens on by now", async () => {
  const folder = tempFolder();
  const file = join(folder, "daemon.json");
  writeFileSync(file, "old");
  const seen = await seenAs(file);
  rmSync(file);
  writeFileSync(file, "new");
  long(file);
  expect((await mend({ kind: "remove_file", seen, what: "discovery" }, process.getuid?.())).kind).toBe("left");
  expect(readFileSync(file, "utf8")).toBe("new");
  const socket = join(folder, "toolpool.sock");
  const server = createServer().listen(socket);
  await once(server, "listening");
  try {
    const living = await seenAs(socket);
    expect((await mend({ kind: "remove_file", seen: living, what: "socket" }, process.getuid?.())).kind).toBe("left");
    expect(existsSync(socket)).toBe(true);
  } finally {
    server.close();
    await once(server, "close");
  }
  const gone = { ...seen, path: join(folder, "nowhere") };
  expect((await mend({ kind: "remove_lock", seen: gone }, process.getuid?.())).kind).toBe("left");
});
