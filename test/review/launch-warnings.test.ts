// What is said of a command before it runs for the first time, and what is not: a person who is warned of everything reads nothing.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { launchWarnings, othersMayWrite } from "../../client/review/launch-warnings.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const surroundings = { folder: "/pool", othersMayWrite: () => false };
const warned = (command: string, ...args: readonly string[]): readonly string[] =>
  launchWarnings({ command, args, cwd: "." }, surroundings);

proves("REV-5", "ordinary launches raise nothing", () => {
  expect(warned("node", "server.js", "--root", "./data")).toEqual([]);
  expect(warned("/usr/bin/python3", "-m", "server")).toEqual([]);
  expect(warned("npx", "-y", "@scope/server@1.2.3", "--port", "1")).toEqual([]);
  expect(warned("npx", "--package=server@1.2.3", "run-it")).toEqual([]);
  expect(warned("npx", "./server.tgz")).toEqual([]);
  expect(warned("uvx", "--from", "server==1.4", "server")).toEqual([]);
});

proves("REV-5", "a shell, a program text, other rights, a package without a version", () => {
  expect(warned("bash", "-lc", "node x")).toEqual(["a shell runs it: read the whole script, it can start anything"]);
  expect(warned("C:\\Windows\\System32\\cmd.exe", "/c", "npx x")[0]).toContain("a shell runs it");
  expect(warned("node", "-e", "1")[0]).toContain("its program stands in the arguments");
  expect(warned("python3", "-c", "1")[0]).toContain("its program stands in the arguments");
  expect(warned("sudo", "node", "x.js")).toEqual(["it runs with the rights of another user"]);
  for (const args of [["-y", "pkg"], ["-y", "pkg@latest"], ["@scope/pkg@^1.2.0"], ["-p", "pkg", "bin@1.2.3"]])
    expect(warned("npx", ...args).join(), args.join(" ")).toContain("no version");
  expect(warned("uvx", "pkg").join()).toContain("no version");
  expect(warned("uv", "tool", "run", "pkg").join()).toContain("no version");
  expect(warned("pnpm", "dlx", "pkg").join()).toContain("no version");
});

proves("REV-5", "a container that is open, or whose image floats", () => {
  const fixed = warned("docker", "run", "-i", "--rm", "ghcr.io/x/y:1.2.3");
  expect(fixed).toEqual([expect.stringContaining("a container runs it")]);
  expect(warned("docker", "run", `x@sha256:${"a".repeat(64)}`)).toHaveLength(1);
  expect(warned("docker", "run", "x:latest").join()).toContain("the image has no version");
  const open = warned("docker", "run", "--privileged", "--network=host", "-v", "/:/host", "--pid", "host", "x:1.0").join("; ");
  for (const what of ["all rights", "network of this machine", "whole disk", "processes"]) expect(open).toContain(what);
  expect(warned("podman", "run", "-v", "/var/run/docker.sock:/var/run/docker.sock", "x:1.0").join()).toContain("docker.sock");
  expect(warned("docker", "ps")).toEqual([]);
});

proves("REV-5", "paths that others may change, and nothing invisible in what is said", () => {
  for (const path of ["/tmp/server.js", "/var/tmp/x", "/dev/shm/x", "${TMPDIR}/x"])
    expect(warned("node", path).join()).toContain("others may write");
  expect(warned("node", "/tmpfiles/x.js")).toEqual([]);
  expect(warned("/tmp/\u001b[31mx").join()).not.toContain("\u001b");
  const folder = tempFolder();
  mkdirSync(join(folder, "open"));
  for (const name of ["own.js", "shared.js", "open/x.js"]) writeFileSync(join(folder, name), "");
  chmodSync(join(folder, "shared.js"), 0o666);
  chmodSync(join(folder, "open"), 0o777);
  const looked = (path: string): readonly string[] =>
    launchWarnings({ command: "node", args: [path], cwd: "." }, { folder, othersMayWrite });
  expect(looked("./own.js")).toEqual([]);
  expect(looked("./missing.js")).toEqual([]);
  expect(looked("./shared.js").join()).toContain("may be changed by other users");
  expect(looked("./open/x.js").join()).toContain("may be changed by other users");
  chmodSync(join(folder, "open"), 0o1777);
  expect(looked("./open/x.js")).toEqual([]);
});
