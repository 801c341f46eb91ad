// What `toolpool service` looks at before it decides: what would be started from here, what is installed, what the platform and the
// daemon say. Changes nothing.
import { dirname, join, resolve } from "node:path";
import { configFile } from "../../config/paths.ts";
import { readInstalled, type InstalledFile } from "../autostart/installed-file.ts";
import { lastingPath, unwritable, type Asked, type Launch } from "../autostart/launch.ts";
import type { Refusal, SupervisorState } from "../autostart/plan.ts";
import { programsOf, type RunProgram } from "../autostart/programs.ts";
import type { Supervisor } from "../autostart/supervisor.ts";
import { visible } from "../output/visible.ts";
import { probeDaemon } from "../probe.ts";
import { Failure, usage } from "./failure.ts";
import { placeOf, type Run } from "./surroundings.ts";

export interface ServiceOptions {
  readonly print?: boolean;
  readonly force?: boolean;
  readonly config?: string;
  readonly port?: number;
}

/** What would be started, seen from here and now. */
export function launchOf(run: Run, asked: Asked): Launch {
  const { env, nodeProgram, daemonProgram } = run;
  const launch = {
    asked,
    node: nodeProgram,
    program: join(dirname(daemonProgram), "toolpool.js"),
    stateFolder: placeOf(run).stateFolder,
    configFile: asked.configFile ?? configFile(env),
    environmentFile: join(dirname(configFile({ ...env, TOOLPOOL_CONFIG: "" })), "environment"),
  };
  const bad = unwritable(launch);
  if (bad === undefined) return launch;
  throw usage(`This path holds a control character, which no service file can: ${visible(bad)}`, "Choose another path.");
}

export function askedBy(run: Run, { config, port }: ServiceOptions): Asked {
  return {
    ...(config === undefined ? {} : { configFile: resolve(run.cwd, config) }),
    ...(port === undefined ? {} : { port }),
    path: lastingPath(run.env.PATH, run.nodeProgram),
  };
}

export interface Found {
  readonly programs: RunProgram;
  readonly installed: InstalledFile;
  readonly state: SupervisorState;
  /** Of a daemon that answers, whoever started it. */
  readonly daemonPid: number | undefined;
}

export async function look(run: Run, supervisor: Supervisor): Promise<Found> {
  const programs = programsOf({ env: run.env, signal: run.signal });
  const [installed, state, daemonPid] = await Promise.all([
    readInstalled(supervisor.file),
    supervisor.state(programs),
    runningPid(run),
  ]);
  return { programs, installed, state, daemonPid };
}

export async function runningPid(run: Run): Promise<number | undefined> {
  const probe = await probeDaemon(placeOf(run), run.signal);
  if (probe.kind !== "running" && probe.kind !== "unpublished") return undefined;
  await probe.client.close();
  return probe.hello.pid;
}

export const refused = ({ reason, message, next }: Refusal): Failure => new Failure(1, message, { reason, next });
