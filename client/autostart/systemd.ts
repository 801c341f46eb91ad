// systemd's user instance: its unit file, `systemctl --user`, and `systemd-analyze verify` as the checker. Reads their answers;
// which of the commands run, and when, is the plan's.
import { join } from "node:path";
import type { Commands, Step, SupervisorState } from "./plan.ts";
import type { Ran } from "./programs.ts";
import type { Supervisor, Verdict } from "./supervisor.ts";
import { systemdUnit } from "./systemd-unit.ts";

export const UNIT = "toolpool.service";

const systemctl = (...args: readonly string[]): Step => ({ kind: "run", program: "systemctl", args: ["--user", ...args] });
/** Only a unit that failed can be reset; about any other it complains. */
const reset: Step = { kind: "run", program: "systemctl", args: ["--user", "reset-failed", UNIT], mayFail: true };

export const systemdCommands: Commands = {
  start: () => [systemctl("daemon-reload"), systemctl("enable", UNIT), reset, systemctl("restart", UNIT)],
  enable: [systemctl("enable", UNIT)],
  // What it never found it cannot stop, and says so with a failure.
  stop: (state) =>
    state.kind === "there" && !state.known ? [{ kind: "unlink" }] : [systemctl("stop", UNIT), systemctl("disable", UNIT)],
  forget: [systemctl("daemon-reload"), reset],
};

const ASKED = ["LoadState", "UnitFileState", "ActiveState", "SubState", "Result", "MainPID"];

export function systemdSupervisor(configHome: string): Supervisor {
  const folder = join(configHome, "systemd", "user");
  return {
    name: "systemd",
    file: join(folder, UNIT),
    link: join(folder, "default.target.wants", UNIT),
    commands: systemdCommands,
    byHand: ["systemctl --user daemon-reload", `systemctl --user enable --now ${UNIT}`],
    logs: "journalctl --user -u toolpool -f",
    restart: "systemctl --user restart toolpool",
    survivesLogout: "It starts when you log in and ends when you log out; to have it from boot on: loginctl enable-linger",
    text: systemdUnit,
    state: async (run) => readState(await run("systemctl", ["--user", "show", UNIT, `--property=${ASKED.join(",")}`])),
    variables: async (run) => readVariables(await run("systemctl", ["--user", "show-environment"])),
    checker: "systemd-analyze verify",
    // It refuses to work without a runtime folder, which a login makes.
    check: (run, file, runtimeFolder) => run("systemd-analyze", ["verify", "--user", file], { XDG_RUNTIME_DIR: runtimeFolder }),
    verdict: readVerdict,
  };
}

export function readState(ran: Ran): SupervisorState {
  if (ran.kind === "missing") return { kind: "none", why: "systemctl is not on PATH" };
  if (ran.code !== 0) return { kind: "none", why: `systemctl --user does not answer: ${firstLine(ran.stderr)}` };
  const told = new Map(
    ran.stdout.split("\n").flatMap((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
  const active = told.get("ActiveState") ?? "unknown";
  const result = told.get("Result") ?? "success";
  const pid = Number(told.get("MainPID") ?? "0");
  return {
    kind: "there",
    known: told.get("LoadState") !== "not-found",
    enabled: ["enabled", "enabled-runtime", "linked"].includes(told.get("UnitFileState") ?? ""),
    active: active === "active" || active === "reloading",
    failed: active === "failed",
    ...(pid > 0 ? { pid } : {}),
    detail: `${active} (${told.get("SubState") ?? "?"}${result === "success" ? "" : `, ${result}`})`,
  };
}

function readVariables(ran: Ran): readonly string[] {
  if (ran.kind === "missing" || ran.code !== 0) return [];
  return ran.stdout.split("\n").flatMap((line) => /^([A-Za-z_]\w*)=/.exec(line)?.[1] ?? []);
}

/** It tells of other units too, and of most faults with exit code 0: "…, ignoring". A key newer than this systemd does no harm. */
export function readVerdict(ran: Ran): Verdict {
  if (ran.kind === "missing") return { kind: "unchecked", why: "systemd-analyze is not on PATH" };
  const lines = `${ran.stdout}\n${ran.stderr}`.split("\n").filter((line) => line.trim() !== "");
  const about = lines.filter((line) => line.includes(UNIT));
  const faults = about.filter((line) => !/: Unknown (key|lvalue)/.test(line));
  if (faults.length > 0) return { kind: "invalid", lines: faults };
  if (ran.code !== 0) return { kind: "unchecked", why: `systemd-analyze could not work: ${lines.at(-1) ?? "no word"}` };
  return { kind: "valid", notes: about };
}

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
