// Servers: their commands, how they failed, what nobody has reviewed. And that nothing is started by looking.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ServerStatus, SessionInfo } from "../../daemon/contract/index.ts";
import { fixture, scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { clinic, has, lacks, type Clinic } from "./clinic.ts";

function program(place: Clinic, name: string, mode = 0o755): string {
  const folder = join(place.folder, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), "#!/bin/sh\nexit 1\n");
  chmodSync(join(folder, name), mode);
  return folder;
}

proves(
  "DOC-6",
  "a command that is not there, not executable, there for us and not for the daemon, and where it was looked for",
  async () => {
    const place = clinic({
      absent: { command: "no-such-program", tools: {} },
      hidden: { command: "no-such-program", env: { PATH: "/nowhere/at-all" }, tools: {} },
      plain: { command: "plain-text", tools: {} },
      ours: { command: "only-here", tools: {} },
      path: { command: "./bin/only-here", tools: {} },
      runner: { command: "uvx", args: ["some-server==1.2.0"], env: { PATH: "/nowhere" }, tools: {} },
      away: { command: "true", cwd: "not/there", tools: {} },
      sound: { command: process.execPath, tools: {} },
    });
    const bin = program(place, "only-here");
    program(place, "plain-text", 0o644);
    await place.up();
    const { findings } = await place.look([], { PATH: `${bin}:/usr/bin:/bin` });
    const absent = has(findings, "command_not_found", { about: "absent", level: "error", command: /^\$\{EDITOR:-vi\} \+1 / });
    expect(absent.details).toEqual([`looked in: ${bin}, /usr/bin, /bin`]);
    expect(has(findings, "command_not_found", { about: "hidden" }).details).toEqual([
      "looked in the PATH that the configuration sets for it",
    ]);
    has(findings, "command_not_found", { about: "plain", sentence: /not an executable program/ });
    has(findings, "command_not_found", { about: "runner", command: "pipx install uv" });
    has(findings, "daemon_path", { about: "ours", level: "error", command: "toolpool down && toolpool up" });
    has(findings, "cwd_missing", { about: "away", level: "error", sentence: /not\/there/ });
    for (const alias of ["path", "sound"])
      for (const id of ["command_not_found", "daemon_path", "cwd_missing"] as const) lacks(findings, id, alias);
  },
);

proves("DOC-6", "packages of every runner: a version is pinned when it is exact, else it is the newest of the day", async () => {
  const server = (command: string, ...args: readonly string[]): object => ({ command, args, tools: {} });
  const place = clinic({
    bare: server("npx", "-y", "@scope/server", "/data"),
    tag: server("npx", "--yes", "server@latest"),
    range: server("npx", "-y", "server@^1.2.0"),
    named: server("npx", "-y", "--package", "@scope/server", "run-it"),
    python: server("uvx", "--python", "3.12", "mcp-server-git", "--repository", "."),
    exact: server("npx", "-y", "@scope/server@1.2.3", "/data"),
    other: server("npx", "-y", "--package=@scope/server@1.2.3", "run-it"),
    fixed: server("uvx", "mcp-server-git==2025.1.14"),
    folder: server("npx", "./local"),
    varied: server("npx", "-y", "${DOCTOR_PACKAGE:-x}"),
    script: server("npm", "run", "serve"),
    plain: server("node", "server.js"),
  });
  const { findings } = await place.look();
  for (const alias of ["bare", "tag", "range", "named", "python"])
    has(findings, "unpinned_package", { about: alias, level: "warning" });
  has(findings, "unpinned_package", { about: "bare", sentence: /version of @scope\/server is the newest when npx starts it/ });
  has(findings, "unpinned_package", { about: "python", sentence: /mcp-server-git/ });
  for (const alias of ["exact", "other", "fixed", "folder", "varied", "script", "plain"])
    lacks(findings, "unpinned_package", alias);
});

proves("DOC-7", "a server that failed: why, the end of its stderr, and the way on; one that works has nothing", async () => {
  const place = clinic({
    broken: { command: process.execPath, args: ["-e", "console.error('one\\ntwo\\nthree'); process.exit(3)"], tools: {} },
    works: scripted({ tools: [{ name: "echo" }] }),
  });
  await place.up();
  await place.ok("connect", "works");
  lacks((await place.look()).findings, "server_failed");
  expect((await place.toolpool(["connect", "broken"])).code).toBe(1);
  const { findings, code } = await place.look();
  expect(code).toBe(1);
  const failed = has(findings, "server_failed", { about: "broken", level: "error", command: "toolpool restart broken" });
  expect(failed.details).toEqual(expect.arrayContaining(["stderr: one", "stderr: two", "stderr: three"]));
  lacks(findings, "server_failed", "works");
  expect((await place.run([])).stdout).toMatch(/✗ broken failed \(.*\): [^\n]*\n[^✗!✓]*stderr: three\n +toolpool restart broken/);
});

const marker = (place: Clinic, name: string): string => join(place.folder, `started-${name}`);
const marking = (place: Clinic, name: string): object => ({
  command: process.execPath,
  args: ["-e", `require("fs").writeFileSync(${JSON.stringify(marker(place, name))}, "")`],
});

proves(
  "DOC-14",
  "with and without a daemon, with --fix: no server is started, reviewed or not, and no file is changed",
  async () => {
    const place = clinic();
    place.configure({ reviewed: { ...marking(place, "reviewed"), tools: {} }, fresh: marking(place, "fresh") });
    const before = readFileSync(place.configFile, "utf8");
    for (const words of [[], ["--fix"]]) await place.look(words);
    expect(place.stateFiles()).toEqual([]);
    await place.up();
    const files = place.stateFiles();
    for (const words of [[], ["--fix"]]) await place.look(words);
    expect([existsSync(marker(place, "reviewed")), existsSync(marker(place, "fresh"))]).toEqual([false, false]);
    expect(place.stateFiles()).toEqual(files);
    expect(readFileSync(place.configFile, "utf8")).toBe(before);
  },
);

proves("DOC-14", "--start tries what is reviewed: not the unreviewed, the changed, the disabled", async () => {
  const place = clinic();
  const entry = marking(place, "changed");
  place.configure({
    reviewed: { ...marking(place, "reviewed"), tools: {} },
    fresh: marking(place, "fresh"),
    changed: { ...entry, tools: {} },
    off: { ...marking(place, "off"), tools: {}, disabled: true },
  });
  const launch = { type: "stdio", command: "another", args: [], env: [], cwd: "." };
  writeFileSync(
    join(place.folder, "toolpool.lock.json"),
    JSON.stringify({ lockVersion: 1, servers: { changed: { launch, tools: {} } } }),
  );
  await place.up();
  const { started, findings } = await place.look(["--start"]);
  expect(started).toEqual(["reviewed"]);
  has(findings, "server_failed", { about: "reviewed" });
  const names = ["reviewed", "fresh", "changed", "off"];
  expect(names.filter((name) => existsSync(marker(place, name)))).toEqual(["reviewed"]);
});

proves("DOC-7", "--start gives back what it started, leaves what others hold, and says what did not start", async () => {
  const place = clinic({
    held: scripted({ tools: [{ name: "echo" }] }),
    idle: scripted({ tools: [{ name: "echo" }] }),
    ends: { command: process.execPath, args: [fixture("exits-at-once")], tools: {} },
  });
  await place.up();
  await place.ok("connect", "held");
  const before = await place.json<ServerStatus[]>("servers");
  const { started, findings } = await place.look(["--start"]);
  expect([...started].sort()).toEqual(["ends", "idle"]);
  has(findings, "server_failed", { about: "ends" });
  lacks(findings, "server_failed", "idle");
  const after = await place.json<ServerStatus[]>("servers");
  const pidOf = (list: ServerStatus[], alias: string): unknown => list.find((one) => one.alias === alias)?.pid;
  expect(pidOf(after, "held")).toBe(pidOf(before, "held"));
  expect(after.map(({ alias, state }) => `${alias} ${state.kind}`)).toEqual(["held connected", "idle idle", "ends failed"]);
  expect(await place.withClient((client) => client.get<readonly SessionInfo[]>("/v1/sessions"))).toEqual([]);
});

proves(
  "DOC-8",
  "nobody has reviewed it, it is not as it was reviewed, it has no pins; and reviewed ones have nothing",
  async () => {
    const place = clinic();
    const entry = { command: "true", tools: {} };
    place.configure({
      fresh: { command: "true" },
      changed: { ...entry, args: ["--now"] },
      loose: entry,
      pinned: entry,
      off: { command: "true", disabled: true },
    });
    const launch = { type: "stdio", command: "true", args: [], env: [], cwd: "." };
    const servers = { changed: { launch, tools: {} }, pinned: { launch, tools: {} } };
    writeFileSync(join(place.folder, "toolpool.lock.json"), JSON.stringify({ lockVersion: 1, servers }));
    const { findings, code } = await place.look();
    expect(code).toBe(1);
    has(findings, "unreviewed", { about: "fresh", level: "warning", command: "toolpool review fresh" });
    has(findings, "drifted", {
      about: "changed",
      level: "error",
      sentence: /"args" .* not as reviewed/,
      command: "toolpool review changed",
    });
    has(findings, "not_pinned", { about: "loose", level: "warning", command: "toolpool review loose" });
    for (const id of ["unreviewed", "drifted", "not_pinned"] as const) {
      lacks(findings, id, "pinned");
      lacks(findings, id, "off");
    }
  },
);

proves("DOC-8", "a server that publishes other tools than its policy names is one to review again", async () => {
  const place = clinic({ other: scripted({ tools: [{ name: "echo" }] }, { tools: { another: "read" } }) });
  await place.up();
  await place.toolpool(["connect", "other"]);
  const drifted = has((await place.look()).findings, "drifted", {
    about: "other",
    level: "error",
    command: "toolpool review other",
  });
  expect(drifted.details?.join("\n")).toContain("another");
});
