// Which steps in which order: the decisions alone, without a platform.
import { expect } from "vitest";
import { launchdCommands, readAgent } from "../../client/autostart/launchd.ts";
import { planInstall, planUninstall, type InstallFacts, type Plan, type SupervisorState } from "../../client/autostart/plan.ts";
import { readState, systemdCommands } from "../../client/autostart/systemd.ts";
import { proves } from "../support/promise.ts";

const idle: SupervisorState = {
  kind: "there",
  known: true,
  enabled: false,
  active: false,
  failed: false,
  detail: "inactive (dead)",
};
const running: SupervisorState = { ...idle, enabled: true, active: true, detail: "active (running)" };
const none: SupervisorState = { kind: "none", why: "nobody answers" };
const ours = (text: string): InstallFacts["installed"] => ({ kind: "ours", text, asked: { path: "" } });

const facts: InstallFacts = {
  file: "/u/toolpool.service",
  installed: { kind: "absent" },
  wanted: "new",
  force: false,
  state: idle,
  daemonPid: undefined,
  commands: systemdCommands,
};

/** A step as one word or the command it runs. */
function told(plan: Plan): readonly string[] {
  if (plan.kind === "refused") return [plan.reason];
  return plan.steps.map((step) => (step.kind === "run" ? [step.program, ...step.args].join(" ") : step.kind));
}

const START = [
  "systemctl --user daemon-reload",
  "systemctl --user enable toolpool.service",
  "systemctl --user reset-failed toolpool.service",
  "systemctl --user restart toolpool.service",
];

proves("SRV-3", "an install checks, writes, then enables and starts; what runs unchanged is not interrupted", () => {
  expect(told(planInstall(facts))).toEqual(["check", "write", ...START]);
  expect(told(planInstall({ ...facts, installed: ours("old"), state: running, daemonPid: 7 }))).toEqual([
    "check",
    "write",
    ...START,
  ]);
  expect(told(planInstall({ ...facts, installed: ours("new"), state: running, daemonPid: 7 }))).toEqual([]);
  expect(told(planInstall({ ...facts, installed: ours("new"), state: { ...running, enabled: false } }))).toEqual([START[1]]);
  expect(told(planInstall({ ...facts, installed: ours("new") }))).toEqual(START);
  expect(told(planInstall({ ...facts, state: none, daemonPid: 7 }))).toEqual(["check", "write"]);
  expect(told(planInstall({ ...facts, state: none, installed: ours("new") }))).toEqual([]);
});

proves("SRV-3", "an uninstall stops before it removes; without an instance it takes the link away too", () => {
  const uninstall = (installed: InstallFacts["installed"], state: SupervisorState = running): readonly string[] =>
    told(planUninstall({ file: facts.file, installed, state, commands: systemdCommands }));
  expect(uninstall(ours("any"))).toEqual([
    "systemctl --user stop toolpool.service",
    "systemctl --user disable toolpool.service",
    "remove",
    "systemctl --user daemon-reload",
    "systemctl --user reset-failed toolpool.service",
  ]);
  expect(uninstall(ours("any"), none)).toEqual(["unlink", "remove"]);
  expect(uninstall(ours("any"), { ...idle, known: false })).toEqual([
    "unlink",
    "remove",
    "systemctl --user daemon-reload",
    "systemctl --user reset-failed toolpool.service",
  ]);
  expect(uninstall({ kind: "absent" })).toEqual([]);
  expect(uninstall({ kind: "foreign" })).toEqual(["foreign_file"]);
});

proves("SRV-4", "a file of somebody else needs --force, one that is no file is never written over", () => {
  expect(told(planInstall({ ...facts, installed: { kind: "foreign" } }))).toEqual(["foreign_file"]);
  expect(told(planInstall({ ...facts, installed: { kind: "foreign" }, force: true }))).toEqual(["check", "write", ...START]);
  const masked = { ...facts, installed: { kind: "unusable", why: "is not a regular file" }, force: true } as const;
  expect(told(planInstall(masked))).toEqual(["unusable_file"]);
});

proves("SRV-5", "a running daemon that is not the service's refuses the install", () => {
  const plan = planInstall({ ...facts, daemonPid: 4711 });
  expect(plan).toMatchObject({ kind: "refused", reason: "already_running" });
  expect(JSON.stringify(plan)).toMatch(/4711.*toolpool down/);
});

proves("SRV-9", "launchd: an agent that is loaded is booted out and gone before the next is bootstrapped", () => {
  const commands = launchdCommands("gui/501", "/L/local.toolpool.plist");
  const mac = { ...facts, commands, file: "/L/local.toolpool.plist" };
  const start = ["launchctl enable gui/501/local.toolpool", "launchctl bootstrap gui/501 /L/local.toolpool.plist"];
  expect(told(planInstall(mac))).toEqual(["check", "write", ...start]);
  const away = ["launchctl bootout gui/501/local.toolpool", "gone"];
  expect(told(planInstall({ ...mac, installed: ours("old"), state: running }))).toEqual(["check", "write", ...away, ...start]);
  const leave = planUninstall({ file: mac.file, installed: ours("x"), state: running, commands });
  expect(told(leave)).toEqual([...away, "remove"]);
});

proves("SRV-8", "what systemctl and launchctl print is read as they mean it", () => {
  const ended = (code: number, stdout: string, stderr = ""): SupervisorState =>
    readState({ kind: "ended", code, stdout, stderr });
  const shown = (active: string, file: string, result = "success"): string =>
    `LoadState=loaded\nUnitFileState=${file}\nActiveState=${active}\nSubState=x\nResult=${result}\nMainPID=12\n`;
  expect(ended(0, shown("active", "enabled"))).toMatchObject({ enabled: true, active: true, failed: false, pid: 12 });
  expect(ended(0, shown("failed", "disabled", "exit-code"))).toMatchObject({
    enabled: false,
    active: false,
    failed: true,
    detail: "failed (x, exit-code)",
  });
  expect(ended(0, shown("activating", "enabled"))).toMatchObject({ active: false, failed: false });
  expect(ended(1, "", "Failed to connect to bus: No medium found\n")).toMatchObject({
    kind: "none",
    why: "systemctl --user does not answer: Failed to connect to bus: No medium found",
  });
  expect(ended(0, "LoadState=not-found\nUnitFileState=\nActiveState=inactive\n")).toMatchObject({ known: false, enabled: false });
  expect(readState({ kind: "missing" })).toMatchObject({ kind: "none" });
  const agent = "gui/501/local.toolpool = {\n\tactive count = 1\n\tstate = running\n\n\tpid = 345\n\tlast exit code = 0\n}\n";
  expect(readAgent(agent)).toMatchObject({ enabled: true, active: true, pid: 345 });
  const ends = "x = {\n\tstate = spawn scheduled\n\tlast exit code = 1\n}\n";
  expect(readAgent(ends)).toMatchObject({ active: false, failed: true, detail: "spawn scheduled (last exit code 1)" });
});
