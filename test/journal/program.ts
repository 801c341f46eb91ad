// A real process around the journal: a few lines of code, bundled as the daemon is, run by Node.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
/** Below the root, so that the native module is found. */
const FOLDER = join(ROOT, ".cache", `journal-programs-${process.pid}`);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** `code` sees `openJournal`, `record`, `START`, `END` and `say(value)`, which sends a message to the test. */
export function program(name: string, code: string): string {
  mkdirSync(FOLDER, { recursive: true });
  const outfile = join(FOLDER, `${name}.mjs`);
  const contents = `
    import { openJournal, record, START, END } from "./test/journal/records.ts";
    const say = (value) => new Promise((resolve) => process.send(value, resolve));
    const [file] = process.argv.slice(2);
    ${code}`;
  buildSync({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["better-sqlite3"],
    outfile,
  });
  return outfile;
}

/** With `limitKiB` no file that it writes may grow larger: the disk is full for it. */
export function run(outfile: string, file: string, { limitKiB }: { readonly limitKiB?: number } = {}): ChildProcess {
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  if (limitKiB === undefined) return spawn(process.execPath, [outfile, file], { stdio: [...stdio] });
  // Bash counts in KiB. Node ignores SIGXFSZ: the write itself fails.
  return spawn("bash", ["-c", `ulimit -f ${limitKiB}; exec "$0" "$@"`, process.execPath, outfile, file], { stdio: [...stdio] });
}
