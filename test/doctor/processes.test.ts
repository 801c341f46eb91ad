// Servers that run without the pool: what a killed daemon left, and what somebody else has started. Real processes.
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ServerStatus } from "../../daemon/contract/index.ts";
import { alive, scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { clinic, has, killed, lacks, outsider } from "./clinic.ts";

/** A server that goes on when its input ends. */
const stubborn = scripted({ tools: [{ name: "echo" }], ignoreEof: true });

proves("DOC-10", "a server that outlived its daemon is found by what it runs, and the next start ends it", async () => {
  const place = clinic({ stays: stubborn, other: scripted({ tools: [] }) });
  const { pid } = await place.up();
  await place.ok("connect", "stays");
  const server = (await place.json<ServerStatus[]>("servers")).find(({ alias }) => alias === "stays")?.pid ?? 0;
  const before = await place.look();
  lacks(before.findings, "orphan_process");
  lacks(before.findings, "running_copy");
  await killed(pid);
  const { findings } = await place.look(["--fix"]);
  const orphan = has(findings, "orphan_process", { about: "stays", level: "warning", command: "toolpool up" });
  expect(orphan.sentence).toMatch(new RegExp(`earlier daemon: pid ${String(server)} \\(\\d+ MiB\\)`));
  lacks(findings, "orphan_process", "other");
  expect(alive(server)).toBe(true);
  await place.up();
  expect(alive(server)).toBe(false);
  lacks((await place.look()).findings, "orphan_process");
});

proves("DOC-10", "beside a running daemon, what nobody owns is for the person to end: the command names the group", async () => {
  const place = clinic({ stays: stubborn });
  await place.up();
  const { command, args } = stubborn as { command: string; args: string[] };
  const parent = outsider("sh", ["-c", 'setsid "$@" </dev/null >/dev/null 2>&1 & echo $!', "sh", command, ...args]);
  let text = "";
  parent.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(parent, "exit");
  const pid = Number(text.trim());
  // `setsid` becomes the server.
  while (!readFileSync(`/proc/${String(pid)}/cmdline`, "utf8").includes("scripted-server") || alive(parent.pid ?? 0))
    await new Promise((resolve) => setImmediate(resolve));
  has((await place.look()).findings, "orphan_process", { about: "stays", command: `kill -- -${String(pid)}` });
  expect(alive(pid)).toBe(true);
  await killed(pid);
});

proves("DOC-10", "a copy that another program started is told with its starter; the pool's own child is none", async () => {
  const place = clinic({ alpha: scripted({ tools: [{ name: "echo" }] }) });
  await place.up();
  await place.ok("connect", "alpha");
  lacks((await place.look()).findings, "running_copy");
  const { command, args } = scripted({ tools: [{ name: "echo" }] }) as { command: string; args: string[] };
  const copy = outsider(command, args);
  await once(copy, "spawn");
  const { findings } = await place.look();
  const found = has(findings, "running_copy", { about: "alpha", level: "warning", command: `ps -fp ${String(copy.pid)}` });
  expect(found.sentence).toMatch(
    new RegExp(`pid ${String(copy.pid)} \\(\\d+ MiB\\), started by .*\\(pid ${String(process.pid)}\\)`),
  );
  // What it was started with may be secret.
  expect(JSON.stringify(found)).not.toContain("echo");
});

proves("DOC-10", "a copy of the same package counts, whatever runner and version started it", async () => {
  const place = clinic({ notes: { command: "npx", args: ["-y", "@scope/notes@1.0.0"], tools: {} } });
  const modules = join(place.folder, "cache/node_modules");
  mkdirSync(join(modules, "@scope/notes"), { recursive: true });
  mkdirSync(join(modules, ".bin"));
  writeFileSync(join(modules, "@scope/notes/cli.cjs"), "process.stdin.resume();");
  symlinkSync("../@scope/notes/cli.cjs", join(modules, ".bin/notes"));
  const copy = outsider(process.execPath, [join(modules, ".bin/notes"), "/data"]);
  await once(copy, "spawn");
  has((await place.look()).findings, "running_copy", { about: "notes", command: `ps -fp ${String(copy.pid)}` });
});
