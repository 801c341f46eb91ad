// `toolpool service install`: checks what the service would meet (the configuration, its variables), writes the file after the
// platform's checker had nothing against it, has it started, and waits until the daemon answers. Says what could not be done.
import { setTimeout as pause } from "node:timers/promises";
import { checkFile } from "../../config/load.ts";
import { carryOut } from "../autostart/carry-out.ts";
import { ensureEnvironmentFile, isOpenToOthers, readEnvironmentFile } from "../autostart/environment-file.ts";
import { isPassingProgram, type Launch } from "../autostart/launch.ts";
import { planInstall, type SupervisorState } from "../autostart/plan.ts";
import type { RunProgram } from "../autostart/programs.ts";
import type { Supervisor, Verdict } from "../autostart/supervisor.ts";
import { visible } from "../output/visible.ts";
import { askedBy, launchOf, look, refused, runningPid, type ServiceOptions } from "./autostart-look.ts";
import { Failure } from "./failure.ts";
import type { Run } from "./surroundings.ts";

/** Until the daemon answers (ms): a start reads the configuration and opens the journal. */
const ANSWER_MS = 30_000;
const LOOK_MS = 200;

export async function install(run: Run, supervisor: Supervisor, options: ServiceOptions): Promise<number> {
  const { screen, signal } = run;
  const launch = launchOf(run, askedBy(run, options));
  const { file, commands } = supervisor;
  const wanted = supervisor.text(launch);
  if (options.print === true) {
    if (screen.json) screen.value({ file, text: wanted });
    else screen.text(wanted.trimEnd());
    return 0;
  }
  const { programs, installed, state, daemonPid } = await look(run, supervisor);
  const notes = await configurationNotes(run, launch, supervisor, await supervisor.variables(programs));
  const plan = planInstall({ file, installed, wanted, force: options.force === true, state, daemonPid, commands });
  if (plan.kind === "refused") throw refused(plan);
  if (isPassingProgram(launch.program)) {
    notes.push("This toolpool runs from the cache of npx, which may be emptied; better: npm install --global toolpool");
  }
  screen.moving("Installing…");
  const verdict = await carryOut(plan.steps, { supervisor, run: programs, signal });
  const environmentMade = await ensureEnvironmentFile(launch.environmentFile);
  if (await isOpenToOthers(launch.environmentFile)) {
    notes.push(`Others may read ${launch.environmentFile}; to keep it to yourself: chmod 600 ${launch.environmentFile}`);
  }
  const changed = plan.steps.some(({ kind }) => kind === "write");
  const pid = state.kind === "none" ? undefined : await untilAnswers(run, supervisor, programs);
  tell(run, supervisor, { launch, changed, started: plan.steps.length > 0, verdict, state, pid, environmentMade, notes });
  return state.kind === "none" ? 1 : 0;
}

/** A service whose configuration is refused would never start; of single servers it is only told. */
async function configurationNotes(
  run: Run,
  launch: Launch,
  { restart }: Supervisor,
  given: readonly string[],
): Promise<string[]> {
  const file = await readEnvironmentFile(launch.environmentFile).catch(() => ({}));
  // Of what the service will have, the names matter: an unset variable is found by its name.
  const names = ["HOME", "USER", "LOGNAME", "SHELL", "PATH", "TOOLPOOL_STATE", "TOOLPOOL_CONFIG", ...given];
  const env = { ...Object.fromEntries(names.map((name) => [name, run.env[name] ?? "set"])), ...file };
  const checked = await checkFile(launch.configFile, env);
  if (checked.kind === "refused") {
    throw new Failure(2, `The service would not start: ${launch.configFile} is refused`, {
      reason: "config_invalid",
      next: "Correct it; toolpool check shows what is wrong with it. Or name another: toolpool service install --config FILE",
      lines: checked.issues.map(({ pointer, message }) => (pointer === "" ? message : `${pointer}: ${message}`)),
    });
  }
  const bad = checked.servers.filter(({ status }) => status === "invalid");
  const lines = bad.flatMap(({ alias, issues }) =>
    issues.map(({ message }) => `${alias} will not work in the service: ${message}`),
  );
  return lines.length === 0
    ? []
    : [...lines, `Values for variables belong into ${launch.environmentFile}; afterwards: ${restart}`];
}

/** The pid of the daemon, once it answers; throws when the platform gave up, or after a while. */
async function untilAnswers(run: Run, supervisor: Supervisor, programs: RunProgram): Promise<number> {
  let detail = "";
  for (const end = performance.now() + ANSWER_MS; performance.now() < end;) {
    const state = await supervisor.state(programs);
    const pid = await runningPid(run);
    if (pid !== undefined && state.kind === "there" && state.active) return pid;
    detail = state.kind === "there" ? state.detail : state.why;
    if (state.kind === "there" && state.failed) break;
    await pause(LOOK_MS, undefined, { signal: run.signal });
  }
  throw new Failure(1, `The service is installed, but its daemon does not answer: ${detail}`, {
    reason: "not_answering",
    next: `See what it said: ${supervisor.logs}`,
  });
}

interface Done {
  readonly launch: Launch;
  readonly changed: boolean;
  readonly started: boolean;
  readonly verdict: Verdict | undefined;
  readonly state: SupervisorState;
  readonly pid: number | undefined;
  readonly environmentMade: boolean;
  readonly notes: readonly string[];
}

function tell({ screen }: Run, supervisor: Supervisor, done: Done): void {
  const { launch, changed, started, verdict, state, pid, environmentMade, notes } = done;
  const { file, name, byHand } = supervisor;
  if (screen.json) {
    screen.value({
      supervisor: name,
      file,
      changed,
      ...(verdict === undefined ? {} : { checked: verdict }),
      enabled: state.kind === "there",
      ...(pid === undefined ? {} : { pid }),
      ...(state.kind === "none" ? { undone: { why: state.why, run: byHand } } : {}),
      environmentFile: launch.environmentFile,
      notes,
    });
    return;
  }
  const fact = (what: string, value: string): void => screen.line(`  ${what.padEnd(13)}${visible(value)}`);
  if (pid === undefined)
    screen.line(screen.colours.yellow("The file of the service is written, but nothing was enabled or started"));
  else if (started) screen.line(screen.colours.green(`The service is installed and runs (pid ${String(pid)})`));
  else screen.line(screen.colours.green(`The service was installed already and runs (pid ${String(pid)}); nothing was changed`));
  fact("file", file);
  fact("checked", checkedWords(supervisor, verdict));
  fact("config", launch.configFile);
  fact("state", launch.stateFolder);
  fact("environment", `${launch.environmentFile}${environmentMade ? " (made now, empty)" : ""}`);
  fact("logs", supervisor.logs);
  for (const note of verdict?.kind === "valid" ? [...verdict.notes, ...notes] : notes) screen.note(visible(note));
  if (state.kind === "there") {
    screen.line(supervisor.survivesLogout);
    return;
  }
  screen.note(
    `Not enabled: ${visible(state.why)}. Where it answers (in a session that you logged in to, not by su or sudo), run:`,
  );
  for (const command of byHand) screen.note(`  ${visible(command)}`);
}

function checkedWords({ checker }: Supervisor, verdict: Verdict | undefined): string {
  if (verdict === undefined) return "it is what was written before";
  return verdict.kind === "valid" ? `by ${checker}` : verdict.kind === "unchecked" ? `no: ${verdict.why}` : "refused";
}
