// The review of one server, step by step: its launch, its start in quarantine, its tools, the decision, the writing. Each step
// may end it; what it came to is told and returned.
import { dirname, resolve } from "node:path";
import { PoolError, type Inspection, type ServerStatus } from "../../daemon/contract/index.ts";
import { connectFailed, Failure, usage } from "../commands/failure.ts";
import type { Run } from "../commands/surroundings.ts";
import { configDiff } from "../output/config-diff.ts";
import { issueLine } from "../output/issue-line.ts";
import { visible, visibleLines } from "../output/visible.ts";
import type { PoolClient } from "../pool-client.ts";
import type { Answers } from "./answers.ts";
import { chooseEffects } from "./effect-list.ts";
import { findingsPage } from "./findings-page.ts";
import { launchPage } from "./launch-page.ts";
import { choicesFromFile } from "./match-policy.ts";
import { choosePlainly } from "./plain-choice.ts";
import { reviewRows } from "./rows.ts";
import { previewReview, storeReview, type Review } from "./store.ts";
import type { Subject } from "./subjects.ts";
import type { Choice, Flag, Row } from "./types.ts";

export interface ReviewOptions {
  /** Start it and write without asking. */
  readonly yes?: boolean;
  /** Take the effects from this file. */
  readonly policy?: string;
  /** Every server of the configuration, due or not. */
  readonly all?: boolean;
}

export interface Desk {
  readonly run: Run;
  readonly client: PoolClient;
  readonly answers: Answers;
  readonly configFile: string;
  readonly options: ReviewOptions;
}

/** What a program is told of one review. */
export interface ReviewReport {
  readonly alias: string;
  /** `left`: looked at, nothing written. */
  readonly end: "saved" | "left" | "unchanged" | "failed";
  readonly server?: { readonly name: string; readonly version: string };
  readonly tools?: readonly ToolReport[];
  readonly error?: { readonly reason: string; readonly message: string };
}

export interface ToolReport {
  readonly name: string;
  readonly exposedName: string;
  readonly description: string;
  readonly effect: string;
  readonly as?: string;
  /** The guess, where the policy does not say anything yet. */
  readonly proposed: string;
  readonly why: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly flags: readonly Flag[];
  readonly refusals: readonly { readonly code: string; readonly pointer: string; readonly message: string }[];
  readonly change?: "new" | "changed";
}

/** Rejects with a Failure when it cannot be reviewed. */
export async function reviewServer(desk: Desk, subject: Subject): Promise<ReviewReport> {
  const { alias } = subject.entry;
  refuseFaults(desk, subject);
  if (!(await mayStart(desk, subject))) return { alias, end: "left" };
  const inspection = await inspect(desk, subject);
  const { rows, gone } = await reviewRows(subject, inspection);
  const { screen } = desk.run;
  if (!screen.json) for (const line of findingsPage({ subject, inspection, rows, gone }, screen)) screen.line(line);
  const choices = await decide(desk, subject, rows);
  const report = { alias, server: inspection.serverInfo, tools: rows.map((row) => toolReport(row, choices?.get(row.tool.name))) };
  if (choices === undefined) {
    if (!screen.json) screen.note("Nothing was written.");
    return { ...report, end: "left" };
  }
  const review = { configFile: desk.configFile, entry: subject.entry, inspection, decisions: choices };
  return { ...report, end: await confirmAndStore(desk, review) };
}

function refuseFaults({ configFile }: Desk, { entry, faults }: Subject): void {
  if (faults.length === 0) return;
  throw new Failure(2, `"${entry.alias}" cannot be started as it is configured`, {
    reason: "config_invalid",
    lines: faults.map((issue) => issueLine(configFile, issue)),
    next: faults.some(({ message }) => message.includes("is not set"))
      ? `Set it where the daemon starts (toolpool down && toolpool up from such a shell), then: toolpool review ${entry.alias}`
      : `Correct it, then: toolpool review ${entry.alias}`,
  });
}

/** What was reviewed may be started again without a word; everything else only when a person has read it. */
async function mayStart({ run, answers, options, configFile }: Desk, subject: Subject): Promise<boolean> {
  const { alias, written } = subject.entry;
  const { screen } = run;
  const known = subject.locked !== undefined && JSON.stringify(subject.locked.launch) === JSON.stringify(written);
  if (!screen.json) {
    screen.line(screen.colours.bold(visible(alias)));
    const page = { folder: dirname(configFile), env: run.env, colours: screen.colours };
    for (const line of launchPage(subject, page)) screen.line(line);
    screen.line();
  }
  if (known || options.yes === true) return true;
  if (screen.json)
    throw usage("Starting a server that nobody has reviewed needs --yes with --json", `toolpool review ${alias} --yes --json`);
  const answer = await answers.ask("Start it in quarantine, to see its tools? [y/N] ");
  if (answer === undefined) throw nobody(alias);
  if (/^y(es)?$/i.test(answer)) return true;
  screen.note(`${alias} was not started and stays as it is.`);
  return false;
}

async function inspect({ run, client }: Desk, { entry }: Subject): Promise<Inspection> {
  const { alias, launchDigest } = entry;
  run.screen.moving(`Starting ${visible(alias)} in quarantine…`);
  try {
    return await client.request("servers.inspect", { alias, launchDigest }, { signal: run.signal });
  } catch (error) {
    if (error instanceof PoolError && error.reason === "connect_failed") await tellStderr(run, client, alias);
    throw connectFailed(alias, error);
  } finally {
    run.screen.settle();
  }
}

async function tellStderr({ screen, signal }: Run, client: PoolClient, alias: string): Promise<void> {
  const { stderrTail = "" } = await client.get<ServerStatus>(`/v1/servers/${encodeURIComponent(alias)}?stderr=1`, { signal });
  if (stderrTail.trim() === "") return;
  screen.note(screen.noteColours.bold(`The end of what ${visible(alias)} wrote to stderr:`));
  screen.note(visibleLines(stderrTail.trimEnd()));
}

/** Undefined when the person leaves. */
async function decide(desk: Desk, { entry }: Subject, rows: readonly Row[]): Promise<ReadonlyMap<string, Choice> | undefined> {
  const { run, answers, options } = desk;
  const { screen, signal, stdin, stderr } = run;
  if (options.policy !== undefined) return choicesFromFile(resolve(run.cwd, options.policy), rows);
  if (screen.json && options.yes !== true) return undefined;
  if (options.yes === true) {
    // A policy that stands is a decision; a proposal is not.
    const open = rows.filter(({ tool }) => entry.policy?.has(tool.name) !== true);
    if (entry.policy !== undefined && open.length === 0) return new Map(rows.map(({ tool, initial }) => [tool.name, initial]));
    if (screen.json) return undefined;
    const names = open.slice(0, 10).map(({ tool }) => visible(tool.name));
    throw usage(
      `${String(open.length)} tool${open.length === 1 ? "" : "s"} of "${entry.alias}" must be decided by a person`,
      `Say it in a file: toolpool review ${entry.alias} --yes --policy policy.json; or without --yes`,
      [`not in the policy: ${names.join(", ")}${open.length > 10 ? ", …" : ""}`],
    );
  }
  if (answers.atTerminal && run.env.TERM !== "dumb") {
    answers.pause();
    const title = `What may each tool of ${visible(entry.alias)} do?`;
    const { noteColours: colours } = screen;
    return chooseEffects(rows, { input: stdin, output: stderr, signal, colours, title, onInterrupt: run.interrupt });
  }
  const choices = await choosePlainly(
    rows,
    (question) => answers.ask(question),
    (line) => screen.note(line),
  );
  if (choices === undefined && answers.unanswered) throw nobody(entry.alias);
  return choices;
}

async function confirmAndStore({ run, client, answers, options }: Desk, review: Review): Promise<ReviewReport["end"]> {
  const { screen } = run;
  const { alias } = review.entry;
  const { before, after } = await previewReview(review);
  if (!screen.json) {
    const lines = configDiff(before, after, screen.colours);
    screen.line(lines.length === 0 ? "The configuration stays as it is." : `This changes ${visible(review.configFile)}:`);
    for (const line of lines) screen.line(line);
    screen.line();
  }
  const confirmed = options.yes === true || (await answers.confirm("Save the policy, and pin what was reviewed?"));
  if (confirmed === undefined) throw nobody(alias);
  if (!confirmed) {
    screen.note("Nothing was written.");
    return "left";
  }
  await storeReview(review);
  const { errors } = await client.request("config.reload", {}, { signal: run.signal });
  for (const error of errors) if (error.alias === undefined) screen.note(issueLine(review.configFile, error));
  if (!screen.json) {
    screen.line(screen.colours.green(`${visible(alias)} is reviewed`));
    screen.line(`Use it: toolpool connect ${visible(alias)}`);
  }
  return "saved";
}

function toolReport({ tool, initial, proposal, cost, flags, change }: Row, choice: Choice = initial): ToolReport {
  return {
    name: tool.name,
    exposedName: tool.exposedName,
    description: tool.description,
    effect: choice.effect,
    ...(choice.as === undefined ? {} : { as: choice.as }),
    proposed: proposal.effect,
    why: proposal.why,
    ...cost,
    flags,
    refusals: tool.refusals,
    ...(change === undefined ? {} : { change }),
  };
}

const nobody = (alias: string): Failure =>
  usage("Nobody answered, so nothing was written", `In scripts: toolpool review ${alias} --yes --policy policy.json`);
