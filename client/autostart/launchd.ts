// macOS's launchd in the user's graphical session: its agent file, `launchctl`, and `plutil -lint` as the checker. Reads their
// answers; which of the commands run, and when, is the plan's.
import { join } from "node:path";
import { LABEL, launchdAgent } from "./launchd-agent.ts";
import type { Commands, Step, SupervisorState } from "./plan.ts";
import type { Ran, RunProgram } from "./programs.ts";
import type { Supervisor, Verdict } from "./supervisor.ts";

const launchctl = (...args: readonly string[]): Step => ({ kind: "run", program: "launchctl", args });

export function launchdCommands(domain: string, file: string): Commands {
  // `bootout` returns before the agent is gone, and `bootstrap` fails until it is.
  const away = (state: SupervisorState): Step[] =>
    state.kind === "there" && state.enabled ? [launchctl("bootout", `${domain}/${LABEL}`), { kind: "gone" }] : [];
  const start = (state: SupervisorState): Step[] => [
    ...away(state),
    launchctl("enable", `${domain}/${LABEL}`),
    launchctl("bootstrap", domain, file),
  ];
  return { start, enable: [launchctl("enable", `${domain}/${LABEL}`)], stop: away, forget: [] };
}

export function launchdSupervisor(home: string, uid: number): Supervisor {
  const domain = `gui/${String(uid)}`;
  const file = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const errorLog = join(home, "Library", "Logs", "toolpool.log");
  return {
    name: "launchd",
    file,
    commands: launchdCommands(domain, file),
    byHand: [`launchctl bootstrap ${domain} ${file}`],
    logs: `toolpool logs -f; what it says when it does not start: ${errorLog}`,
    restart: `launchctl kickstart -k ${domain}/${LABEL}`,
    survivesLogout: "It starts when you log in and ends when you log out.",
    text: (launch) => launchdAgent(launch, errorLog),
    state: (run) => askState(run, domain),
    variables: () => Promise.resolve([]),
    checker: "plutil -lint",
    check: (run, copy) => run("plutil", ["-lint", copy]),
    verdict: readVerdict,
  };
}

async function askState(run: RunProgram, domain: string): Promise<SupervisorState> {
  const agent = await run("launchctl", ["print", `${domain}/${LABEL}`]);
  if (agent.kind === "missing") return { kind: "none", why: "launchctl is not on PATH" };
  if (agent.code === 0) return readAgent(agent.stdout);
  const session = await run("launchctl", ["print", domain]);
  if (session.kind === "missing" || session.code !== 0) {
    return { kind: "none", why: `there is no graphical session of this user (${domain})` };
  }
  return { kind: "there", known: false, enabled: false, active: false, failed: false, detail: "not loaded" };
}

export function readAgent(text: string): SupervisorState {
  const field = (name: string): string | undefined => new RegExp(`^\\s*${name} = (.*)$`, "m").exec(text)?.[1];
  const state = field("state") ?? "unknown";
  const code = Number(field("last exit code") ?? "0");
  const pid = Number(field("pid") ?? "0");
  const active = state === "running";
  return {
    kind: "there",
    known: true,
    enabled: true,
    active,
    failed: !active && code > 0,
    ...(pid > 0 ? { pid } : {}),
    detail: code > 0 ? `${state} (last exit code ${String(code)})` : state,
  };
}

export function readVerdict(ran: Ran): Verdict {
  if (ran.kind === "missing") return { kind: "unchecked", why: "plutil is not on PATH" };
  if (ran.code === 0) return { kind: "valid", notes: [] };
  return { kind: "invalid", lines: `${ran.stdout}\n${ran.stderr}`.split("\n").filter((line) => line.trim() !== "") };
}
