// `toolpool import`: finds the servers that other programs have configured, shows them, and adds the chosen ones to our
// configuration, unreviewed. It starts nothing, changes no file but ours, and shows no secret.
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import which from "which";
import { configFile } from "../../config/paths.ts";
import { readOwnFile, storeAdditions, withAdditions, type Addition } from "../import/add-entries.ts";
import { candidatesOf, clashesAmong, type Candidate, type Configured, type Launchable } from "../import/candidates.ts";
import { choose, isLaunchable, readRenames, withAliases, type Wishes } from "../import/choose.ts";
import { HOSTS, isHostId, placeName, type FileProblem, type FoundServer } from "../import/found.ts";
import { anyHostFile, hostFiles, type HostFile, type World } from "../import/host-files.ts";
import { readHostFile } from "../import/read-host-file.ts";
import { sayTable, short, shownOf, type Facts, type Shown } from "../import/report.ts";
import { configuredLaunches } from "../import/same-launch.ts";
import { withVariables } from "../import/secret-variables.ts";
import { configDiff } from "../output/config-diff.ts";
import { issueLine } from "../output/issue-line.ts";
import { visible } from "../output/visible.ts";
import { usage } from "./failure.ts";
import type { Run } from "./surroundings.ts";

export interface ImportOptions {
  readonly from?: readonly string[];
  readonly file?: readonly string[];
  readonly config?: string;
  readonly all?: boolean;
  readonly only?: readonly string[];
  readonly as?: readonly string[];
  readonly dryRun?: boolean;
  readonly inlineSecrets?: boolean;
}

export async function importServers(run: Run, options: ImportOptions): Promise<number> {
  const wishes = { all: options.all === true, only: options.only ?? [], as: readRenames(options.as ?? []) };
  const file = options.config === undefined ? configFile(run.env) : resolve(run.cwd, options.config);
  const world = await worldOf(run);
  const sources = sourcesOf(run, options, world);
  const own = await readOwnFile(file);
  const configured = configuredLaunches(own.text, file);
  const { found, problems } = await findServers(sources, world);
  const candidates = withAliases(candidatesOf(found, configured), wishes.as);
  const facts = await factsOf(candidates, configured, world);
  const shown = candidates.map((candidate) => shownOf(candidate, facts));
  sayProblems(run, problems);
  const report = new Report(run, { file, shown, problems, dryRun: options.dryRun === true, home: world.home });
  report.found(sources);
  const asked = isAsked(run, options) ? await import("../import/questions.ts") : undefined;
  const questions = asked && new asked.Questions(run, world.home);
  const chosen =
    questions === undefined ? choose(candidates, wishes, configured) : await pick(candidates, configured, facts, questions);
  if (chosen.length === 0) return report.nothing(wishes, questions !== undefined);
  const kept = withVariables(chosen.map(({ alias, launch }) => ({ alias: alias ?? "", launch })));
  const inline =
    options.inlineSecrets === true || (kept.secrets.length > 0 && (await questions?.secrets(kept.secrets)) === false);
  const additions = chosen.map((candidate, at): Addition => {
    const launch = inline ? candidate.launch : (kept.launches[at] ?? candidate.launch);
    return { alias: candidate.alias ?? "", launch, disabled: candidate.disabled, comment: commentFor(candidate, world.home) };
  });
  if (questions !== undefined || options.dryRun === true)
    report.difference(own.absent ? "" : own.text, withAdditions(own.text, additions));
  if (options.dryRun === true) return report.done({ added: additions, present: [], created: false }, inline ? [] : kept.secrets);
  if (questions !== undefined && !(await questions.right(file))) return report.nothing(wishes, true);
  return report.done(await storeAdditions(file, additions), inline ? [] : kept.secrets);
}
