// `toolpool service` on Linux: the real program, a stand-in for systemctl that records and starts, the checker of the machine.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect } from "vitest";
import { alive } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { Home } from "./home.ts";

const homes: Home[] = [];
function home(...given: ConstructorParameters<typeof Home>): Home {
  const made = new Home(...given);
  homes.push(made);
  return made;
}
afterEach(async () => {
  for (const made of homes.splice(0)) await made.close();
});

const checked = spawnSync("systemd-analyze", ["--version"]).status === 0 ? "valid" : "unchecked";
const START = ["daemon-reload", "enable toolpool.service", "reset-failed toolpool.service", "restart toolpool.service"];
const parsed = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

proves("SRV-3", "install writes the file, has it started in order, and answers when the daemon does", async () => {
  const at = home();
  const installed = await at.toolpool(["service", "install", "--json"]);
  expect(installed).toMatchObject({ code: 0, stderr: "" });
  const facts = parsed(installed.stdout);
  expect(facts).toMatchObject({ supervisor: "systemd", file: at.unit, changed: true, enabled: true, checked: { kind: checked } });
  expect(at.told()).toEqual(START);
  expect(alive(Number(facts.pid))).toBe(true);
  expect(statSync(at.unit).mode & 0o777).toBe(0o644);
  expect(readFileSync(at.unit, "utf8")).toContain(`Environment="TOOLPOOL_STATE=${at.place.state}"`);
});

proves("SRV-4", "the second install changes and interrupts nothing; another wish writes anew and restarts", async () => {
  const at = home();
  const first = parsed((await at.toolpool(["service", "install", "--json"])).stdout);
  at.told();
  const before = statSync(at.unit).mtimeMs;
  const again = await at.toolpool(["service", "install"]);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(`was installed already and runs (pid ${String(first.pid)}); nothing was changed`);
  expect(at.told()).toEqual([]);
  expect(statSync(at.unit).mtimeMs).toBe(before);
  const other = parsed((await at.toolpool(["service", "install", "--port", "0", "--json"])).stdout);
  expect(other).toMatchObject({ changed: true });
  expect(other.pid).not.toBe(first.pid);
  expect(at.told()).toEqual(START);
  expect(readFileSync(at.unit, "utf8")).toContain("up --foreground --port 0");
});

proves("SRV-4", "a foreign file is refused and stays; --force replaces it; a masked unit is never written over", async () => {
  const at = home();
  mkdirSync(dirname(at.unit), { recursive: true });
  writeFileSync(at.unit, "[Service]\nExecStart=/bin/true\n");
  const refused = await at.toolpool(["service", "install"]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/was not written by .*\n.*service install --force/);
  expect(readFileSync(at.unit, "utf8")).toBe("[Service]\nExecStart=/bin/true\n");
  expect(at.told()).toEqual([]);
  expect((await at.toolpool(["service", "install", "--force"])).code).toBe(0);
  const masked = home();
  mkdirSync(dirname(masked.unit), { recursive: true });
  symlinkSync("/dev/null", masked.unit);
  const device = await masked.toolpool(["service", "install", "--force"]);
  expect(device.code).toBe(1);
  expect(device.stderr).toContain("systemctl --user unmask toolpool.service");
  expect(lstatSync(masked.unit).isSymbolicLink()).toBe(true);
  expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
});

proves(
  "SRV-3",
  "what the checker refuses is neither written nor enabled; a command that fails is named with its words",
  async () => {
    const at = home();
    at.program("systemd-analyze", `echo "$3:7: Failed to parse something, ignoring" >&2`);
    const refused = await at.toolpool(["service", "install"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/refuses the file; nothing was written\n {2}toolpool\.service:7: Failed to parse something/);
    expect(existsSync(at.unit)).toBe(false);
    expect(at.told()).toEqual([]);
    at.program("systemd-analyze", "exit 0");
    const denied = await at.toolpool(["service", "install"], { STANDIN_MANNER: "refuses" });
    expect(denied.code).toBe(1);
    expect(denied.stderr).toMatch(/systemctl --user enable toolpool\.service failed\n {2}Failed to enable unit: Access denied/);
    expect(at.told()).toEqual(START.slice(0, 2));
    // A folder that systemd does not read: said at the install, and no reason to keep the file for ever.
    const elsewhere = await at.toolpool(["service", "install", "--port", "0"], { STANDIN_MANNER: "elsewhere" });
    expect(elsewhere.stderr).toMatch(/does not exist\.\n.*XDG_CONFIG_HOME.*show --property=UnitPath/);
    expect((await at.toolpool(["service", "uninstall"], { STANDIN_MANNER: "elsewhere" })).code).toBe(0);
    expect(existsSync(at.unit)).toBe(false);
    const gaveUp = await at.toolpool(["service", "install"], { STANDIN_MANNER: "fails" });
    expect(gaveUp.code).toBe(1);
    expect(gaveUp.stderr).toMatch(/its daemon does not answer: failed \(dead, exit-code\)\n.*journalctl --user -u toolpool/);
  },
);

proves("SRV-5", "with a daemon started by hand nothing is written; after down it works", async () => {
  const at = home();
  const { pid } = await at.place.up();
  const refused = await at.toolpool(["service", "install", "--json"]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(parsed(refused.stderr)).toMatchObject({
    error: { reason: "already_running", message: expect.stringContaining(String(pid)) as unknown },
  });
  expect(existsSync(at.unit)).toBe(false);
  expect(alive(pid)).toBe(true);
  await at.place.close();
  expect((await at.toolpool(["service", "install"])).code).toBe(0);
});

proves(
  "SRV-6",
  "without a user instance: written, checked, exit code 1, and what to run; it can be looked at and removed",
  async () => {
    const at = home();
    const bus = { STANDIN_MANNER: "bus" };
    const installed = await at.toolpool(["service", "install"], bus);
    expect(installed.code).toBe(1);
    expect(installed.stdout).toContain("The file of the service is written, but nothing was enabled or started");
    expect(installed.stderr).toMatch(
      /Not enabled: .*No medium found.*\n {2}systemctl --user daemon-reload\n {2}systemctl --user enable --now/,
    );
    expect(existsSync(at.unit)).toBe(true);
    const again = parsed((await at.toolpool(["service", "install", "--json"], bus)).stdout);
    expect(again).toMatchObject({
      changed: false,
      enabled: false,
      undone: { run: [/daemon-reload/, /enable/].map((one) => expect.stringMatching(one) as unknown) },
    });
    const shown = await at.toolpool(["service", "status"], bus);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain("nothing here can run it");
    // As somebody enabled it where an instance was.
    const link = join(dirname(at.unit), "default.target.wants/toolpool.service");
    mkdirSync(dirname(link));
    symlinkSync(at.unit, link);
    const removed = await at.toolpool(["service", "uninstall"], bus);
    expect(removed.code).toBe(0);
    expect(removed.stderr).toContain("Nothing was stopped");
    expect([at.unit, link].map((file) => lstatSync(file, { throwIfNoEntry: false }))).toEqual([undefined, undefined]);
    // No systemctl at all, and no checker.
    const bare = await at.toolpool(["service", "install", "--json"], { PATH: dirname(at.unit) });
    expect(bare.code).toBe(1);
    expect(parsed(bare.stdout)).toMatchObject({ checked: { kind: "unchecked" }, undone: { why: "systemctl is not on PATH" } });
  },
);

proves("SRV-7", "uninstall ends the daemon in order, removes the unit only, and is done at once when there is none", async () => {
  const at = home();
  const { pid } = parsed((await at.toolpool(["service", "install", "--json"])).stdout);
  at.told();
  writeFileSync(join(dirname(at.unit), "other.service"), "");
  const removed = await at.toolpool(["service", "uninstall"]);
  expect(removed).toEqual({ code: 0, stdout: `The service is stopped and removed: ${at.unit}\n`, stderr: "" });
  expect(at.told()).toEqual([
    "stop toolpool.service",
    "disable toolpool.service",
    "daemon-reload",
    "reset-failed toolpool.service",
  ]);
  expect(alive(Number(pid))).toBe(false);
  expect(at.place.stateFiles()).toEqual(["daemon.log", "pool.db", "token"]);
  expect([at.unit, join(dirname(at.unit), "other.service"), at.environment].map((file) => existsSync(file))).toEqual([
    false,
    true,
    true,
  ]);
  expect(parsed((await at.toolpool(["service", "uninstall", "--json"])).stdout)).toMatchObject({ removed: false });
  writeFileSync(at.unit, "[Service]\n");
  const foreign = await at.toolpool(["service", "uninstall"]);
  expect(foreign.code).toBe(1);
  expect(existsSync(at.unit)).toBe(true);
});

proves(
  "SRV-8",
  "status: not installed, running, another node than the one of the file, and a daemon started otherwise",
  async () => {
    const at = home();
    const none = await at.toolpool(["service", "status"]);
    expect(none.code).toBe(1);
    expect(none.stdout).toMatch(/No service is installed\n[^]*To install it: toolpool service install/);
    await at.toolpool(["service", "install", "--port", "0"]);
    const good = await at.toolpool(["service", "status"], { PATH: `/another:${at.env.PATH ?? ""}` });
    expect(good.code).toBe(0);
    expect(good.stdout).toMatch(
      /is installed and runs\n +file +.*toolpool\.service\n +enabled +yes.*\n +active +active \(running\), pid \d+/,
    );
    expect(good.stdout).not.toContain("not what would be written");
    const text = readFileSync(at.unit, "utf8");
    writeFileSync(at.unit, text.replaceAll(process.execPath, "/gone/node"));
    const moved = parsed((await at.toolpool(["service", "status", "--json"])).stdout);
    expect(moved).toMatchObject({ installed: "ours", state: { active: true, enabled: true } });
    expect(moved.differs).toEqual(
      ["up --foreground --port 0", "reload"].map((words) => ({
        installed: expect.stringMatching(`"/gone/node" .*${words}$`) as unknown,
        now: expect.stringMatching(`^Exec.*${process.execPath}.*${words}$`) as unknown,
      })),
    );
    expect((await at.toolpool(["service", "status"])).stdout).toMatch(
      /write it anew: toolpool service install\n {2}- ExecStart=.*gone/,
    );
    await at.toolpool(["service", "uninstall"]);
    const { pid } = await at.place.up();
    expect((await at.toolpool(["service", "status"])).stdout).toContain(`started otherwise runs (pid ${String(pid)})`);
  },
);

proves(
  "SRV-10",
  "the file of variables is made once, 0600 and empty; missing variables and open modes are named, values never",
  async () => {
    const servers = { alpha: { command: "x", env: { K: "${MISSING}", G: "${GIVEN_BY_SYSTEMD}" }, tools: {} } };
    const at = home(servers);
    const first = await at.toolpool(["service", "install"]);
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(/alpha will not work in the service: .*MISSING/);
    expect(first.stderr).not.toContain("GIVEN_BY_SYSTEMD");
    expect(statSync(at.environment).mode & 0o777).toBe(0o600);
    writeFileSync(at.environment, "MISSING='secret-canary'\n");
    chmodSync(at.environment, 0o644);
    const second = await at.toolpool(["service", "install"]);
    expect(second.stderr).not.toMatch(/MISSING/);
    expect(second.stderr).toContain(`chmod 600 ${at.environment}`);
    expect(readFileSync(at.environment, "utf8")).toBe("MISSING='secret-canary'\n");
    expect(second.stdout + second.stderr + readFileSync(at.unit, "utf8")).not.toContain("canary");
  },
);

proves("SRV-11", "a refused configuration, a path no unit can hold, options of another action, --print", async () => {
  const at = home();
  writeFileSync(at.place.configFile, "{");
  const refused = await at.toolpool(["service", "install"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/would not start[^]*toolpool check/);
  const control = await at.toolpool(["service", "install", "--config", "a\nb"]);
  expect(control.code).toBe(2);
  expect(control.stderr).toContain("a\\nb");
  const misplaced = await at.toolpool(["service", "status", "--force"]);
  expect(misplaced.code).toBe(2);
  expect(misplaced.stderr).toContain("belong to install");
  expect((await at.toolpool(["service", "start"])).stderr).toContain("install, uninstall, status");
  const printed = await at.toolpool(["service", "install", "--print"]);
  expect(printed.code).toBe(0);
  expect(printed.stdout).toMatch(/^# Written by[^]*WantedBy=default\.target\n$/);
  expect(parsed((await at.toolpool(["service", "install", "--print", "--json"])).stdout)).toEqual({
    file: at.unit,
    text: printed.stdout,
  });
  expect(at.told()).toEqual([]);
  expect([at.unit, at.environment].map((file) => existsSync(file))).toEqual([false, false]);
});
