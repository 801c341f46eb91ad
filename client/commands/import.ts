// `toolpool import`: finds the servers that other programs have configured, shows them, and adds the chosen ones to our
// configuration, unreviewed. It starts nothing, changes no file but ours, and shows no secret.
import { resolve } from "node:path";
import { configFile } from "../../config/paths.ts";
import { readOwnFile, storeAdditions, withAdditions, type Addition } from "../import/add-entries.ts";
import { candidatesOf, clashesAmong, type Candidate, type Configured, type Launchable } from "../import/candidates.ts";
import { choose, isLaunchable, readRenames, withAliases } from "../import/choose.ts";
import { Ending } from "../import/ending.ts";
import { absentCommands, findServers, sourcesOf, worldOf } from "../import/find-servers.ts";
import { HOSTS, type FileProblem } from "../import/found.ts";
import type { Questions } from "../import/questions.ts";
import { short, shownOf, type Facts } from "../import/report.ts";
import { configuredLaunches } from "../import/same-launch.ts";
import { withVariables } from "../import/secret-variables.ts";
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
  const { all = false, only = [], dryRun = false, from = [], file: named = [], inlineSecrets = false } = options;
  const renames = readRenames(options.as ?? []);
  const file = options.config === undefined ? configFile(run.env) : resolve(run.cwd, options.config);
  const world = await worldOf(run);
  const sources = sourcesOf(world, from, named);
  const own = await readOwnFile(file);
  const configured = configuredLaunches(own.text, file);
  const { found, problems } = await findServers(sources, world);
  sayProblems(run, problems);
  // A file that was named and cannot be read is what was asked for; others of the kind are only told.
  refuseNamed(
    named.map((each) => resolve(run.cwd, each)),
    problems,
  );

  const candidates = withAliases(candidatesOf(found, configured), renames);
  const facts = await factsOf(candidates, configured, { env: run.env, home: world.home });
  const shown = candidates.map((candidate) => shownOf(candidate, facts));
  const ending = new Ending(run, { file, shown, problems, dryRun, home: world.home });
  ending.found(sources.map((source) => source.file));
  const questions = isAsked(run, options) ? new (await import("../import/questions.ts")).Questions(run, world.home) : undefined;
  const chosen =
    questions === undefined
      ? choose(candidates, { all, only }, configured)
      : await pick(candidates, { configured, facts, questions });
  if (chosen.length === 0) return ending.nothing(questions !== undefined || all || only.length > 0);

  const kept = withVariables(chosen.map(({ alias = "", launch }) => ({ alias, launch })));
  const inline =
    inlineSecrets || (kept.secrets.length > 0 && questions !== undefined && !(await questions.secrets(kept.secrets)));
  const additions = chosen.map(({ alias = "", launch, disabled, places }, at): Addition => {
    const comment = originOf(places, world.home);
    return { alias, launch: inline ? launch : (kept.launches[at] ?? launch), disabled, comment };
  });
  const secrets = inline ? [] : kept.secrets;
  if (questions !== undefined || dryRun) ending.difference(own.absent ? "" : own.text, withAdditions(own.text, additions));
  if (dryRun) return ending.done({ added: additions, present: [], created: false }, secrets);
  if (questions !== undefined && !(await questions.right(file))) return ending.nothing(true);
  return ending.done(await storeAdditions(file, additions), secrets);
}

/** Above the entry: `imported from Cursor (~/.cursor/mcp.json) as "My Server"`. */
function originOf(places: Launchable["places"], home: string): string {
  const where = places.map(({ host, file }) => (host === "file" ? short(file, home) : `${HOSTS[host]} (${short(file, home)})`));
  return `imported from ${visible([...new Set(where)].join(" and "))} as ${visible(JSON.stringify(places[0].name))}`;
}

/** A person is asked where nothing was decided on the command line and somebody sits at a terminal. */
function isAsked({ stdin, stderr, screen }: Run, { all = false, only = [], dryRun = false }: ImportOptions): boolean {
  return stdin.isTTY && stderr.isTTY && !screen.json && !all && only.length === 0 && !dryRun;
}

interface Picking {
  readonly configured: Configured;
  readonly facts: Facts;
  readonly questions: Questions;
}

async function pick(candidates: readonly Candidate[], { configured, facts, questions }: Picking): Promise<readonly Launchable[]> {
  const addable = candidates.filter(isLaunchable).filter(({ present }) => present === undefined);
  if (addable.length === 0) return [];
  const ready = addable.filter(({ disabled, launch }) => !disabled && !facts.absentCommands.has(launch.command));
  return questions.aliases(await questions.what(addable, new Set(ready)), configured);
}

async function factsOf(
  candidates: readonly Candidate[],
  configured: Configured,
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: string },
): Promise<Facts> {
  const addable = candidates.filter(isLaunchable).filter(({ present }) => present === undefined);
  const clashes = clashesAmong(addable, configured);
  return { absentCommands: await absentCommands(addable, env), env, clashes, home };
}

function sayProblems({ screen }: Run, problems: readonly FileProblem[]): void {
  if (screen.json) return;
  for (const { file, issues } of problems) {
    for (const issue of issues) screen.note(screen.noteColours.yellow(`not read: ${issueLine(file, issue)}`));
  }
}

function refuseNamed(named: readonly string[], problems: readonly FileProblem[]): void {
  const refused = problems.filter(({ file }) => named.includes(file));
  if (refused.length === 0) return;
  const lines = refused.flatMap(({ file, issues }) => issues.map((issue) => issueLine(file, issue)));
  throw usage("The file that was named cannot be imported from", "Correct it, or name another with --file.", lines);
}
