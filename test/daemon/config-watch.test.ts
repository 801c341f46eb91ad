// The daemon takes a saved configuration by itself: every way to save, what it leaves alone, what it cannot take.
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ConfigStatus, VersionRow } from "../../daemon/contract/index.ts";
import { FileWatch } from "../../daemon/lifecycle/file-watch.ts";
import { alive, codeOf, scripted, TestPool } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };
const alpha = scripted({ tools: [ECHO] });
const textOf = (servers: Readonly<Record<string, unknown>>): string => JSON.stringify({ mcpServers: servers });

const statusOf = (pool: TestPool): Promise<ConfigStatus> => pool.client.get<ConfigStatus>("/v1/config");

/** Asks again and again: each answer comes from the daemon's own event loop. */
async function until(pool: TestPool, wanted: (status: ConfigStatus) => boolean): Promise<ConfigStatus> {
  for (;;) {
    const status = await statusOf(pool);
    if (wanted(status)) return status;
  }
}

const taken = (pool: TestPool, servers: number): Promise<ConfigStatus> =>
  until(pool, (status) => !status.stale && status.servers === servers);

proves("CFW-1", "in place, renamed over twice, removed and made again", async () => {
  const folder = tempFolder();
  const pool = await TestPool.start({ servers: {}, folder, watch: true });
  const names = ["a", "b", "c", "d"];
  const servers = (count: number): string => textOf(Object.fromEntries(names.slice(0, count).map((name) => [name, alpha])));
  expect(await statusOf(pool)).toMatchObject({ watched: true, stale: false, servers: 0 });
  writeFileSync(pool.configFile, servers(1));
  await taken(pool, 1);
  writeFileSync(`${pool.configFile}.new`, servers(2));
  renameSync(`${pool.configFile}.new`, pool.configFile);
  await taken(pool, 2);
  rmSync(pool.configFile);
  expect((await until(pool, ({ stale }) => stale)).servers).toBe(2);
  writeFileSync(pool.configFile, servers(3));
  await taken(pool, 3);
  // The second rename over it: the watch follows the file that is there now.
  writeFileSync(`${pool.configFile}.new`, servers(4));
  renameSync(`${pool.configFile}.new`, pool.configFile);
  await taken(pool, 4);
  await pool.stop();
});

proves("CFW-1", "through links that are turned, as a mounted configuration is", async () => {
  const folder = tempFolder();
  const real = join(folder, "mount");
  for (const [name, count] of [
    ["v1", 1],
    ["v2", 2],
    ["v3", 3],
  ] as const) {
    mkdirSync(join(real, name), { recursive: true });
    const servers = Object.fromEntries(["a", "b", "c"].slice(0, count).map((alias) => [alias, alpha]));
    writeFileSync(join(real, name, "config.json"), textOf(servers));
  }
  symlinkSync("v1", join(real, "..data"));
  symlinkSync(join("..data", "config.json"), join(real, "config.json"));
  const pool = await TestPool.start({ folder, watch: true, env: { TOOLPOOL_CONFIG: join(real, "config.json") } });
  await taken(pool, 1);
  for (const [version, count] of [
    ["v2", 2],
    ["v3", 3],
    ["v1", 1],
  ] as const) {
    symlinkSync(version, join(real, "..next"));
    renameSync(join(real, "..next"), join(real, "..data"));
    await taken(pool, count);
  }
  await pool.stop();
});

proves("CFW-1", "the lock file counts too: a pin that does not fit withdraws, the old one lets it back", async () => {
  const { review } = await import("./reviewed.ts");
  const { tools: _, ...unreviewed } = alpha;
  const pool = await TestPool.start({ servers: { alpha: unreviewed }, watch: true });
  await review(pool, "alpha");
  await pool.client.request("servers.connect", { alias: "alpha" });
  const before = await pool.version();
  const lockFile = join(pool.folder, "toolpool.lock.json");
  const lock = readFileSync(lockFile, "utf8");
  writeFileSync(lockFile, lock.replace(/"digest": "[0-9a-f]{64}"/, `"digest": "${"0".repeat(64)}"`));
  expect(await pool.until(before, () => true)).toMatchObject({ removed: ["mcp__alpha__echo"] });
  await pool.stop();
});

proves(
  "CFW-2",
  "half written, UTF-16, a folder in its place: the last good one stays, is said, and is followed by the next good one",
  async () => {
    const pool = await TestPool.start({ servers: { alpha }, watch: true });
    const lead = await pool.lead(["alpha"]);
    const before = await pool.version();
    const good = textOf({ alpha, beta: alpha });
    const bad: readonly (readonly [string | Buffer, RegExp])[] = [
      [good.slice(0, good.length / 2), /ends too early|not closed/],
      ["", /empty/],
      [Buffer.from(`\ufeff${good}`, "utf16le"), /UTF-16/],
    ];
    for (const [content, message] of bad) {
      writeFileSync(pool.configFile, content);
      const status = await until(pool, ({ stale, errors }) => stale && errors.some((error) => message.test(error.message)));
      expect(status).toMatchObject({ servers: 1, errors: [{ pointer: "", line: 1 }] });
    }
    rmSync(pool.configFile);
    mkdirSync(pool.configFile);
    await until(pool, ({ errors }) => errors.some(({ message }) => message.includes("folder")));
    expect(await pool.version()).toBe(before);
    expect(codeOf(await lead.call("mcp__alpha__echo"))).toBe("ok");
    expect(readFileSync(join(pool.state, "daemon.log"), "utf8") + (await statusOf(pool)).file).toContain(pool.configFile);
    rmSync(pool.configFile, { recursive: true });
    writeFileSync(pool.configFile, `\ufeff${good}`);
    expect(await taken(pool, 2)).toMatchObject({ errors: [] });
    await pool.stop();
  },
);

proves(
  "CFW-3",
  "comments, order, layout and words touch nothing; a change is one version down and one up; a removed server is gone",
  async () => {
    const other = scripted({ tools: [ECHO] });
    const pool = await TestPool.start({ servers: { alpha, beta: other, gamma: other }, watch: true });
    const lead = await pool.lead(["alpha", "beta", "gamma"]);
    const pids = async (): Promise<readonly (number | undefined)[]> =>
      Promise.all(["alpha", "beta"].map(async (alias) => (await pool.server(alias)).pid));
    const before = await pool.version();
    const [pid] = await pids();
    const loads = (await statusOf(pool)).loads;
    const shuffled = Object.fromEntries(Object.entries(alpha).toReversed());
    writeFileSync(
      pool.configFile,
      `// a word\n${JSON.stringify({ mcpServers: { gamma: other, beta: other, alpha: shuffled } }, null, 4)}\n`,
    );
    await until(pool, (status) => status.loads > loads);
    expect(await pool.version()).toBe(before);
    // A description is for those who choose: one version for what they are offered, and no restart.
    writeFileSync(pool.configFile, textOf({ alpha: { ...alpha, description: "mine" }, beta: other, gamma: other }));
    await until(pool, (status) => status.loads > loads + 1);
    expect((await pids())[0]).toBe(pid);
    expect(JSON.stringify((await lead.snapshot()).tools)).toContain("alpha: mine");
    const described = await pool.version();
    const { pid: gone } = await pool.server("gamma");
    const call = lead.call("mcp__alpha__echo");
    writeFileSync(
      pool.configFile,
      textOf({ alpha: { ...alpha, description: "mine" }, beta: scripted({ tools: [ECHO, { name: "more" }] }) }),
    );
    const again = await pool.until(described, ({ added }) => added.length > 0);
    expect(codeOf(await call)).toBe("ok");
    const rows: readonly VersionRow[] = await pool.versions(described);
    const told = rows.map(({ added, removed }) => `${removed.join(",")}>${added.join(",")}`).filter((row) => row !== ">");
    expect(told.toSorted()).toEqual([">mcp__beta__echo,mcp__beta__more", "mcp__beta__echo>", "mcp__gamma__echo>"]);
    expect(again.added).toEqual(["mcp__beta__echo", "mcp__beta__more"]);
    expect((await pids())[0]).toBe(pid);
    await until(pool, () => !alive(gone ?? 0));
    await expect(pool.server("gamma")).rejects.toMatchObject({ reason: "unknown_alias" });
    await pool.stop();
  },
);

proves("CFW-4", "two hundred saves are few readings, and the last one holds", async () => {
  const pool = await TestPool.start({ servers: {}, watch: true });
  const { loads } = await statusOf(pool);
  for (let save = 1; save <= 200; save++) {
    const count = save === 200 ? 3 : save % 3;
    const servers = Object.fromEntries(["a", "b", "c"].slice(0, count).map((alias) => [alias, { ...alpha, queueLimit: save }]));
    writeFileSync(pool.configFile, textOf(servers));
  }
  const status = await taken(pool, 3);
  expect(status.loads - loads).toBeLessThan(20);
  const { changed } = await pool.client.request("config.reload", {});
  expect(changed).toEqual([]);
  await pool.stop();
});

proves("CFW-5", "a change while the daemon closes changes nothing, and nothing of the watch is left", async () => {
  const pool = await TestPool.start({ servers: { alpha }, watch: true });
  await pool.lead(["alpha"]);
  const closing = pool.client.request("daemon.shutdown", {});
  writeFileSync(pool.configFile, textOf({ alpha, beta: alpha }));
  await closing;
  expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
  expect(readFileSync(join(pool.state, "daemon.log"), "utf8")).not.toContain("beta");
});

proves("CFW-6", "a system without watches is said once, looked at slowly, and said again when it watches", async () => {
  const folder = tempFolder();
  const file = join(folder, "config.json");
  writeFileSync(file, "1");
  const said: (string | undefined)[] = [];
  let full = true;
  let looks = 0;
  let wake: () => void = () => undefined;
  const { watch } = await import("node:fs");
  const files = new FileWatch(
    [file],
    {
      look: () => {
        looks++;
        wake();
        return Promise.resolve();
      },
      onTrouble: (code) => {
        said.push(code);
        wake();
      },
      watch: (path, options, listener) => {
        if (full) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
        return watch(path, options, listener);
      },
    },
    { quietMs: 1, longestMs: 5, slowMs: 5 },
  );
  const looked = async (count: number): Promise<void> => {
    while (looks < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  // Its own timers keep nothing alive.
  const alive = setInterval(() => undefined, 1_000);
  await files.start();
  expect(said).toEqual(["ENOSPC"]);
  await looked(3);
  full = false;
  while (said.length < 2) await new Promise<void>((resolve) => (wake = resolve));
  expect(said).toEqual(["ENOSPC", undefined]);
  files.close();
  await files.settled;
  clearInterval(alive);
});
