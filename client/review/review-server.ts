// The review of one server, step by step: its launch, its start in quarantine, its tools, the decision, the writing. Each step
// may end it; what it came to is told and returned.
import type { Inspection, JsonObject, ServerStatus } from "../../daemon/contract/index.ts";
import { exposedName } from "../../config/exposed-name.ts";
import { lockFileOf } from "../../config/lock.ts";
import type { Decision } from "../../config/policy-edit.ts";
import type { ReviewOptions } from "../commands/review.ts";
import { connectFailed, Failure, usage } from "../commands/failure.ts";
import type { Run } from "../commands/surroundings.ts";
import { configDiff } from "../output/config-diff.ts";
import { issueLine } from "../output/issue-line.ts";
import { visible, visibleLines } from "../output/visible.ts";
import type { PoolClient } from "../pool-client.ts";
import type { Answers } from "./answers.ts";
import { previewReview, storeReview, type Review } from "./store.ts";
import type { Subject } from "./subjects.ts";

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

export async function reviewServer(desk: Desk, subject: Subject): Promise<ReviewReport> {
  const { alias } = subject.entry;
  try {
    return await steps(desk, subject);
  } catch (error) {
    // The others are still to be looked at; with one server alone the command itself fails.
    if (!(error instanceof Failure) || error.exitCode === 130) throw error;
    return { alias, end: "failed", error: { reason: error.reason, message: error.message } };
  }
}

async function steps(desk: Desk, subject: Subject): Promise<ReviewReport> {
  const { alias } = subject.entry;
  refuseFaults(desk, subject);
  if (!(await mayStart(desk, subject))) return { alias, end: "left" };
  const inspection = await inspect(desk, subject);
  const rows = await reviewRows(subject, inspection);
  const report = { alias, server: inspection.serverInfo, tools: rows.map(toolReport) };
  if (!desk.run.screen.json) showFindings(desk.run.screen, { subject, inspection, rows });
  const decisions = await decide(desk, subject, rows);
  if (decisions === undefined) return { ...report, end: "left" };
  const review = { configFile: desk.configFile, entry: subject.entry, inspection, decisions };
  return { ...report, end: await confirmAndStore(desk, review, subject) };
}

function refuseFaults({ configFile }: Desk, { entry, faults }: Subject): void {
  if (faults.length === 0) return;
  throw new Failure(2, `"${entry.alias}" cannot be started as it is configured`, {
    reason: "config_invalid",
    lines: faults.map((issue) => issueLine(configFile, issue)),
    next: `Correct it, then: toolpool review ${entry.alias}`,
  });
}
