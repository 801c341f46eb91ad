// `toolpool review [alias]`: from a server that nobody knows to one that is safe to use. What starts it is shown and asked about
// first; it is then started in quarantine, its tools are listed with what a person should know of them, an effect is chosen for
// each, and policy and pins are written. Nothing is written without a confirmation, and a proposal is never taken for a decision.
import { configFile } from "../../config/paths.ts";
import { connectToPool } from "../connector.ts";
import { Answers } from "../review/answers.ts";
import { reviewServer, type ReviewOptions, type ReviewReport } from "../review/review-server.ts";
import { subjectsOf, type Subject } from "../review/subjects.ts";
import { visible } from "../output/visible.ts";
import { Failure, usage } from "./failure.ts";
import { connecting, type Run } from "./surroundings.ts";
import { tell } from "./tell.ts";

export async function review(run: Run, alias: string | undefined, options: ReviewOptions): Promise<number> {
  if (options.policy !== undefined && alias === undefined) throw usage("--policy is for one server: name its alias");
  const pool = await connectToPool({ ...connecting(run), start: true });
  const answers = new Answers(run);
  try {
    if (pool.started) run.screen.note(`The daemon was started (pid ${String(pool.discovery.pid)})`);
    const file = pool.discovery.configFile ?? configFile(run.env);
    const all = await subjectsOf(pool.client, file, run.signal);
    const reports: ReviewReport[] = [];
    const due = chosen(all, alias, options);
    for (const subject of due) {
      const desk = { run, client: pool.client, answers, configFile: file, options };
      try {
        reports.push(await reviewServer(desk, subject));
      } catch (error) {
        // The others are still to be looked at; one alone is the command itself.
        if (due.length === 1 || !(error instanceof Failure)) throw error;
        tell(run.screen, error, false);
        const { reason, message } = error;
        reports.push({ alias: subject.entry.alias, end: "failed", error: { reason, message } });
      }
    }
    finish(run, all, reports, alias);
    return reports.some(({ end }) => end === "failed") ? 1 : 0;
  } finally {
    answers.close();
    await pool.client.close();
  }
}

function chosen(all: readonly Subject[], alias: string | undefined, options: ReviewOptions): readonly Subject[] {
  if (alias === undefined) {
    return options.all === true ? all : all.filter(({ due }) => due === "unreviewed" || due === "drifted");
  }
  const subject = all.find(({ entry }) => entry.alias === alias);
  if (subject !== undefined) return [subject];
  const known = all.map(({ entry }) => visible(entry.alias)).join(", ");
  throw usage(
    `There is no server "${visible(alias)}" in the configuration that could be started`,
    "See what is wrong with it: toolpool check; add servers with: toolpool import",
    known === "" ? [] : [`known: ${known}`],
  );
}

function finish({ screen }: Run, all: readonly Subject[], reports: readonly ReviewReport[], alias: string | undefined): void {
  if (screen.json) {
    screen.value({ reviews: reports });
    return;
  }
  if (reports.length > 0 || alias !== undefined) return;
  const unpinned = all.filter(({ due }) => due === "unpinned").map(({ entry }) => entry.alias);
  screen.line(screen.colours.green("Nothing is waiting for a review"));
  if (unpinned.length > 0) {
    screen.line(`Not pinned yet, so a change of their tools goes unnoticed: ${unpinned.map(visible).join(", ")}`);
    screen.line(`Look at one: toolpool review ${visible(unpinned[0] ?? "")}; at all of them: toolpool review --all`);
  }
}
