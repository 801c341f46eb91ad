// Which daemon is this: of another version or contract, silent, hanging, and others beside it. Real ones; none is ever ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { PROGRAM } from "../../config/program.ts";
import { TOOLPOOL } from "../commands/toolpool.ts";
import { alive, fixture, TestPool } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { clinic, has, killed, lacks, outsider, type Answer, type Clinic } from "./clinic.ts";

/** The same program under another version, installed elsewhere. */
function installed(version: string, { withDatabase = true } = {}): string {
  const folder = tempFolder();
  cpSync(dirname(TOOLPOOL), join(folder, "dist"), { recursive: true });
  if (withDatabase) symlinkSync(join(dirname(TOOLPOOL), "../node_modules"), join(folder, "node_modules"));
  for (const name of readdirSync(join(folder, "dist")).filter((one) => one.endsWith(".js"))) {
    const file = join(folder, "dist", name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(`version:"${PROGRAM.version}"`, `version:"${version}"`));
  }
  return join(folder, "dist/toolpool.js");
}

async function lookFrom(program: string, place: Clinic): Promise<Answer["findings"]> {
  const env = { ...process.env, ...place.surroundings, TOOLPOOL_STATE: place.state, TOOLPOOL_CONFIG: place.configFile };
  const child = spawn(process.execPath, [program, "doctor", "--json"], {
    env,
    cwd: place.folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(child, "close");
  return (JSON.parse(text) as Answer).findings;
}

proves("DOC-9", "no daemon is a warning with the way to start one; a running one of this version is fine", async () => {
  const place = clinic();
  const none = await place.look();
  expect(none.code).toBe(0);
  has(none.findings, "daemon_absent", { level: "warning", command: "toolpool up" });
  await place.up();
  const { findings } = await place.look();
  for (const id of ["daemon_absent", "daemon_silent", "daemon_version", "daemon_contract", "daemon_replaced"] as const)
    lacks(findings, id);
});

proves("DOC-9", "after an update the old daemon goes on: older or newer is said, and that a restart mends it", async () => {
  const place = clinic();
  const { pid } = await place.up();
  const command = "toolpool down && toolpool up";
  has(await lookFrom(installed("9.0.0"), place), "daemon_version", {
    level: "warning",
    sentence: /is older than this toolpool \(version 9\.0\.0\)/,
    command,
  });
  has(await lookFrom(installed("0.0.1-beta"), place), "daemon_version", { sentence: /is newer/, command });
  expect(alive(pid)).toBe(true);
});

proves(
  "DOC-2",
  "where the native part of the database cannot be loaded, that is said with the command; where it can, not",
  async () => {
    const place = clinic();
    lacks((await place.look()).findings, "native_module");
    lacks((await place.look()).findings, "node_version");
    const program = installed(PROGRAM.version, { withDatabase: false });
    const findings = await lookFrom(program, place);
    has(findings, "native_module", { level: "error", command: `cd ${dirname(dirname(program))} && npm rebuild better-sqlite3` });
  },
);

proves("DOC-9", "a daemon of another contract is an error; somebody else on the socket is told from a daemon", async () => {
  const place = clinic();
  const stranger = outsider(process.execPath, [fixture("standin-daemon")], {
    ...process.env,
    TOOLPOOL_STATE: place.state,
    STANDIN: "contract",
  });
  const file = join(place.state, "daemon.json");
  while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
  has((await place.look()).findings, "daemon_contract", { level: "error", sentence: /speaks contract 1, the daemon 2/ });
  stranger.kill("SIGTERM");
  await once(stranger, "exit");
  rmSync(place.state, { recursive: true });
  mkdirSync(place.state, { mode: 0o700 });
  const socket = join(place.state, "toolpool.sock");
  const server = createServer((_, response) => response.end("hi")).listen(socket);
  await once(server, "listening");
  try {
    const { findings } = await place.look(["--fix"]);
    has(findings, "daemon_silent", { level: "error", sentence: /not as a daemon does/, command: `fuser -v ${socket}` });
    lacks(findings, "stale_socket");
    expect(existsSync(socket)).toBe(true);
  } finally {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
});

proves(
  "DOC-9",
  "other daemons of this user are listed with their state folder, one whose folder is gone too; none is ended",
  async () => {
    const place = clinic();
    const other = clinic();
    const lost = await TestPool.start();
    await place.up();
    const { pid } = await other.up();
    rmSync(lost.state, { recursive: true });
    const { findings } = await place.look(["--fix"]);
    has(findings, "several_daemons", {
      about: `pid ${String(pid)}`,
      level: "warning",
      sentence: new RegExp(`with the state folder ${other.state}`),
      command: `TOOLPOOL_STATE=${other.state} toolpool down`,
    });
    const lostPid = lost.process.pid ?? 0;
    has(findings, "several_daemons", {
      about: `pid ${String(lostPid)}`,
      sentence: /state folder is gone/,
      command: `kill ${String(lostPid)}`,
    });
    const own = await place.json<{ daemon: { pid: number } }>("status");
    lacks(findings, "several_daemons", `pid ${String(own.daemon.pid)}`);
    expect([pid, lostPid].map(alive)).toEqual([true, true]);
    await killed(lostPid);
    await lost.kill();
  },
);
