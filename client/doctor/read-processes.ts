// The processes of this user: who started whom, what they run, how much memory they hold. From /proc on Linux, from ps(1)
// elsewhere. A process that ends while it is looked at is left out.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { stateFolder } from "../../config/paths.ts";
import type { Run } from "../commands/surroundings.ts";
import type { ProcessFacts } from "./facts.ts";

/** Read at the same time: more would only wait for each other. */
const AT_ONCE = 32;
/** Of Linux on every platform that Node.js runs on; statm(5) counts in them. */
const PAGE_BYTES = 4_096;

export async function readProcesses({ platform, uid }: Run): Promise<readonly ProcessFacts[]> {
  if (platform === "win32" || uid === undefined) return [];
  if (platform !== "linux") return fromPs(uid);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found: ProcessFacts[] = [];
  for (let at = 0; at < pids.length; at += AT_ONCE) {
    const rows = await Promise.all(pids.slice(at, at + AT_ONCE).map((pid) => readOne(pid, uid).catch(() => undefined)));
    found.push(...rows.filter((row) => row !== undefined));
  }
  return found;
}

async function readOne(pid: string, uid: number): Promise<ProcessFacts | undefined> {
  const folder = `/proc/${pid}`;
  if ((await stat(folder)).uid !== uid) return undefined;
  const [statText, words, memory, cwd] = await Promise.all([
    readFile(`${folder}/stat`, "latin1"),
    readFile(`${folder}/cmdline`, "utf8"),
    readFile(`${folder}/statm`, "latin1"),
    readlink(`${folder}/cwd`).catch(() => undefined),
  ]);
  // proc_pid_stat(5): the second field may hold anything, so fields are counted from its last bracket.
  const [state, parent, group] = statText.slice(statText.lastIndexOf(")") + 2).split(" ");
  // A zombie has ended; a thread of the kernel has no command line.
  if (state === "Z" || words === "") return undefined;
  const argv = words.replace(/\0$/, "").split("\0");
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    bytes: Number(memory.split(" ")[1] ?? 0) * PAGE_BYTES,
    line: argv.join(" "),
    ...(cwd === undefined ? {} : { cwd }),
    ...(await packageOf(argv)),
    ...(isDaemonProgram(argv) ? { daemon: await daemonOf(folder) } : {}),
  };
}

/** `node …/daemon.js` with our own command line program beside it. */
function isDaemonProgram([program = "", file = ""]: readonly string[]): boolean {
  if (!/^node(js)?(\d+)?$/.test(basename(program)) || basename(file) !== "daemon.js" || !isAbsolute(file)) return false;
  return existsSync(join(dirname(file), "toolpool.js")) && existsSync(join(dirname(file), "servers/demo.js"));
}

async function daemonOf(folder: string): Promise<NonNullable<ProcessFacts["daemon"]>> {
  const text = await readFile(`${folder}/environ`, "utf8").catch(() => undefined);
  if (text === undefined) return { stateFolder: undefined, stateThere: false };
  const entries = text.split("\0").map((entry): [string, string] => {
    const at = entry.indexOf("=");
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  const named = stateFolder(Object.fromEntries(entries));
  return { stateFolder: named, stateThere: existsSync(named) };
}

/** npx runs `node …/node_modules/.bin/<name>`, a link to a file of the package. */
async function packageOf([program = "", file = ""]: readonly string[]): Promise<{ package?: string }> {
  if (!/^(node|bun|deno)/.test(basename(program)) || !file.includes("/node_modules/") || !isAbsolute(file)) return {};
  const real = await realpath(file).catch(() => file);
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\//.exec(real)?.[1];
  return name === undefined ? {} : { package: name };
}

async function fromPs(uid: number): Promise<readonly ProcessFacts[]> {
  const options = { env: { LC_ALL: "C", PATH: "/bin:/usr/bin" }, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)("ps", ["-axww", "-o", "pid=,ppid=,pgid=,uid=,rss=,command="], options);
  const rows = stdout.split("\n").map(async (text): Promise<ProcessFacts | undefined> => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(.+)$/.exec(text);
    if (match === null || Number(match[4]) !== uid) return undefined;
    const [, pid, parent, group, , kilobytes, line = ""] = match;
    const argv = line.split(" ");
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      bytes: Number(kilobytes) * 1024,
      line,
      ...(await packageOf(argv)),
      // The environment of a process is not shown there.
      ...(isDaemonProgram(argv) ? { daemon: { stateFolder: undefined, stateThere: false } } : {}),
    };
  });
  return (await Promise.all(rows)).filter((row) => row !== undefined);
}
