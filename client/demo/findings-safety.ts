// Findings 7 to 9: what a failing server can do, what other agents can see, and what is left at the end.
import { OUTCOME_MESSAGES } from "../../daemon/contract/index.ts";
import type { Evidence } from "./evidence.ts";
import { Checks, type Finding } from "./finding.ts";
import { PRIVATE_MARK, SUBAGENT, TEAMMATE, toolOf, toolsOf } from "./names.ts";
import { allCalls, callsOf, codeOf, nextRequest, requestsOf, sameNames, type DoneCall } from "./reading.ts";

export function finding7(evidence: Evidence): Finding {
  const checks = new Checks();
  const [failed] = allCalls(evidence, toolOf("demo_alpha", "fail"));
  if (failed === undefined) checks.notObserved("a remote error");
  else {
    const fixed = `Error [mcp_remote_error]: ${OUTCOME_MESSAGES.mcp_remote_error}`;
    checks.check(failed.outcome.text === fixed, fixed, `the model read: ${failed.outcome.text}`);
  }
  const told = JSON.stringify(evidence.passes.map(({ events, seen }) => ({ events, seen })));
  checks.check(
    !told.includes(PRIVATE_MARK),
    "none of the server's text",
    `nothing of ${String(told.length)} characters seen by agents and model is the server's private text`,
  );
  checkLoss(checks, evidence, "delay", "mcp_timeout");
  checkLoss(checks, evidence, "terminate", "mcp_connection_lost");
  const { idleDeath } = evidence;
  if (idleDeath === undefined) checks.notObserved("the end of an idle server");
  else {
    const { row, alias, pid, afterMs } = idleDeath;
    const whole = row !== undefined && sameNames(row.removed, toolsOf(alias)) && row.added.length === 0;
    const what = `pid ${String(pid)} of ${alias} killed while idle: `;
    const seen =
      row === undefined
        ? "no version came"
        : `version ${String(row.version)} removed ${String(row.removed.length)} tools after ${String(Math.round(afterMs))} ms`;
    checks.check(whole, "one version without the whole alias", what + seen);
  }
  return checks.finding(
    7,
    "a remote error shows the fixed message only; a time-out and a killed child withdraw the whole alias at once",
  );
}

/** The call ends with `code`, one version takes the whole alias away, and the next request offers none of it. */
function checkLoss(checks: Checks, evidence: Evidence, tool: string, code: string): void {
  const done = allCalls(evidence, toolOf("demo_alpha", tool)).find(({ outcome }) => outcome.code !== "unknown_tool");
  if (done === undefined) {
    checks.notObserved(`a call that ends as ${code}`);
    return;
  }
  checks.check(done.outcome.code === code, code, `${tool} ended as ${codeOf(done)} after ${String(done.outcome.durationMs)} ms`);
  const next = nextRequest(done.pass, "lead", done.call.request);
  const rows = evidence.rows.filter(
    ({ version, removed }) => version > done.call.version && version <= (next?.version ?? Infinity) && removed.length > 0,
  );
  const [row] = rows;
  const whole = rows.length === 1 && row !== undefined && sameNames(row.removed, toolsOf("demo_alpha"));
  const seen = rows.map(
    ({ version, removed, cause }) => `version ${String(version)} (${cause}) removed ${String(removed.length)} tools`,
  );
  checks.check(whole, "one version without the whole alias", `after ${tool}: ${seen.join("; ") || "no version"}`);
  const offered = next?.poolTools.filter((name) => toolsOf("demo_alpha").includes(name)) ?? [];
  checks.check(
    offered.length === 0,
    "none of alpha is offered",
    `the next request was offered ${String(offered.length)} tools of alpha`,
  );
}

export function finding8(evidence: Evidence): Finding {
  const checks = new Checks();
  for (const [role, label] of [
    ["subagent", SUBAGENT],
    ["teammate", TEAMMATE],
  ] as const) {
    const agent = `${role} ${label}`;
    const requests = evidence.passes.flatMap((pass) => requestsOf(pass, agent));
    const session = evidence.sessions.find((one) => one.role === role && one.label === label);
    if (requests.length === 0 || session === undefined) {
      checks.notObserved(`a ${role}`);
      continue;
    }
    const offered = new Set(requests.flatMap(({ poolTools }) => poolTools));
    const own = new Set(requests.flatMap(({ builtIns }) => builtIns));
    checks.check(
      offered.size === 0,
      "nothing of the pool",
      `${agent} was offered ${String(offered.size)} tools of the pool, and ${[...own].join(", ")}`,
    );
    const tried = evidence.passes.flatMap((pass) => callsOf(pass, agent)).filter(({ call }) => !own.has(call.name));
    if (tried.length === 0) checks.notObserved(`${agent} tries a tool of the pool by name`);
    else {
      const refused = tried.every(({ outcome }: DoneCall) => outcome.code === "unknown_tool");
      checks.check(refused, "unknown_tool", tried.map((done) => `${done.call.name} is ${codeOf(done)}`).join(", "));
      const journal = evidence.calls.filter(({ sessionId }) => sessionId === session.sessionId);
      const recorded = journal.length >= tried.length && journal.every(({ code }) => code === "unknown_tool");
      checks.check(
        recorded,
        "refused by the daemon",
        `the daemon's journal has ${String(journal.length)} calls of session ${session.sessionId}, all refused`,
      );
    }
  }
  return checks.finding(
    8,
    "a subagent and a teammate see neither management nor remote tools, and the daemon refuses them by name",
  );
}

/** What a clean stop leaves in the state folder (CONTRACT section 1). */
const KEPT = ["daemon.log", "pool.db", "token"];

export function finding9({ afterwards }: Evidence): Finding {
  const checks = new Checks();
  const { processes, listening, stateFiles, files, looked } = afterwards;
  const none = (names: readonly string[]): string => (names.length === 0 ? "none" : names.join(", "));
  checks.check(
    processes.length === 0,
    "no process",
    `of the daemon, its ${String(looked - 1)} servers and their children live: ${none(processes)}`,
  );
  checks.check(listening.length === 0, "no socket", `still listening: ${none(listening)}`);
  checks.check(sameNames(stateFiles, KEPT), `a clean state folder (${KEPT.join(", ")})`, `the daemon left: ${none(stateFiles)}`);
  checks.check(files.length === 0, "no file", `left of the run's folder: ${none(files)}`);
  return checks.finding(9, "after shutdown no child, grandchild, socket or file of the run is left");
}
