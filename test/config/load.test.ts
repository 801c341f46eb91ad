// Real files: what is read, and every way in which a file cannot be.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkFile, loadConfig } from "../../config/load.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { saying } from "./support.ts";

const MINIMAL = '{"mcpServers": {"alpha": {"command": "node", "tools": {}}}}';

function written(content: string | Uint8Array, mode = 0o600): string {
  const file = join(tempFolder(), "config.json");
  writeFileSync(file, content, { mode });
  return file;
}

async function issue(file: string): Promise<{ pointer: string; message: string; line?: number; column?: number }> {
  const loaded = await loadConfig(file, {});
  if (loaded.kind === "ok") throw new Error("accepted");
  expect(loaded.issues).toHaveLength(1);
  expect(await checkFile(file, {})).toEqual({ kind: "refused", issues: loaded.issues, file });
  const [first] = loaded.issues;
  if (first === undefined) throw new Error("no issue");
  return first;
}

proves("CFG-1", "a file with comments, trailing commas and a byte order mark is read, and paths are absolute", async () => {
  const file = written(
    `\uFEFF// mine\r\n{"$schema": "x", /* all */ "mcpServers": {"alpha": {"command": "./run", "tools": {"a": "read",}}},}\n`,
  );
  const loaded = await loadConfig(file, {});
  expect(loaded).toMatchObject({ kind: "ok", config: { file } });
  const alpha = loaded.kind === "ok" ? loaded.config.servers.get("alpha") : undefined;
  expect(alpha).toMatchObject({ kind: "valid", spec: { launch: { command: join(file, "../run"), cwd: join(file, "..") } } });
});

proves("CFG-1", "the shipped example is sound, and its tools are those of the server it names", async () => {
  const file = join(import.meta.dirname, "../../config/example.json");
  const checked = await checkFile(file, { HOME: "/home/someone" });
  expect(checked).toMatchObject({
    kind: "checked",
    servers: [
      { alias: "memory", status: "valid", issues: [], warnings: [] },
      { alias: "my_server", status: "disabled", issues: [], warnings: [] },
    ],
  });
});

proves("CFG-2", "a missing file, also below a file, says how to make one or name another", async () => {
  const file = written(MINIMAL);
  for (const missing of [join(file, "../none.json"), join(file, "below.json")]) {
    const { message } = await issue(missing);
    expect(message).toMatch(/no such file.*toolpool init.*TOOLPOOL_CONFIG/);
  }
});

proves("CFG-2", "a folder, a circle of links and a pipe are told as what they are, and a pipe is not waited for", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "folder"));
  symlinkSync(join(folder, "circle"), join(folder, "circle"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  expect((await issue(join(folder, "folder"))).message).toContain("this is a folder");
  expect((await issue(join(folder, "circle"))).message).toContain("in a circle");
  expect((await issue(join(folder, "pipe"))).message).toContain("not a regular file");
});

proves("CFG-2", "a file that may not be read says whose right is missing", async () => {
  const file = written(MINIMAL, 0o000);
  // The superuser may read everything; for this one test it is somebody else.
  const superuser = process.geteuid?.() === 0;
  if (superuser) process.seteuid?.(65_534);
  try {
    expect((await issue(file)).message).toContain("may not be read");
  } finally {
    if (superuser) process.seteuid?.(0);
  }
});

proves("CFG-2", "an empty file, also one of white space and comments, says what to write", async () => {
  for (const content of ["", " \n\t", "// nothing\n", "\uFEFF"]) {
    expect(await issue(written(content))).toMatchObject({
      message: saying("the file is empty"),
      line: 1,
      column: 1,
    });
  }
});

proves("CFG-2", "4 MiB are read and one byte more is not", async () => {
  const limit = 4 * 1024 * 1024;
  const padded = (size: number): string => `${MINIMAL}//`.padEnd(size, "x");
  expect((await loadConfig(written(padded(limit)), {})).kind).toBe("ok");
  expect((await issue(written(padded(limit + 1)))).message).toContain(`has ${limit + 1} bytes`);
});

proves("CFG-2", "UTF-16 is named, with its mark or without, in either order of bytes", async () => {
  const little = Buffer.from(MINIMAL, "utf16le");
  const big = Buffer.from(little).swap16();
  const marked = [Buffer.concat([Buffer.from([0xff, 0xfe]), little]), Buffer.concat([Buffer.from([0xfe, 0xff]), big])];
  for (const content of [little, big, ...marked]) {
    expect((await issue(written(content))).message).toContain("UTF-16");
  }
});

proves("CFG-2", "bytes that are not UTF-8 are told with their place", async () => {
  const content = Buffer.concat([Buffer.from('{\n  "é": "'), Buffer.from([0xe9]), Buffer.from('"}')]);
  expect(await issue(written(content))).toMatchObject({ message: saying("not UTF-8"), line: 2, column: 9 });
});
