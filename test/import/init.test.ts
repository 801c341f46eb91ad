// `toolpool init`: what it writes runs, and what is there it leaves alone.
import { lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { Desk } from "./desk.ts";

proves("IMP-1", "the file is sound, explained, its owner's only, and its servers run", async () => {
  const desk = new Desk();
  rmSync(desk.place.configFile);
  const made = await desk.run("init");
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).toMatch(/Wrote .*toolpool\.json with two demo servers[\s\S]*toolpool up[\s\S]*toolpool import/);
  expect(statSync(desk.place.configFile).mode & 0o777).toBe(0o600);
  for (const word of ["toolpool import", "toolpool review <alias>", "toolpool doctor", "${NAME:-default}"]) {
    expect(desk.config).toContain(word);
  }
  const check = await desk.run("check");
  expect(check.code).toBe(0);
  expect(check.stdout).toMatch(/demo_alpha +valid[\s\S]*demo_beta +valid/);
  try {
    await desk.run("up", "--port", "0");
    expect((await desk.run("connect", "demo_alpha")).code).toBe(0);
    const called = await desk.run("call", "mcp__demo_alpha__lookup", '{"query":"x"}');
    expect(called.stdout).toContain('"label":"alpha"');
  } finally {
    await desk.place.close();
  }
});

proves("IMP-1", "its folder is made for its owner only; import adds to it", async () => {
  const desk = new Desk();
  const file = join(desk.home, ".config", "toolpool", "config.json");
  const made = await desk.place.toolpool(["init", "--json"], { env: { ...desk.env, TOOLPOOL_CONFIG: "" }, cwd: desk.project });
  expect(JSON.parse(made.stdout)).toEqual({ file, servers: ["demo_alpha", "demo_beta"] });
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  desk.put(".cursor/mcp.json", { mcpServers: { memory: { command: "x" } } });
  const before = readFileSync(file, "utf8");
  expect((await desk.import("--all", "--config", file)).code).toBe(0);
  const after = readFileSync(file, "utf8");
  for (const line of before.split("\n")) expect(after).toContain(line);
  expect(after).toContain('"memory"');
});

proves("IMP-1", "what is there is never touched, whatever it is, and it is said what to do", async () => {
  const desk = new Desk();
  const before = desk.config;
  const refused = await desk.run("init");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`There is a configuration already, and it was left as it is: ${desk.place.configFile}`);
  expect(refused.stderr).toMatch(/toolpool import.*toolpool review.*toolpool check/);
  expect(desk.config).toBe(before);
  const folder = join(desk.home, "folder");
  mkdirSync(folder);
  const link = join(desk.home, "link.json");
  symlinkSync("nowhere.json", link);
  for (const there of [folder, link]) expect((await desk.run("init", "--config", there)).code).toBe(2);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  const blocked = await desk.run("init", "--config", join(desk.put("file", ""), "config.json"));
  expect([blocked.code, blocked.stderr]).toEqual([2, expect.stringContaining("cannot be written")]);
});

proves("IMP-1", "of several that begin at once one writes, and the others say that it is there", async () => {
  const desk = new Desk();
  rmSync(desk.place.configFile);
  const ends = await Promise.all([1, 2, 3].map(() => desk.run("init")));
  expect(ends.map(({ code }) => code).toSorted()).toEqual([0, 2, 2]);
  expect((await desk.run("check")).code).toBe(0);
});
