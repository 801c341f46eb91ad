// The lock file: how it is read, how it fails, how it is written.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { loadConfig, checkFile } from "../../config/load.ts";
import { withLockEntry } from "../../config/lock-edit.ts";
import { LOCK_NAME, parseLock, type LockEntry } from "../../config/lock.ts";
import { packageRunner } from "../../config/package-runner.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const launch = { type: "stdio", command: "node", args: ["a.js"], env: ["A", "B"], cwd: "." } as const;
const entry = (...tools: readonly string[]): LockEntry => ({
  launch,
  tools: new Map(
    tools.map((name) => [name, { digest: "0".repeat(64), definition: `{"maximum":1e400,"name":${JSON.stringify(name)}}` }]),
  ),
});

proves("PIN-8", "one line a tool, in order, and other servers' bytes stay", () => {
  const first = withLockEntry(undefined, "beta", entry("b", "a", "__proto__"));
  const lines = first.split("\n");
  const tools = lines.filter((line) => line.includes('"digest"')).map((line) => line.trim().split(":")[0]);
  expect(tools).toEqual(['"__proto__"', '"a"', '"b"']);
  // A number that a double cannot hold is the same text again.
  expect(first).toContain('"maximum":1e400');
  const all = ["gamma", "alpha"].reduce((text, alias) => withLockEntry(text, alias, entry("t")), first);
  expect(all.match(/^ {4}"\w+"/gm)).toEqual(['    "alpha"', '    "beta"', '    "gamma"']);
  const changed = withLockEntry(all, "beta", entry("b", "c"));
  const kept = (text: string): readonly string[] => text.split("\n").filter((line) => !/"(?:a|b|c|__proto__)"/.test(line));
  expect(kept(changed)).toEqual(kept(all));
  expect(withLockEntry(changed, "beta", entry("b", "a", "__proto__"))).toBe(all);
  const read = parseLock(all, "/lock");
  if (read.kind === "refused") throw new Error("refused");
  const beta = read.lock.get("beta");
  expect(beta?.kind === "locked" ? [beta.launch, [...beta.tools.keys()].length] : beta).toEqual([launch, 3]);
});

async function pool(lock: string | Buffer): Promise<string> {
  const folder = tempFolder();
  const file = join(folder, "config.json");
  await writeFile(
    file,
    JSON.stringify({ mcpServers: { alpha: { command: "node", tools: {} }, beta: { command: "node", tools: {} } } }),
  );
  await writeFile(join(folder, LOCK_NAME), lock);
  return file;
}

proves("PIN-4", "whatever is wrong with the whole file refuses the configuration, with file, line and what to do", async () => {
  const cases: readonly (readonly [string | Buffer, number, RegExp])[] = [
    ["", 1, /empty.*restore the lock file/],
    ['{\n  "lockVersion": 1,\n  "servers": {', 3, /ends too early.*restore/],
    ['{\n<<<<<<< ours\n  "lockVersion": 1\n=======\n>>>>>>> theirs\n}', 2, /merge conflict/],
    ["[]", 1, /must hold an object/],
    ['{\n"lockVersion": 2, "servers": {}}', 2, /"lockVersion" must be 1/],
    ['{"lockVersion": 1,\n "servers": []}', 2, /"servers" must be an object/],
    [Buffer.from("\ufeff{}", "utf16le"), 1, /UTF-16/],
  ];
  for (const [text, line, message] of cases) {
    const file = await pool(text);
    const loaded = await loadConfig(file, {});
    const [issue] = loaded.kind === "refused" ? loaded.issues : [];
    expect(issue, String(text)).toMatchObject({
      file: join(file, "..", LOCK_NAME),
      line,
      message: expect.stringMatching(message) as unknown,
    });
    expect((await checkFile(file, {})).kind).toBe("refused");
  }
});

proves("PIN-4", "a broken entry refuses its server and no other; a byte order mark is taken", async () => {
  const sound = withLockEntry(undefined, "alpha", entry("t"));
  const broken = [
    sound.replace('"command":"node"', '"command":1'),
    sound.replace('"digest"', '"digets"'),
    sound.replace(/"launch".*\n/, ""),
    sound.replace('"definition": {', '"definition": [{').replace("}}\n", "}]}\n"),
  ];
  for (const text of broken) {
    const loaded = await loadConfig(await pool(`\ufeff${text}`), {});
    const servers = loaded.kind === "ok" ? loaded.config.servers : new Map();
    expect(servers.get("alpha"), text).toMatchObject({
      kind: "unreviewed",
      issues: [{ pointer: "/servers/alpha", line: 4, message: expect.stringContaining("toolpool review alpha") as unknown }],
    });
    expect(servers.get("beta")).toMatchObject({ kind: "valid" });
  }
  const file = await pool(sound);
  await writeFile(join(file, "..", LOCK_NAME), await readFile(join(file, "..", LOCK_NAME), "utf8"));
  const loaded = await loadConfig(file, {});
  const alpha = loaded.kind === "ok" ? loaded.config.servers.get("alpha") : undefined;
  expect(alpha?.kind === "valid" ? alpha.spec.pins?.launch : undefined).toEqual(["args", "env"]);
});

proves("PIN-10", "package runners are known by program and verb, and by no other", () => {
  const cases: readonly (readonly [string, readonly string[], string | undefined])[] = [
    ["npx", ["-y", "pkg"], "npm"],
    ["/usr/local/bin/npx", [], "npm"],
    ["C:\\Program Files\\nodejs\\npx.cmd", ["pkg"], "npm"],
    ["npm", ["exec", "pkg"], "npm"],
    ["npm", ["--silent", "x", "pkg"], "npm"],
    ["npm", ["start"], undefined],
    ["pnpm", ["dlx", "pkg"], "pnpm"],
    ["uvx", ["pkg"], "uv"],
    ["uv", ["tool", "run", "pkg"], "uv"],
    ["docker", ["run", "-i", "image"], "docker"],
    ["docker", ["ps"], undefined],
    ["node", ["npx"], undefined],
    ["npx-like", [], undefined],
    ["toString", [], undefined],
  ];
  for (const [command, args, runner] of cases) expect(packageRunner({ command, args }), command).toBe(runner);
});
