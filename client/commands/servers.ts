// `toolpool servers [alias]`: the servers of the configuration and how they are; one of them in full, with the end of what it
// wrote to stderr (for the person at the machine, never for a model).
import type { ServerState, ServerStatus } from "../../daemon/contract/index.ts";
import { explainConnectFailure } from "../output/connect-failure.ts";
import type { Screen } from "../output/screen.ts";
import type { Paint } from "../output/table.ts";
import { duration, localTime, since } from "../output/times.ts";
import { visible, visibleLines } from "../output/visible.ts";
import { withPool, type Run } from "./surroundings.ts";

export async function servers(run: Run, alias: string | undefined): Promise<void> {
  await withPool(run, async ({ client }) => {
    const path = alias === undefined ? "/v1/servers" : `/v1/servers/${encodeURIComponent(alias)}?stderr=1`;
    const text = await client.getText(path, { signal: run.signal });
    if (run.screen.json) run.screen.jsonText(text);
    else if (alias === undefined) serverTable(run.screen, JSON.parse(text) as readonly ServerStatus[]);
    else inFull(run.screen, JSON.parse(text) as ServerStatus);
  });
}

export function serverTable(screen: Screen, list: readonly ServerStatus[]): void {
  if (list.length === 0) {
    screen.line("No servers in the configuration");
    return;
  }
  screen.table(
    [
      { head: "SERVER" },
      { head: "STATE" },
      { head: "TOOLS", right: true },
      { head: "SESSIONS", right: true },
      { head: "PID", right: true },
      { head: "CALLS", right: true },
      { head: "P50", right: true },
      { head: "P95", right: true },
      { head: "NOTE" },
    ],
    list.map((server) => [
      server.alias,
      { text: server.state.kind, paint: paintOf(server.state, screen) },
      server.toolCount,
      server.attachedSessions.length,
      server.pid ?? "–",
      server.stats.calls,
      duration(server.stats.p50Ms),
      duration(server.stats.p95Ms),
      noteOf(server),
    ]),
  );
}

function paintOf({ kind }: ServerState, { colours }: Screen): Paint {
  if (kind === "connected") return colours.green;
  if (kind === "failed" || kind === "needs_auth") return colours.red;
  return kind === "idle" || kind === "disabled" ? colours.dim : colours.yellow;
}

function noteOf({ state, heldByPool, queue }: ServerStatus): string {
  if (state.kind === "failed") return `${state.failure.code}: ${state.failure.message}`;
  if (state.kind === "pending") return `attempt ${String(state.attempt)} at ${localTime(state.nextAt)}: ${state.failure.code}`;
  const busy = queue.running + queue.waiting > 0 ? `${String(queue.running)} running, ${String(queue.waiting)} waiting` : "";
  return [heldByPool ? "held by the pool" : "", busy].filter((part) => part !== "").join("; ");
}

function inFull(screen: Screen, server: ServerStatus): void {
  const { state, stats, serverInfo, lastFailure } = server;
  screen.line(`${screen.colours.bold(server.alias)}  ${paintOf(state, screen)(state.kind)}`);
  const fact = (name: string, value: string): void => screen.line(`  ${name.padEnd(11)} ${visible(value)}`);
  if (server.description !== undefined) fact("about", server.description);
  fact("type", server.type);
  if (server.connectionId !== undefined) fact("connection", server.connectionId);
  if (server.pid !== undefined) fact("pid", String(server.pid));
  if ("since" in state) fact("since", `${localTime(state.since)} (${since(state.since)})`);
  if (serverInfo !== undefined)
    fact("says it is", `${serverInfo.name} ${serverInfo.version} (MCP ${server.protocolVersion ?? "?"})`);
  fact("tools", String(server.toolCount));
  fact("held by", [...server.attachedSessions, ...(server.heldByPool ? ["the pool"] : [])].join(", ") || "nobody");
  fact("queue", `${String(server.queue.running)} running, ${String(server.queue.waiting)} waiting`);
  fact("calls", `${String(stats.calls)} (p50 ${duration(stats.p50Ms)}, p95 ${duration(stats.p95Ms)})`);
  fact("connects", `${String(stats.connects)} succeeded, ${String(stats.failures)} failed`);
  if (server.stdoutNoise > 0) fact("noise", `${String(server.stdoutNoise)} lines on stdout were no MCP messages`);
  for (const each of server.connections ?? []) {
    fact(each.connectionId, `pid ${String(each.pid ?? "–")}, session ${each.sessionId ?? "–"}`);
  }
  const failure = state.kind === "failed" ? state.failure : lastFailure;
  if (failure !== undefined) {
    const { lines, next } = explainConnectFailure(server.alias, failure.code, failure.details);
    const at = lastFailure === undefined ? "" : ` (${localTime(lastFailure.at)})`;
    screen.line();
    screen.line(screen.colours.red(`Last failure${at}: ${failure.code}: ${failure.message}`));
    for (const line of lines) screen.line(`  ${visible(line)}`);
    if (state.kind === "failed") screen.line(`  ${next}`);
  }
  if (server.stderrTail !== undefined && server.stderrTail !== "") {
    screen.line();
    screen.line(screen.colours.bold("End of its stderr"));
    screen.line(visibleLines(server.stderrTail.trimEnd()));
  }
}
