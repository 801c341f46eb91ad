// The page about the pool as data: a summary, the daemon, and three sections of blocks. What a block says is decided where its
// lines are made; here it is only put in order, so that the same page can be printed whole or fitted into a terminal.
import type { ConfigStatus } from "../../daemon/contract/index.ts";
import { PROGRAM } from "../../config/program.ts";
import { many } from "../output/amounts.ts";
import { roughly } from "../output/times.ts";
import { issueLine } from "../output/issue-line.ts";
import { visible } from "../output/visible.ts";
import { breakLines, cutMiddle } from "../output/width.ts";
import type { DaemonFacts, PoolFacts } from "./facts.ts";
import type { Look, Section } from "./parts.ts";
import { serverSection } from "./server-lines.ts";
import { sessionSection } from "./session-lines.ts";
import { lookOf } from "./states.ts";
import { versionSection } from "./version-lines.ts";

export interface Page {
  readonly summary: readonly string[];
  readonly daemon: readonly string[];
  readonly servers: Section;
  readonly sessions: Section;
  readonly versions: Section;
}

export function composePage(facts: PoolFacts, look: Look): Page {
  return {
    summary: summaryLines(facts, look),
    daemon: [...daemonLines(facts.daemon, look), ...configLines(facts.config, look)],
    servers: serverSection(facts.servers, look),
    sessions: sessionSection(facts.sessions, look),
    versions: versionSection(facts.versions, look),
  };
}

function summaryLines({ servers, registry }: PoolFacts, { width, colours }: Look): string[] {
  const connected = servers.filter(({ state }) => state.kind === "connected").length;
  const troubles = new Map<string, number>();
  for (const server of servers) {
    const { word, rank } = lookOf(server, colours);
    if (rank <= 1) troubles.set(word, (troubles.get(word) ?? 0) + 1);
  }
  const told = [...troubles].map(([word, count]) => `${String(count)} ${word}`).join(", ");
  const first = `${String(connected)} of ${many(servers.length, "server")} connected${told === "" ? "" : ` (${told})`}`;
  const text = `${first}, ${many(registry.toolCount, "tool")}, version ${String(registry.version)}`;
  const paint = told === "" ? colours.green : colours.yellow;
  return breakLines(text, width).map((line) => colours.bold(paint(line)));
}

function daemonLines({ program, pid, startedAt, url, socketPath, stateFolder, configFile }: DaemonFacts, look: Look): string[] {
  const { width, now, colours } = look;
  const running = `Toolpool ${visible(program.version)}, pid ${String(pid)}, up for ${roughly(now - Date.parse(startedAt))}`;
  const other = `This toolpool is ${PROGRAM.version}: toolpool down && toolpool up starts its daemon`;
  const places = [
    ["url", url],
    ["socket", socketPath],
    ["state", stateFolder],
    ["config", configFile ?? ""],
  ] as const;
  return [
    ...breakLines(running, width),
    ...(program.version === PROGRAM.version ? [] : breakLines(other, width).map(colours.yellow)),
    ...places.map(([name, place]) => `  ${name.padEnd(6)}  ${cutMiddle(visible(place), width - 10)}`),
  ];
}

/** What the person who saved the file should know: it is not in force. */
function configLines({ file, stale, errors, watchProblem }: ConfigStatus, { width, colours }: Look): string[] {
  const lines = [
    ...(stale ? ["The file on disk was not taken; what was read before it is in force:"] : []),
    ...(stale ? errors.slice(0, 3).map((error) => issueLine(file, error)) : []),
    ...(watchProblem === undefined ? [] : [`The configuration is not watched: ${visible(watchProblem)}`]),
  ];
  return lines.flatMap((line) => breakLines(line, width)).map(colours.yellow);
}
