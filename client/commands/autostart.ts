// `toolpool service install|uninstall|status`: the daemon as a service of the user, started by the platform. Decides which of the
// three was asked for, removes, and tells how things are; installing is autostart-install.ts.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { carryOut } from "../autostart/carry-out.ts";
import { differences, type Difference, type InstalledFile } from "../autostart/installed-file.ts";
import { planUninstall, type SupervisorState } from "../autostart/plan.ts";
import { supervisorOf } from "../autostart/platform.ts";
import type { Supervisor } from "../autostart/supervisor.ts";
import { visible } from "../output/visible.ts";
import { launchOf, look, refused, type ServiceOptions } from "./autostart-look.ts";
import { Failure, usage } from "./failure.ts";
import type { Run } from "./surroundings.ts";

export async function service(run: Run, action: string, options: ServiceOptions): Promise<number> {
  const supervisor = supervisorFor(run);
  if (action === "install") return (await import("./autostart-install.ts")).install(run, supervisor, options);
  const { print, force, config, port } = options;
  if ([print, force, config, port].some((option) => option !== undefined)) {
    throw usage(`--print, --force, --config and --port belong to install`, "See how it is used: toolpool service --help");
  }
  return action === "uninstall" ? uninstall(run, supervisor) : status(run, supervisor);
}

function supervisorFor({ platform, env, uid }: Run): Supervisor {
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir();
  const named = env.XDG_CONFIG_HOME;
  const configHome = named !== undefined && isAbsolute(named) ? named : undefined;
  const supervisor = supervisorOf({ platform, home, configHome, uid });
  if (supervisor !== undefined) return supervisor;
  const windows = platform === "win32";
  throw new Failure(
    2,
    `toolpool service works with systemd (Linux) and launchd (macOS), not on ${windows ? "Windows" : platform}`,
    {
      reason: "unsupported_platform",
      next: windows
        ? 'Start it at every log-in with the Task Scheduler: schtasks /Create /TN toolpool /SC ONLOGON /TR "toolpool up"'
        : "Let your system's own starter of programs run: toolpool up --foreground",
    },
  );
}

async function uninstall(run: Run, supervisor: Supervisor): Promise<number> {
  const { screen, signal } = run;
  const { programs, installed, state } = await look(run, supervisor);
  const { file, commands } = supervisor;
  const plan = planUninstall({ file, installed, state, commands });
  if (plan.kind === "refused") throw refused(plan);
  const removed = plan.steps.length > 0;
  if (removed) screen.moving("Stopping…");
  await carryOut(plan.steps, { supervisor, run: programs, signal });
  if (screen.json) {
    screen.value({ removed, file, supervisor: supervisor.name });
    return 0;
  }
  const done = state.kind === "none" ? "The file of the service is removed" : "The service is stopped and removed";
  screen.line(removed ? `${done}: ${visible(file)}` : `No service is installed (${visible(file)})`);
  if (removed && state.kind === "none") {
    screen.note(`Nothing was stopped: ${visible(state.why)}. If a daemon still runs: toolpool down`);
  }
  return 0;
}

/** 0 when it is installed and runs, else 1. */
async function status(run: Run, supervisor: Supervisor): Promise<number> {
  const { screen } = run;
  const { installed, state, daemonPid } = await look(run, supervisor);
  const differs = installed.kind === "ours" ? differences(installed.text, supervisor.text(launchOf(run, installed.asked))) : [];
  const good = installed.kind === "ours" && state.kind === "there" && state.active;
  if (screen.json) {
    const { name, file } = supervisor;
    screen.value({
      supervisor: name,
      file,
      installed: installed.kind,
      state,
      differs,
      ...(daemonPid === undefined ? {} : { daemonPid }),
    });
    return good ? 0 : 1;
  }
  const { green, yellow } = screen.colours;
  const fact = (name: string, value: string): void => screen.line(`  ${name.padEnd(10)}${visible(value)}`);
  screen.line(good ? green("The service is installed and runs") : yellow(headline(installed, state)));
  fact("file", supervisor.file);
  if (state.kind === "there") {
    fact("enabled", state.enabled ? "yes, it starts at log-in" : "no");
    fact("active", `${state.detail}${state.pid === undefined ? "" : `, pid ${String(state.pid)}`}`);
  } else fact(supervisor.name, state.why);
  if (installed.kind === "ours") fact("logs", supervisor.logs);
  sayDifferences(run, differs);
  if (daemonPid !== undefined && !good) {
    screen.line(`A daemon that was started otherwise runs (pid ${String(daemonPid)}). To end it: toolpool down`);
  }
  if (!good) screen.line(installed.kind === "ours" ? "To start it: toolpool service install" : nextStep(installed));
  return good ? 0 : 1;
}

function headline(installed: InstalledFile, state: SupervisorState): string {
  switch (installed.kind) {
    case "absent":
      return "No service is installed";
    case "foreign":
      return "The file was not written by `toolpool service install`";
    case "unusable":
      return `The file ${installed.why}`;
    case "ours":
      return state.kind === "none"
        ? "The service is installed, but nothing here can run it"
        : "The service is installed, but does not run";
  }
}

const nextStep = ({ kind }: InstalledFile): string =>
  kind === "absent" ? "To install it: toolpool service install" : "To write over it: toolpool service install --force";

function sayDifferences({ screen }: Run, differs: readonly Difference[]): void {
  if (differs.length === 0) return;
  screen.line(screen.colours.yellow("It is not what would be written now; to write it anew: toolpool service install"));
  for (const { installed, now } of differs) {
    if (installed !== "") screen.line(`  - ${visible(installed)}`);
    if (now !== "") screen.line(`  + ${visible(now)}`);
  }
}
