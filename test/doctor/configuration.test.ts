// The configuration as the doctor sees it: refused, faulty, open to strangers, not the one the daemon has.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { alive, scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { clinic, has, lacks } from "./clinic.ts";

proves("DOC-5", "a file that is missing, a folder, broken, or of another program: the place, exit code 1, never 2", async () => {
  const place = clinic();
  lacks((await place.look()).findings, "config_file");
  place.write('{"mcpServers": {\n  "a": }');
  const broken = await place.look();
  expect(broken.code).toBe(1);
  has(broken.findings, "config_file", { level: "error", command: `\${EDITOR:-vi} +2 ${place.configFile}` });
  place.write('{"servers": {}}');
  has((await place.look()).findings, "config_file", { sentence: /mcpServers/ });
  rmSync(place.configFile);
  has((await place.look()).findings, "config_file", { sentence: /no such file/, command: "toolpool init" });
  mkdirSync(place.configFile);
  has((await place.look()).findings, "config_file", { sentence: /folder/ });
  rmSync(place.configFile, { recursive: true });
});

proves(
  "DOC-5",
  "every fault of one server, with its line; unset variables by name, once each; tools that would be refused",
  async () => {
    const place = clinic();
    const long = "x".repeat(70);
    place.write(`{"mcpServers": {
    "typo": {"comand": "true", "tools": {}},
    "needs": {"command": "true", "args": ["\${FIRST_KEY}", "\${SET_KEY}", "\${OTHER:-x}"], "env": {"A": "\${SECOND_KEY}"}, "tools": {}},
    "wide": {"command": "true", "tools": {"${long}": "read"}},
    "fine": {"command": "true", "tools": {}}
  }}`);
    const { findings, code } = await place.look([], { SET_KEY: "set" });
    expect(code).toBe(1);
    has(findings, "config_server", { about: "typo", sentence: /"comand" is not a known key/, command: `+2 ${place.configFile}` });
    has(findings, "unset_variable", {
      about: "needs",
      sentence: /FIRST_KEY/,
      command: /^export FIRST_KEY=… && toolpool down && toolpool up$/,
    });
    has(findings, "unset_variable", { about: "needs", sentence: /SECOND_KEY/ });
    expect(findings.filter(({ about, level }) => about === "needs" && level === "error")).toHaveLength(2);
    has(findings, "config_warning", { about: "wide", level: "warning", command: `+4 ${place.configFile}` });
    for (const id of ["config_server", "unset_variable", "config_warning"] as const) lacks(findings, id, "fine");
  },
);

proves("DOC-5", "who may write the file decides what is started: found in file and folder, mended by --fix", async () => {
  const place = clinic();
  lacks((await place.look()).findings, "config_mode");
  chmodSync(place.configFile, 0o666);
  chmodSync(place.folder, 0o777);
  const { findings } = await place.look();
  has(findings, "config_mode", {
    about: place.configFile,
    level: "error",
    command: `chmod o-w ${place.configFile}`,
    fixable: true,
  });
  has(findings, "config_mode", { about: place.folder, level: "error" });
  expect((await place.look(["--fix"])).fixed.map(({ kind }) => kind)).toEqual(["done", "done"]);
  lacks((await place.look()).findings, "config_mode");
  // Others may write in a sticky folder, but not replace what is not theirs.
  chmodSync(place.folder, 0o1777);
  lacks((await place.look()).findings, "config_mode");
});

proves("DOC-5", "a lock file that is none refuses all, and entries without a server are told", async () => {
  const place = clinic({ fine: { command: "true", tools: {} } });
  const file = join(place.folder, "toolpool.lock.json");
  lacks((await place.look()).findings, "lock_file");
  writeFileSync(file, "<<<<<<< mine\n{}\n");
  has((await place.look()).findings, "lock_file", { level: "error", sentence: /merge conflict/, command: `+1 ${file}` });
  const launch = { type: "stdio", command: "true", args: [], env: [], cwd: "." };
  writeFileSync(file, JSON.stringify({ lockVersion: 1, servers: { fine: { launch, tools: {} }, gone: { launch, tools: {} } } }));
  const { findings, code } = await place.look();
  expect(code).toBe(0);
  lacks(findings, "lock_file");
  has(findings, "lock_leftover", { about: file, sentence: /gone/ });
  writeFileSync(file, JSON.stringify({ lockVersion: 1, servers: { fine: { launch, tools: {} } } }));
  lacks((await place.look()).findings, "lock_leftover");
});

proves("DOC-5", "the daemon runs with another file, or was started where a variable was not set", async () => {
  const place = clinic({ needs: { command: "true", args: ["${DOCTOR_KEY}"], tools: {} }, plain: scripted({}) });
  const { pid } = await place.up();
  const here = await place.look([], { DOCTOR_KEY: "secretly-set" });
  has(here.findings, "daemon_environment", {
    about: "needs",
    level: "error",
    sentence: /DOCTOR_KEY was not set/,
    command: "toolpool down && toolpool up",
  });
  lacks(here.findings, "unset_variable");
  lacks(here.findings, "daemon_environment", "plain");
  lacks(here.findings, "config_other");
  lacks(here.findings, "config_not_loaded");
  const other = join(place.folder, "other.json");
  writeFileSync(other, '{"mcpServers": {}}');
  const there = await place.look([], { TOOLPOOL_CONFIG: other });
  has(there.findings, "config_other", { about: other, command: `export TOOLPOOL_CONFIG=${place.configFile}` });
  expect(alive(pid)).toBe(true);
});
