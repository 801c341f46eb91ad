// How a server is started: its environment, its program, its handshake; and all the ways in which that fails.
import { chmodSync, mkdirSync, realpathSync, rmdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect } from "vitest";
import { batchInvocation } from "../../daemon/upstream/batch.ts";
import { childEnvironment } from "../../daemon/upstream/environment.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { alive, call, connected, eventually, launch, never, openLink, refusal, scripted, structured } from "./links.ts";

proves("UPS-1", "the inherited names and the added ones, functions of old shells skipped", () => {
  const from = { HOME: "/h", PATH: "/bin", TERM: "() { :; }", OPENAI_API_KEY: "secret", TOOLPOOL_STATE: "/s", LANG: "C" };
  expect(childEnvironment({ LANG: "C.UTF-8", HOME: "/other" }, from, "linux")).toEqual({
    HOME: "/other",
    PATH: "/bin",
    LANG: "C.UTF-8",
  });
});

proves("UPS-1", "on Windows names are told apart without case", () => {
  const from = { Path: "C:\\bin", SystemRoot: "C:\\Windows", SECRET: "x" };
  expect(childEnvironment({}, from, "win32")).toEqual({ Path: "C:\\bin", SystemRoot: "C:\\Windows" });
  expect(childEnvironment({ PATH: "D:\\" }, from, "win32")).toEqual({ PATH: "D:\\", SystemRoot: "C:\\Windows" });
});

proves("UPS-1", "a real child sees exactly that", async () => {
  process.env.TOOLPOOL_TEST_SECRET = "secret";
  try {
    const { link } = await connected({ ...launch("shows-itself"), env: { OWN: "own" } });
    const { env } = (await structured(link, "self")) as { env: Record<string, string> };
    expect(env.OWN).toBe("own");
    const allowed = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "OWN"];
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
  } finally {
    delete process.env.TOOLPOOL_TEST_SECRET;
  }
});

proves("UPS-2", "arguments reach the program as they are, whatever a shell would make of them", async () => {
  const args = ["a b", "$HOME", "`id`", '"quoted"', "'", "a&b|c>d", "*", "", "~", "%PATH%", "ünï"];
  const folder = realpathSync(tempFolder());
  const { link } = await connected({ ...launch("shows-itself", ...args), cwd: folder });
  expect(await structured(link, "self")).toMatchObject({ args, cwd: folder });
});

proves("UPS-2", "a bare name is looked up on the child's PATH, not on the daemon's", async () => {
  const folder = tempFolder();
  const program = join(folder, "my-server");
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${launch("shows-itself").args[0] ?? ""}\n`);
  chmodSync(program, 0o755);
  const named = { command: "my-server", args: [], cwd: folder };
  const { link } = await connected({ ...named, env: { PATH: `/nowhere${delimiter}${folder}` } });
  expect(await call(link, "self")).toBeDefined();
  const error = await refusal(openLink({ ...named, env: {} }).link.connect(never));
  expect(error.code).toBe("spawn_failed");
  expect(error.details).toMatchObject({ reason: "not_found", searched: (process.env.PATH ?? "").split(delimiter) });
});

proves("UPS-2", "every way not to start says which it is, and never an expanded value", async () => {
  const folder = tempFolder();
  const file = join(folder, "secret-file");
  writeFileSync(file, "no program");
  const shebang = join(folder, "secret-script");
  writeFileSync(shebang, "#!/secret/interpreter\n");
  chmodSync(shebang, 0o755);
  const gone = join(folder, "secret-gone");
  mkdirSync(gone);
  rmdirSync(gone);
  const base = launch("shows-itself");
  const cases = [
    ["cwd_missing", { ...base, cwd: gone }],
    ["cwd_not_a_folder", { ...base, cwd: file }],
    ["not_found", { ...base, command: join(folder, "secret-missing") }],
    ["not_executable", { ...base, command: file }],
    ["not_executable", { ...base, command: "secret-file", env: { PATH: folder } }],
    ["not_executable", { ...base, command: folder }],
    ["interpreter_missing", { ...base, command: shebang }],
    ["not_found", { ...base, command: "secret-name", env: { PATH: "" } }],
    ["not_found", { ...base, command: "secret-name", env: { PATH: `/secret${delimiter}` } }],
    ["not_found", { ...base, command: "" }],
    ["arguments_invalid", { ...base, args: ["secret\0"] }],
    ["arguments_invalid", { ...base, command: "secret\0" }],
    ["arguments_too_long", { ...base, args: ["secret".repeat(1 << 20)] }],
  ] as const;
  for (const [reason, given] of cases) {
    const { link, seen } = openLink(given);
    const error = await refusal(link.connect(never));
    expect({ code: error.code, reason: error.details.reason }).toEqual({ code: "spawn_failed", reason });
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toMatch(/secret/);
    expect(seen.processes).toEqual([]);
    await link.close("failed");
  }
});

proves("UPS-2", "an empty entry of the PATH does not mean the daemon's own folder", async () => {
  const given = { ...launch("shows-itself"), command: "package.json", env: { PATH: delimiter } };
  expect((await refusal(openLink(given).link.connect(never))).details.reason).toBe("not_found");
});

proves("UPS-2", "a Windows batch file gets one line that cmd.exe cannot read as anything else", () => {
  const { file, args } = batchInvocation("C:\\Program Files\\npx.cmd", ["a&calc", '"', "%PATH%", "plain"], "cmd.exe");
  expect(file).toBe("cmd.exe");
  expect(args.slice(0, 4)).toEqual(["/d", "/v:off", "/s", "/c"]);
  expect(args[4]).toBe('"^"C:\\Program^ Files\\npx.cmd^" ^^^"a^^^&calc^^^" ^^^"\\^^^"^^^" ^^^"^^^%PATH^^^%^^^" ^^^"plain^^^""');
  expect(() => batchInvocation("x.cmd", ["a\nb"], "cmd.exe")).toThrow(expect.objectContaining({ code: "spawn_failed" }));
});

proves("UPS-15", "the greeting says who the server is", async () => {
  const { info, link } = await connected(scripted({ name: "thing", version: "4.5" }));
  expect(info).toEqual({ protocolVersion: "2025-06-18", serverInfo: { name: "thing", version: "4.5" }, pid: link.pid });
});

for (const [mode, rule] of [
  ["future", "protocol_version"],
  ["number", "not_an_answer"],
  ["null", "not_an_answer"],
  ["error", "error_answer"],
] as const) {
  proves("UPS-15", `a greeting of the kind "${mode}" is refused by the rule ${rule}`, async () => {
    const { link } = openLink(launch("greets-oddly", mode));
    const error = await refusal(link.connect(never));
    expect({ code: error.code, details: error.details }).toEqual({ code: "handshake_failed", details: { rule } });
    const pid = link.pid;
    expect(alive(pid)).toBe(true);
    await link.close("failed");
    expect(alive(pid)).toBe(false);
  });
}

for (const mode of ["odd", "nameless", "text-id", "batch"] as const) {
  proves("UPS-15", `a greeting of the kind "${mode}" does no harm`, async () => {
    const { link } = await connected(launch("greets-oddly", mode));
    expect(await link.listToolsRaw(never)).toHaveLength(1);
  });
}

proves("UPS-15", "a server that ends before it answers: exit code and signal are told", async () => {
  for (const [name, args, details] of [
    ["exits-at-once", [], { exitCode: 1, signal: null }],
    ["greets-oddly", ["noisy-exit"], { exitCode: 5, signal: null }],
  ] as const) {
    const { link } = openLink(launch(name, ...args));
    const error = await refusal(link.connect(never));
    expect({ code: error.code, details: error.details }).toEqual({ code: "handshake_failed", details });
    expect(await link.closed).toEqual({ kind: "exited", ...details });
    await link.close("failed");
  }
});

proves("UPS-15", "a server without tools that does not know the method has the empty list", async () => {
  const { link } = await connected(launch("greets-oddly", "no-tools"));
  expect(await link.listToolsRaw(never)).toEqual([]);
});

proves("UPS-15", "nothing is asked before the handshake has ended, nor after the link has", async () => {
  const { link } = openLink(launch("never-answers"));
  expect((await refusal(link.listToolsRaw(never))).code).toBe("closed");
  const connecting = refusal(link.connect(never));
  expect((await refusal(link.callRaw("lookup", {}, { signal: never }))).code).toBe("handshake_failed");
  await eventually(() => link.pid !== undefined);
  const closing = link.close("enough");
  expect((await connecting).code).toBe("closed");
  expect(await link.closed).toEqual({ kind: "asked", reason: "enough" });
  await closing;
  expect((await refusal(link.callRaw("lookup", {}, { signal: never }))).code).toBe("closed");
  expect((await refusal(link.connect(never))).code).toBe("closed");
});

proves("UPS-25", "aborting a connect settles it at once; close still ends the process", async () => {
  const { link, seen } = openLink(launch("never-answers"));
  const abort = new AbortController();
  const connecting = refusal(link.connect(abort.signal));
  await eventually(() => seen.processes.length > 0);
  abort.abort();
  expect((await connecting).code).toBe("aborted");
  const [leader] = seen.processes;
  expect(alive(leader?.pid)).toBe(true);
  await link.close("given up");
  expect(alive(leader?.pid)).toBe(false);
});

proves("UPS-25", "aborted or closed before there is a process, there never is one", async () => {
  const aborted = openLink(launch("never-answers"));
  expect((await refusal(aborted.link.connect(AbortSignal.abort()))).code).toBe("aborted");
  const closed = openLink(launch("never-answers"));
  const connecting = refusal(closed.link.connect(never));
  await closed.link.close("at once");
  expect((await connecting).code).toBe("closed");
  const destroyed = openLink(launch("never-answers"));
  const starting = refusal(destroyed.link.connect(never));
  await destroyed.link.destroy("at once");
  expect((await starting).code).toBe("closed");
  expect([aborted, closed, destroyed].flatMap(({ seen }) => seen.processes)).toEqual([]);
});
