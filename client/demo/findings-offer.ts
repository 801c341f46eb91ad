// Findings 1 to 6: what the Lead is offered when, and that a call means the tools of its own request.
import type { VersionRow } from "../../daemon/contract/index.ts";
import type { DecisionEvent } from "../agent/events.ts";
import type { Evidence, Pass } from "./evidence.ts";
import { Checks, type Finding } from "./finding.ts";
import { ALIASES, labelOf, toolOf, toolsOf, type DemoAlias } from "./names.ts";
import { allCalls, callsOf, codeOf, nextRequest, requestsOf, sameNames, structured } from "./reading.ts";

const MANAGEMENT = ["connect_mcp", "disconnect_mcp"];
const list = (names: readonly string[]): string => (names.length === 0 ? "nothing" : names.join(", "));

export function finding1({ passes }: Evidence): Finding {
  const checks = new Checks();
  for (const pass of passes) {
    const [first] = requestsOf(pass, "lead");
    const offered = first?.poolTools ?? [];
    checks.check(sameNames(offered, MANAGEMENT), list(MANAGEMENT), `${pass.api}: request 1 was offered ${list(offered)}`);
    const [asked] = pass.seen;
    if (asked === undefined) continue;
    const sent = asked.toolNames.filter((name) => !(first?.builtIns ?? []).includes(name));
    checks.check(sameNames(sent, MANAGEMENT), list(MANAGEMENT), `${pass.api}: the model's endpoint received ${list(sent)}`);
  }
  return checks.finding(1, "at the start the Lead is offered only connect_mcp and disconnect_mcp from the pool");
}

export function finding2({ passes, connections }: Evidence): Finding {
  const checks = new Checks();
  const approvals = passes.flatMap(({ events }) =>
    events.filter((event): event is DecisionEvent => event.kind === "decision" && event.name === "connect_mcp"),
  );
  const by = new Set(approvals.map((event) => event.by));
  if (approvals.length === 0) checks.notObserved("a question whether to connect");
  else {
    const asked = approvals.every(({ allowed, by: who }) => allowed && who !== "rule");
    checks.check(
      asked,
      "every connect was approved",
      `connect_mcp was approved ${String(approvals.length)} times by ${[...by].join(", ")}`,
    );
  }
  const pids = new Set<number>();
  for (const alias of ALIASES) {
    const seen = connections.find((connection) => connection.alias === alias);
    if (seen === undefined) {
      checks.notObserved(`${alias} connected`);
      continue;
    }
    pids.add(seen.pid);
    const started = seen.commandLine === "" || seen.commandLine.includes(`--label ${labelOf(alias)}`);
    checks.check(
      started,
      "the process runs the demo server",
      `${seen.connectionId}: pid ${String(seen.pid)}, ${seen.commandLine}`,
    );
    const shook = seen.protocolVersion !== undefined && seen.serverName === `demo-${labelOf(alias)}`;
    const hello = `initialize answered by ${seen.serverName ?? "nobody"} (protocol ${seen.protocolVersion ?? "?"})`;
    const tools = toolsOf(alias).length;
    checks.check(
      shook && seen.toolCount === tools,
      "initialize and tools/list done",
      `${hello}, tools/list gave ${String(seen.toolCount)} tools`,
    );
  }
  if (pids.size > 0) checks.check(pids.size === ALIASES.length, "two different pids", `pids ${[...pids].join(" and ")}`);
  return checks.finding(2, "after approval both servers are connected: two real processes, initialize and tools/list done");
}

export function finding3({ rows, passes }: Evidence): Finding {
  const checks = new Checks();
  for (const alias of ALIASES) {
    const row = rows.find(({ added }) => added.includes(toolOf(alias, "lookup")));
    if (row === undefined) checks.notObserved(`a version that adds ${alias}`);
    else checks.check(isWhole(row.added, alias) && row.removed.length === 0, `exactly ${list(toolsOf(alias))}`, shown(row));
  }
  const partial = rows.filter((row) => !isStep(row));
  const whole = `all ${String(rows.length)} versions of the run add or remove one whole server or nothing`;
  checks.check(partial.length === 0, whole, partial.length === 0 ? whole : partial.map(shown).join("; "));
  const offered = passes.flatMap((pass) => requestsOf(pass, "lead")).find(({ poolTools }) => poolTools.length > 6);
  const all = [...MANAGEMENT, ...ALIASES.flatMap(toolsOf)];
  if (offered === undefined) checks.notObserved("a request with both servers' tools");
  else
    checks.check(
      sameNames(offered.poolTools, all),
      list(all),
      `request ${String(offered.request)} was offered ${list(offered.poolTools)}`,
    );
  return checks.finding(3, "the tools are mcp__demo_alpha__… and mcp__demo_beta__…, in one version step per server");
}

const isWhole = (names: readonly string[], alias: DemoAlias): boolean => sameNames(names, toolsOf(alias));
const isStep = ({ added, removed, changed }: VersionRow): boolean =>
  changed.length === 0 &&
  (added.length === 0 || removed.length === 0) &&
  (added.length + removed.length === 0 || ALIASES.some((alias) => isWhole([...added, ...removed], alias)));
const shown = ({ version, cause, added, removed }: VersionRow): string =>
  `version ${String(version)} (${cause}): +${String(added.length)} −${String(removed.length)}${[...added, ...removed].map((name) => ` ${name}`).join("")}`;

export function finding4({ passes }: Evidence): Finding {
  const checks = new Checks();
  const name = toolOf("demo_alpha", "lookup");
  for (const pass of passes) {
    const connected = callsOf(pass, "lead", "connect_mcp").find(({ outcome }) => outcome.ok);
    const early = callsOf(pass, "lead", name).filter(
      ({ call, begunAt }) => call.request === connected?.call.request && begunAt > connected.endedAt,
    );
    if (connected === undefined || early.length === 0) {
      checks.notObserved(`${pass.api}: a call of a new tool in the reply that connects it`);
      continue;
    }
    const codes = early.map(codeOf);
    const stable = codes.every((code) => code === "unknown_tool/not_in_snapshot");
    checks.check(stable, "unknown_tool each time", `${pass.api}: after the connect, in the same reply: ${codes.join(", ")}`);
    const next = nextRequest(pass, "lead", connected.call.request);
    const works = callsOf(pass, "lead", name).find(({ call, outcome }) => call.request === next?.request && outcome.ok);
    const works2 = next?.poolTools.includes(name) === true && works !== undefined;
    checks.check(
      works2,
      "offered and working in the next request",
      `${pass.api}: request ${String(next?.request)} offers it, and it answers ${works?.outcome.text ?? "nothing"}`,
    );
  }
  return checks.finding(
    4,
    "a new tool called in the very reply that connects it is unknown_tool; the next request offers it and it works",
  );
}

export function finding5(evidence: Evidence): Finding {
  const checks = new Checks();
  for (const alias of ALIASES) {
    const done = allCalls(evidence, toolOf(alias, "lookup")).filter(({ outcome }) => outcome.ok);
    const labels = [...new Set(done.map((call) => JSON.stringify(structured(call)?.label)))].map((text) =>
      text.replaceAll('"', ""),
    );
    if (done.length === 0) checks.notObserved(`a lookup in ${alias}`);
    else
      checks.check(
        sameNames(labels, [labelOf(alias)]),
        labelOf(alias),
        `${String(done.length)} lookups in ${alias} answered ${labels.join(", ")}`,
      );
  }
  const together = evidence.passes.find((pass) => {
    const [alpha, beta] = ALIASES.map((alias) =>
      callsOf(pass, "lead", toolOf(alias, "lookup")).filter(({ outcome }) => outcome.ok),
    );
    return alpha?.some((a) => beta?.some((b) => a.begunAt < b.endedAt && b.begunAt < a.endedAt));
  });
  if (together === undefined) checks.notObserved("two lookups at the same time");
  else checks.check(true, "", `${together.api}: both were under way at the same time, and each got its own answer`);
  return checks.finding(5, "the two lookups answer alpha and beta, also when called at the same time");
}

export function finding6(evidence: Evidence): Finding {
  const checks = new Checks();
  for (const pass of evidence.passes) {
    const gone = callsOf(pass, "lead", "disconnect_mcp").find(({ outcome }) => outcome.ok);
    if (gone === undefined) checks.notObserved(`${pass.api}: a disconnect`);
    else checkDisconnect(checks, evidence, pass, gone);
  }
  return checks.finding(6, "disconnecting alpha withdraws all of alpha's tools in one step and nothing of beta's");
}

function checkDisconnect(checks: Checks, { rows }: Evidence, pass: Pass, gone: ReturnType<typeof callsOf>[number]): void {
  const { api } = pass;
  const row = rows.find(({ version }) => version === gone.outcome.version);
  const whole = row !== undefined && isWhole(row.removed, "demo_alpha") && row.added.length === 0;
  checks.check(whole, "one version without alpha's tools", `${api}: ${row === undefined ? "no version" : shown(row)}`);
  const later = (alias: DemoAlias) =>
    callsOf(pass, "lead", toolOf(alias, "lookup")).find(
      ({ call, begunAt }) => call.request === gone.call.request && begunAt > gone.endedAt,
    );
  const late = later("demo_alpha");
  if (late === undefined) checks.notObserved(`${api}: a call of alpha with the older version`);
  else {
    const refused = late.outcome.code === "unknown_tool";
    checks.check(refused, "unknown_tool", `${api}: alpha called with version ${String(late.call.version)} is ${codeOf(late)}`);
  }
  const beta = later("demo_beta");
  if (beta === undefined) checks.notObserved(`${api}: a call of beta after it`);
  else
    checks.check(
      beta.outcome.ok,
      "beta works",
      `${api}: beta called with version ${String(beta.call.version)} is ${codeOf(beta)}`,
    );
  const next = nextRequest(pass, "lead", gone.call.request);
  if (next === undefined) return;
  const kept = sameNames(next.poolTools, [...MANAGEMENT, ...toolsOf("demo_beta")]);
  checks.check(
    kept,
    "beta's tools and none of alpha's",
    `${api}: request ${String(next.request)} was offered ${list(next.poolTools)}`,
  );
}
