import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { readTools } from "../../client/tools/read-tools.ts";
import { Workspace } from "../../client/tools/workspace.ts";
import { writeTools } from "../../client/tools/write-tools.ts";
import type { JsonObject } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

interface Setting {
  readonly root: string;
  readonly outside: string;
  readonly call: (name: string, args: JsonObject) => Promise<string>;
}

/** A folder `root` beside a folder `outside` with a secret. */
async function setting(): Promise<Setting> {
  const base = realpathSync(tempFolder());
  const root = join(base, "root");
  const outside = join(base, "outside");
  for (const folder of [root, outside, join(root, "src")]) mkdirSync(folder);
  writeFileSync(join(outside, "secret.txt"), "secret\n");
  writeFileSync(join(root, "src/one.txt"), "first\nsecond\n");
  const workspace = await Workspace.open(root);
  const tools = new Map([...readTools(workspace), ...writeTools(workspace)].map((tool) => [tool.name, tool]));
  const { signal } = new AbortController();
  const call = async (name: string, args: JsonObject): Promise<string> => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    try {
      return await tool.run(args, { signal });
    } catch (error) {
      return error instanceof Error && "code" in error ? `!${String(error.code)}` : `!${String(error)}`;
    }
  };
  return { root, outside, call };
}

proves("LEAD-18", "no path, absolute path or link leads out, neither to read nor to write, existing or not", async () => {
  const { root, outside, call } = await setting();
  symlinkSync(outside, join(root, "way"));
  symlinkSync(join(outside, "secret.txt"), join(root, "file"));
  symlinkSync(join(outside, "new.txt"), join(root, "dangling"));
  symlinkSync("loop", join(root, "loop"));
  const ways = [
    "../outside/secret.txt",
    join(outside, "secret.txt"),
    "way/secret.txt",
    "way/none/deeper.txt",
    "src/../../outside/secret.txt",
    "file",
    "dangling",
    "loop",
    "/etc/hostname",
    "/nowhere/at/all",
    "..",
  ];
  for (const path of ways) {
    expect(await call("read_file", { path }), path).toBe("!outside_workspace");
    expect(await call("write_file", { path, content: "x" }), path).toBe("!outside_workspace");
    expect(await call("edit_file", { path, old: "secret", new: "x" }), path).toBe("!outside_workspace");
    expect(await call("list_files", { path }), path).toBe("!outside_workspace");
    expect(await call("search_files", { path, text: "secret" }), path).toBe("!outside_workspace");
  }
  expect(await call("search_files", { text: "secret" })).toBe("[no match]");
  expect(await call("read_file", { path: "a\0b" })).toBe("!invalid_path");
  expect(readdirSync(outside)).toEqual(["secret.txt"]);
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("secret\n");
});

proves("LEAD-18", "paths and links that stay inside work, absolute ones too", async () => {
  const { root, call } = await setting();
  symlinkSync("src", join(root, "sources"));
  symlinkSync("src/one.txt", join(root, "link.txt"));
  expect(await call("read_file", { path: "sources/../src/one.txt" })).toBe("first\nsecond");
  expect(await call("read_file", { path: join(root, "src/one.txt") })).toBe("first\nsecond");
  expect(await call("write_file", { path: "link.txt", content: "new\n" })).toBe("Replaced src/one.txt");
  expect(readFileSync(join(root, "src/one.txt"), "utf8")).toBe("new\n");
  expect(await call("list_files", {})).toBe("link.txt@\nsources@\nsrc/");
  expect(await call("list_files", { recursive: true })).toContain("src/one.txt");
});

proves("LEAD-18", "writing makes folders, keeps the mode, leaves no draft, and does not touch .git", async () => {
  const { root, call } = await setting();
  expect(await call("write_file", { path: "new/deep/file.sh", content: "#!/bin/sh\n" })).toBe("Created new/deep/file.sh");
  chmodSync(join(root, "new/deep/file.sh"), 0o750);
  expect(await call("write_file", { path: "new/deep/file.sh", content: "# other\n" })).toBe("Replaced new/deep/file.sh");
  expect(statSync(join(root, "new/deep/file.sh")).mode & 0o777).toBe(0o750);
  expect(readdirSync(join(root, "new/deep"))).toEqual(["file.sh"]);
  expect(await call("write_file", { path: ".git/hooks/pre-commit", content: "x" })).toBe("!outside_workspace");
  expect(existsSync(join(root, ".git"))).toBe(false);
  expect(await call("write_file", { path: "src", content: "x" })).toBe("!not_a_file");
  expect(await call("write_file", { path: "big", content: "x".repeat(5 * 1024 * 1024) })).toBe("!too_large");
});

proves("LEAD-18", "an edit needs its text exactly once unless all is asked for, and changes nothing else", async () => {
  const { root, call } = await setting();
  const file = join(root, "src/one.txt");
  writeFileSync(file, "\ufeffone\r\ntwo $& one\r\n");
  expect(await call("edit_file", { path: "src/one.txt", old: "three", new: "x" })).toBe("!no_match");
  expect(await call("edit_file", { path: "src/one.txt", old: "one", new: "x" })).toBe("!not_unique");
  expect(await call("edit_file", { path: "src/one.txt", old: "two $&", new: "$1 $& $$" })).toBe(
    "Replaced 1 occurrence in src/one.txt",
  );
  expect(await call("edit_file", { path: "src/one.txt", old: "one", new: "1", all: true })).toBe(
    "Replaced 2 occurrences in src/one.txt",
  );
  expect(readFileSync(file, "utf8")).toBe("\ufeff1\r\n$1 $& $$ 1\r\n");
});

proves("LEAD-18", "only regular text files of a bounded size are read, in parts where they are long", async () => {
  const { root, call } = await setting();
  writeFileSync(join(root, "image"), Buffer.from([0x89, 0x50, 0, 1]));
  writeFileSync(join(root, "latin"), Buffer.from([0x66, 0xfc, 0x72]));
  writeFileSync(join(root, "huge"), Buffer.alloc(11 * 1024 * 1024, "x"));
  writeFileSync(join(root, "wide"), "x".repeat(300_000));
  writeFileSync(join(root, "long"), Array.from({ length: 5_000 }, (_, at) => `line ${String(at + 1)}\n`).join(""));
  execFileSync("mkfifo", [join(root, "pipe")]);
  expect(await call("read_file", { path: "image" })).toBe("!binary_file");
  expect(await call("read_file", { path: "latin" })).toBe("!binary_file");
  expect(await call("read_file", { path: "huge" })).toBe("!too_large");
  expect(await call("read_file", { path: "pipe" })).toBe("!not_a_file");
  expect(await call("read_file", { path: "none" })).toBe("!not_found");
  expect((await call("read_file", { path: "wide" })).endsWith("… [cut]")).toBe(true);
  expect(await call("read_file", { path: "long" })).toMatch(
    /^line 1\n.*line 2000\n\[lines 1 to 2000 of 5000; continue with offset 2001\]$/s,
  );
  expect(await call("read_file", { path: "long", offset: 4_999 })).toBe("line 4999\nline 5000\n[lines 4999 to 5000 of 5000]");
  expect(await call("read_file", { path: "long", offset: 9_000 })).toBe("!not_found");
});

proves(
  "LEAD-18",
  "a search finds lines with their places, in text files only, not in .git, and stops where it is enough",
  async () => {
    const { root, call } = await setting();
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, ".git/config"), "Needle");
    writeFileSync(join(root, "a.ts"), "no\nthe Needle here\n");
    writeFileSync(join(root, "b.md"), "needle\n");
    writeFileSync(join(root, "c.bin"), Buffer.from("needle\0"));
    expect(await call("search_files", { text: "Needle" })).toBe("a.ts:2: the Needle here");
    expect(await call("search_files", { text: "needle", ignoreCase: true })).toBe("a.ts:2: the Needle here\nb.md:1: needle");
    expect(await call("search_files", { text: "needle", ignoreCase: true, suffix: ".md" })).toBe("b.md:1: needle");
    expect(await call("search_files", { text: "first", path: "src/one.txt" })).toBe("src/one.txt:1: first");
    writeFileSync(join(root, "many"), "needle\n".repeat(500));
    expect((await call("search_files", { text: "needle" })).split("\n")).toHaveLength(201);
  },
);
