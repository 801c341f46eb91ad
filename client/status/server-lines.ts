// The servers on the page: a table as long as it fits, else a few lines for each. Below a server stands what went wrong with it.
import type { ServerStatus } from "../../daemon/contract/index.ts";
import { many, size } from "../output/amounts.ts";
import { duration, roughly } from "../output/times.ts";
import { visible } from "../output/visible.ts";
import { breakItems, cut, displayWidth } from "../output/width.ts";
import { fittingTable, type ColumnOf } from "./columns.ts";
import type { Block, Look, Section } from "./parts.ts";
import { troubleLines } from "./server-trouble.ts";
import { lookOf, WELL } from "./states.ts";

const INDENT = "    ";

export function serverSection(servers: readonly ServerStatus[], look: Look): Section {
  if (servers.length === 0) return { what: "server", head: ["No servers in the configuration"], blocks: [] };
  const table = fittingTable(columnSets(look), servers, look);
  const { bold } = look.colours;
  const blocks = servers.map((server, at): Block => {
    const lines = table === undefined ? cardLines(server, look) : [table.rows[at] ?? ""];
    const trouble = troubleLines(server, table === undefined ? "  " : INDENT, look);
    const { rank, word } = lookOf(server, look.colours);
    return {
      lines: [...lines, ...trouble.all],
      short: [...lines, ...trouble.short],
      line: [table === undefined || rank < WELL ? oneLine(server, look) : (table.rows[at] ?? "")],
      rank,
      kind: word,
    };
  });
  return { what: "server", head: [table === undefined ? bold("Servers") : table.head], blocks };
}

function columnSets({ colours, now }: Look): readonly (readonly ColumnOf<ServerStatus>[])[] {
  const alias: ColumnOf<ServerStatus> = {
    head: "  SERVER",
    cell: (server) => {
      const { sign, paint } = lookOf(server, colours);
      const text = `${sign} ${server.alias}`;
      return { text, paint: (shown) => paint(shown.slice(0, sign.length)) + shown.slice(sign.length) };
    },
  };
  const state: ColumnOf<ServerStatus> = {
    head: "STATE",
    cell: (server) => {
      const { word, paint } = lookOf(server, colours);
      return { text: word, paint };
    },
  };
  const number = (head: string, cell: (server: ServerStatus) => string): ColumnOf<ServerStatus> => ({ head, right: true, cell });
  const since = number("FOR", (server) => stateAge(server, now) ?? "–");
  const tools = number("TOOLS", ({ toolCount, connectionId }) => (connectionId === undefined ? "–" : String(toolCount)));
  const pid = number("PID", pidOf);
  const memory = number("MEMORY", ({ memoryBytes }) => size(memoryBytes));
  const calls = number("CALLS", ({ stats }) => (stats.calls === 0 ? "–" : String(stats.calls)));
  const perMinute = number("/MIN", ({ stats }) => (stats.calls === 0 ? "–" : countOf(stats.callsPerMinute)));
  const p50 = number("P50", ({ stats }) => duration(stats.p50Ms));
  const p95 = number("P95", ({ stats }) => duration(stats.p95Ms));
  const use: ColumnOf<ServerStatus> = { head: "IN USE BY", cell: (server) => [...usersOf(server), ...busyOf(server)].join(", ") };
  return [
    [alias, state, since, tools, pid, memory, calls, perMinute, p50, p95, use],
    [alias, state, tools, pid, memory, perMinute, p50, p95, use],
    [alias, state, tools, pid, memory, perMinute, p50, p95],
  ];
}

/** `● alias  connected 3 min`, and below it what there is to say. */
function cardLines(server: ServerStatus, look: Look): string[] {
  const { sign, word, paint } = lookOf(server, look.colours);
  const alias = cut(visible(server.alias), look.width - 2);
  const age = stateAge(server, look.now);
  const state = age === undefined ? word : `${word} ${age}`;
  const facts = cardFacts(server);
  const first = `${paint(sign)} ${look.colours.bold(alias)}`;
  const inOne = displayWidth(alias) + state.length + 4 <= look.width;
  const below = breakItems(facts, look.width - 2).map((line) => `  ${line}`);
  return [
    inOne ? `${first}  ${paint(state)}` : first,
    ...(inOne ? [] : [`  ${paint(state)}`]),
    ...(facts.length === 0 ? [] : below),
  ];
}

/** `✗ alias  failed: The server's command could not be started`, as much of it as there is room for. */
function oneLine(server: ServerStatus, { width, colours }: Look): string {
  const { sign, word, paint } = lookOf(server, colours);
  const { state, unreviewed } = server;
  const why = (state.kind === "failed" && unreviewed !== true) || state.kind === "pending" ? `: ${state.failure.message}` : "";
  const rest = `${word}${why}`;
  const alias = cut(visible(server.alias), width - 4 - word.length);
  return `${paint(sign)} ${alias}  ${paint(cut(rest, width - 4 - displayWidth(alias)))}`;
}

function cardFacts(server: ServerStatus): readonly string[] {
  const { toolCount, pid, memoryBytes, stats } = server;
  return [
    ...(toolCount === 0 ? [] : [many(toolCount, "tool")]),
    ...(pid === undefined ? [] : [`pid ${pidOf(server)}`]),
    ...(memoryBytes === undefined ? [] : [size(memoryBytes)]),
    ...(stats.calls === 0 ? [] : [`${countOf(stats.callsPerMinute)}/min`]),
    ...(stats.p50Ms === null ? [] : [`p50 ${duration(stats.p50Ms)}`, `p95 ${duration(stats.p95Ms)}`]),
    ...usersOf(server),
    ...busyOf(server),
  ];
}

const pidOf = ({ pid, connections = [] }: ServerStatus): string =>
  pid === undefined ? "–" : `${String(pid)}${connections.length > 1 ? ` +${String(connections.length - 1)}` : ""}`;

/** An older daemon does not count them. */
const countOf = (count: number | undefined): string => (count === undefined ? "–" : String(count));

const stateAge = ({ state }: ServerStatus, now: number): string | undefined =>
  "since" in state ? roughly(now - Date.parse(state.since)) : undefined;

const usersOf = ({ attachedSessions, heldByPool }: ServerStatus): readonly string[] => [
  ...(attachedSessions.length === 0 ? [] : [many(attachedSessions.length, "session")]),
  ...(heldByPool ? ["the pool"] : []),
];

function busyOf({ queue: { running, waiting } }: ServerStatus): readonly string[] {
  return [...(running === 0 ? [] : [`${String(running)} running`]), ...(waiting === 0 ? [] : [`${String(waiting)} waiting`])];
}
