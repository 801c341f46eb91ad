// Around every test file: afterwards no child process and no socket of ours may be left, and temporary folders are removed.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect } from "vitest";
import { removeTempFolders } from "./temp.ts";

/** Living descendants of this worker, as `pid command`. Zombies count: somebody forgot to wait. */
function descendants(): string[] {
  const parents = new Map<number, { parent: number; line: string }>();
  if (process.platform === "linux") {
    for (const name of readdirSync("/proc")) {
      if (!/^[0-9]+$/.test(name)) continue;
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        parents.set(Number(name), { parent, line: `${name} ${command}` });
      } catch {
        // It ended while we looked.
      }
    }
  } else {
    for (const line of execFileSync("ps", ["-axo", "pid=,ppid=,command="], { encoding: "utf8" }).split("\n")) {
      const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
      if (match !== null)
        parents.set(Number(match[1]), { parent: Number(match[2]), line: `${match[1] ?? ""} ${match[3] ?? ""}` });
    }
  }
  const below = (pid: number): boolean => {
    for (
      let at = parents.get(pid)?.parent, hops = 0;
      at !== undefined && at > 1 && hops < 100;
      at = parents.get(at)?.parent, hops++
    ) {
      if (at === process.pid) return true;
    }
    return false;
  };
  return [...parents].filter(([pid, entry]) => below(pid) && !/esbuild|^\d+ ps /.test(entry.line)).map(([, entry]) => entry.line);
}

const sockets = (): number =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => ["TCPServerWrap", "PipeServerWrap", "TCPSocketWrap", "ProcessWrap"].includes(kind)).length;

const socketsBefore = sockets();

afterAll(async () => {
  // What was closed a moment ago is given a few turns of the event loop to be gone; what is leaked stays leaked.
  for (let turn = 0; turn < 200 && (descendants().length > 0 || sockets() > socketsBefore); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(descendants(), "processes left by this test file").toEqual([]);
  expect(sockets() - socketsBefore, "sockets, servers or process handles left by this test file").toBeLessThanOrEqual(0);
  removeTempFolders();
});
