// `toolpool service` as macOS has it, on any platform: the command itself with the platform said to be darwin, a stand-in for
// launchctl that runs what stands in the property list, and one for plutil. And what the agent runs: `up --launchd`.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "plist";
import { afterEach, expect } from "vitest";
import { service } from "../../client/commands/autostart.ts";
import type { ServiceOptions } from "../../client/commands/autostart-look.ts";
import { asFailure, type Failure } from "../../client/commands/failure.ts";
import type { Run } from "../../client/commands/surroundings.ts";
import { Screen } from "../../client/output/screen.ts";
import { TOOLPOOL } from "../commands/toolpool.ts";
import { alive, DAEMON_PROGRAM, fixture } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { Home } from "./home.ts";

const homes: Home[] = [];
function mac(...given: ConstructorParameters<typeof Home>): Home {
  const made = new Home(...given);
  homes.push(made);
  made.program("launchctl", `exec '${process.execPath}' '${fixture("standin-launchctl")}' "$@"`);
  made.program("plutil", 'echo "$2: OK"');
  return made;
}
afterEach(async () => {
  for (const made of homes.splice(0)) await made.close();
});

interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly failure?: Failure;
}

async function command(
  at: Home,
  action: string,
  options: ServiceOptions = {},
  platform: NodeJS.Platform = "darwin",
): Promise<Told> {
  let stdout = "";
  let stderr = "";
  const streams = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  };
  const run: Run = {
    env: at.env,
    cwd: at.place.folder,
    stdin: process.stdin,
    stderr: process.stderr,
    signal: AbortSignal.timeout(25_000),
    interrupt: () => undefined,
    daemonProgram: DAEMON_PROGRAM,
    nodeProgram: process.execPath,
    platform,
    uid: process.getuid?.(),
    screen: new Screen({ ...streams, env: at.env, json: false }),
  };
  try {
    const code = await service(run, action, options);
    return { code, stdout, stderr };
  } catch (error) {
    const failure = asFailure(error);
    return { code: failure.exitCode, stdout, stderr, failure };
  }
}

const domain = `gui/${String(process.getuid?.() ?? 0)}`;
const agentOf = (at: Home): string => join(at.place.folder, "Library/LaunchAgents/local.toolpool.plist");

proves(
  "SRV-9",
  "install, replace and uninstall run in launchd's order, and the agent in the list starts the daemon",
  async () => {
    const at = mac();
    const first = await command(at, "install", { port: 0 });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(
      /is installed and runs \(pid \d+\)\n +file +.*local\.toolpool\.plist\n +checked +by plutil -lint/,
    );
    const file = agentOf(at);
    const start = [`enable ${domain}/local.toolpool`, `bootstrap ${domain} ${file}`];
    expect(at.told()).toEqual(start);
    expect((await command(at, "status")).stdout).toMatch(/is installed and runs\n[^]*active +running, pid \d+/);
    const again = await command(at, "install", { port: 0 });
    expect(again.stdout).toContain("nothing was changed");
    expect(at.told()).toEqual([]);
    const other = await command(at, "install", { port: 0, config: at.place.configFile });
    expect(other.code).toBe(0);
    expect(at.told()).toEqual([`bootout ${domain}/local.toolpool`, ...start]);
    const { pid } = await at.place.json<{ pid: number }>("up");
    const removed = await command(at, "uninstall");
    expect(removed).toMatchObject({ code: 0, stdout: `The service is stopped and removed: ${file}\n` });
    expect(at.told()).toEqual([`bootout ${domain}/local.toolpool`]);
    expect([existsSync(file), alive(pid)]).toEqual([false, false]);
  },
);

proves("SRV-9", "the list is sound with any characters in its paths, and says what launchd needs", async () => {
  const at = mac();
  at.env.TOOLPOOL_STATE = join(at.place.folder, `a <b> & "c" --> 'd' ö`);
  const config = join(at.place.folder, "x -- y & z.json");
  const { stdout } = await command(at, "install", { print: true, config, port: 0 });
  expect(parse(stdout)).toEqual({
    Label: "local.toolpool",
    ProgramArguments: [
      process.execPath,
      TOOLPOOL,
      "up",
      "--foreground",
      "--config",
      config,
      "--port",
      "0",
      "--launchd",
      join(at.place.folder, ".config/toolpool/environment"),
    ],
    EnvironmentVariables: expect.objectContaining({ TOOLPOOL_STATE: at.env.TOOLPOOL_STATE, TOOLPOOL_CONFIG: config }) as unknown,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 30,
    ExitTimeOut: 90,
    ProcessType: "Interactive",
    StandardOutPath: "/dev/null",
    StandardErrorPath: join(at.place.folder, "Library/Logs/toolpool.log"),
  });
  expect(stdout).toMatch(/<!-- Written by .*toolpool-service: .* -->\n<plist/);
});

proves(
  "SRV-2",
  "as launchd runs it: variables of the file are there, a refused configuration ends with 0 and says why",
  async () => {
    const at = mac({ alpha: { command: "x", args: ["${FROM_FILE}"], tools: {} } });
    const environment = join(at.place.folder, "environment");
    writeFileSync(environment, 'FROM_FILE="a b"\n');
    const running = at.start(["up", "--foreground", "--port", "0", "--launchd", environment]);
    await running.until(/info +ready/);
    const [server] = await at.place.json<{ state: { kind: string } }[]>("servers");
    expect(server?.state.kind).toBe("idle");
    running.process.kill("SIGTERM");
    expect((await running.ended).code).toBe(0);
    writeFileSync(at.place.configFile, "{");
    const refused = await at.toolpool(["up", "--foreground", "--launchd", join(at.place.folder, "nowhere")]);
    expect(refused.code).toBe(0);
    expect(refused.stderr).toContain("toolpool.json");
    const folder = await at.toolpool(["up", "--foreground", "--launchd", at.place.folder]);
    expect(folder.code).toBe(0);
    expect(folder.stderr).toMatch(/EISDIR[^]*toolpool service install/);
  },
);

proves("SRV-6", "without a graphical session the agent is written for the next log-in, and checked where plutil is", async () => {
  const at = mac();
  at.program("launchctl", "echo 'Could not find domain' >&2; exit 125");
  at.program("plutil", 'echo "$2: Unexpected character at line 1" >&2; exit 1');
  const refused = await command(at, "install");
  expect(refused.failure?.lines).toEqual(["local.toolpool.plist: Unexpected character at line 1"]);
  expect(existsSync(agentOf(at))).toBe(false);
  at.program("plutil", "exit 0");
  const written = await command(at, "install");
  expect(written.code).toBe(1);
  expect(written.stderr).toMatch(/Not enabled: there is no graphical session[^]*launchctl bootstrap gui\/\d+ /);
  expect(readFileSync(agentOf(at), "utf8")).toContain("<key>Label</key>");
  chmodSync(agentOf(at), 0o600);
});

proves("SRV-11", "Windows and other systems: one sentence and what to use instead", async () => {
  const at = mac();
  const windows = await command(at, "install", {}, "win32");
  expect(windows).toMatchObject({ code: 2, stdout: "", failure: { reason: "unsupported_platform" } });
  expect(`${windows.failure?.message ?? ""} ${windows.failure?.next ?? ""}`).toMatch(/not on Windows .*Task Scheduler: schtasks/);
  const other = await command(at, "status", {}, "freebsd");
  expect(other.failure?.next).toContain("toolpool up --foreground");
  expect(at.told()).toEqual([]);
});
