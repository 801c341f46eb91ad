// Writing a file that a person keeps, and one writer at a time: real files, a real other process.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { EditBlocked, withEditLock } from "../../config/edit-lock.ts";
import { partsOfDocument } from "../../config/document-part.ts";
import { writeText } from "../../config/write.ts";
import { fixture } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

proves("EDT-5", "a file keeps its mode and its mark, a link stays a link, and a new file is its owner's only", async () => {
  const folder = tempFolder();
  const file = join(folder, "config.json");
  await writeText(file, "one");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o640);
  await writeText(file, "two", { mark: true });
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readFileSync(file)).toEqual(Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from("two")]));
  const link = join(folder, "link.json");
  symlinkSync("config.json", link);
  await writeText(link, "three");
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readlinkSync(link)).toBe("config.json");
  expect(readFileSync(file, "utf8")).toBe("three");
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual(["config.json", "link.json"]);
});

proves("EDT-5", "a write that fails leaves the old content, and nothing beside it", async () => {
  const folder = tempFolder();
  // Long enough that no second file beside it can have a name.
  const file = join(folder, `${"n".repeat(250)}.json`);
  writeFileSync(file, "old");
  await expect(writeText(file, "new")).rejects.toMatchObject({ code: "ENAMETOOLONG" });
  expect(readFileSync(file, "utf8")).toBe("old");
  expect(readdirSync(folder)).toHaveLength(1);
});

proves("EDT-6", "edits of one file never overlap, also through a link; its folder is made, and no lock is left", async () => {
  const folder = join(tempFolder(), "new", "folder");
  const file = join(folder, "config.json");
  await withEditLock(file, () => writeText(file, "0"));
  symlinkSync(file, join(folder, "link.json"));
  const editing = new Set<symbol>();
  const add = async (): Promise<void> => {
    const edit = Symbol("edit");
    editing.add(edit);
    expect(editing.size).toBe(1);
    const before = Number(readFileSync(file, "utf8"));
    await new Promise((resolve) => setImmediate(resolve));
    await writeText(file, String(before + 1));
    editing.delete(edit);
  };
  await Promise.all(
    Array.from({ length: 4 }, (_, at) => withEditLock(join(folder, at % 2 === 0 ? "config.json" : "link.json"), add)),
  );
  expect(readFileSync(file, "utf8")).toBe("4");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).sort()).toEqual(["config.json", "link.json"]);
  // A work that fails gives the lock back.
  await expect(withEditLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await withEditLock(file, () => Promise.resolve("again"))).toBe("again");
});

async function holder(file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fixture("holds-edit-lock"), file], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

proves("EDT-6", "another program's edit is waited for; one that died is not", async () => {
  const file = join(tempFolder(), "config.json");
  writeFileSync(file, "{}");
  const living = await holder(file);
  const order: string[] = [];
  const waiting = withEditLock(file, () => Promise.resolve(order.push("ours")));
  const over = once(living, "exit").then(() => order.push("theirs"));
  living.stdin?.end();
  await Promise.all([waiting, over]);
  // The lock is given back before the process is gone, so only that ours had it at all is certain here.
  expect(order.sort()).toEqual(["ours", "theirs"]);

  const dead = await holder(file);
  const died = once(dead, "exit");
  dead.kill("SIGKILL");
  await died;
  expect(readdirSync(join(file, ".."))).toContain("config.json.lock");
  // As if its time had passed: eleven seconds without a sign.
  const past = new Date(Date.now() - 11_000);
  utimesSync(`${file}.lock`, past, past);
  expect(await withEditLock(file, () => Promise.resolve("ours"))).toBe("ours");
  expect(readdirSync(join(file, ".."))).toEqual(["config.json"]);
});

proves("EDT-6", "a folder that cannot be made is told with what to do", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "file"), "");
  const edit = withEditLock(join(folder, "file", "config.json"), () => Promise.resolve());
  await expect(edit).rejects.toThrow(EditBlocked);
  await expect(edit).rejects.toThrow(/nothing may be written in .*: give yourself the right/);
});

proves("EDT-7", "asked parts come with their places; what is passed over may be large, and must be sound", () => {
  const text =
    '{\n  "history": [{"mcpServers": {"no": 1}}],\n  "projects": {"/p": {"mcpServers": {"a": {"command": "x",}}}}, // here\n  "mcpServers": 5\n}';
  const paths = [["mcpServers"], ["projects", "/p", "mcpServers"], ["projects", "/q", "mcpServers"]];
  const found = partsOfDocument(text, paths);
  if (found.kind !== "ok") throw new Error("refused");
  expect(found.parts.map(({ path, value }) => [path.join(" "), value.kind, value.place.line, value.place.column])).toEqual([
    ["projects /p mcpServers", "object", 3, 37],
    ["mcpServers", "number", 4, 17],
  ]);
  const [project] = found.parts;
  expect(project?.value).toMatchObject({ members: [{ key: "a", place: { line: 3, column: 38 } }] });
  expect(partsOfDocument('{"history": [{"a" 1}], "mcpServers": {}}', paths)).toEqual({
    kind: "refused",
    issues: [{ pointer: "", line: 1, column: 19, message: "a colon is expected between a key and its value" }],
  });
  expect(partsOfDocument(`{"a": ${"[".repeat(100_000)}`, paths).kind).toBe("refused");
  expect(partsOfDocument("[1, 2]", paths)).toEqual({ kind: "ok", parts: [], issues: [] });
  // A part that is too deep is refused by itself.
  const deep = partsOfDocument(`{"mcpServers": ${"[".repeat(40)}${"]".repeat(40)}}`, paths);
  expect(deep).toMatchObject({ kind: "ok", parts: [], issues: [{ line: 1 }] });
});

proves("EDT-7", "forty megabytes of somebody's history are passed over in a moment", () => {
  const history = Array.from({ length: 40_000 }, (_, at) => ({
    display: `prompt ${String(at)} ${"x".repeat(950)}`,
    pasted: { lines: [at] },
  }));
  const text = JSON.stringify({ projects: { "/p": { history, mcpServers: { a: { command: "b" } } } } });
  const before = process.memoryUsage().heapUsed;
  const found = partsOfDocument(text, [["projects", "/p", "mcpServers"]]);
  expect(found).toMatchObject({ kind: "ok", parts: [{ value: { members: [{ key: "a" }] } }] });
  // A tree of it would be many times the text.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200e6);
});
