// The sessions on the page, the last active first: who they are, what they hold, what they do. Their labels are their own words.
import type { SessionInfo } from "../../daemon/contract/index.ts";
import { many } from "../output/amounts.ts";
import { ago } from "../output/times.ts";
import { visible } from "../output/visible.ts";
import { breakItems, cut } from "../output/width.ts";
import { fittingTable, type ColumnOf } from "./columns.ts";
import type { Block, Look, Section } from "./parts.ts";

/** Nobody reads a thousand of them. */
const MOST = 20;
/** Characters for the servers that a session holds, where they stand in a table. */
const HOLDS = { wide: 60, usual: 24 } as const;

export function sessionSection(sessions: readonly SessionInfo[], look: Look): Section {
  if (sessions.length === 0) return { what: "session", head: ["No sessions"], blocks: [] };
  // ISO 8601 in UTC sorts as text does.
  const sorted = [...sessions]
    .sort((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : a.lastSeenAt > b.lastSeenAt ? -1 : 0))
    .slice(0, MOST);
  const table = fittingTable(columnSets(look), sorted, look);
  const blocks = sorted.map((session, rank): Block => {
    const lines = table === undefined ? cardLines(session, look) : [table.rows[rank] ?? ""];
    return { lines, short: lines, line: [lines[0] ?? ""], rank };
  });
  const head = [table === undefined ? look.colours.bold("Sessions") : table.head];
  return { what: "session", head, blocks, beyond: sessions.length - sorted.length };
}

function columnSets({ now }: Look): readonly (readonly ColumnOf<SessionInfo>[])[] {
  const id: ColumnOf<SessionInfo> = { head: "SESSION", cell: ({ sessionId }) => sessionId };
  const role: ColumnOf<SessionInfo> = { head: "ROLE", cell: (session) => session.role };
  const calls: ColumnOf<SessionInfo> = { head: "CALLS", right: true, cell: ({ callsInFlight }) => callsInFlight };
  const seen: ColumnOf<SessionInfo> = { head: "LAST SEEN", cell: (session) => seenOf(session, now) };
  const holds = (most: number): ColumnOf<SessionInfo> => ({ head: "HOLDS", cell: ({ attached }) => namesWithin(attached, most) });
  const label: ColumnOf<SessionInfo> = { head: "LABEL", cell: (session) => session.label ?? "" };
  return [
    [id, role, calls, seen, holds(HOLDS.wide), label],
    [id, role, calls, seen, holds(HOLDS.usual), label],
  ];
}

/** `lead  s_V7Fr…`, what it calls itself, what it holds and does. */
function cardLines(session: SessionInfo, { width, now, colours }: Look): string[] {
  const { sessionId, role, label, attached, callsInFlight } = session;
  const facts = [
    seenOf(session, now),
    ...(callsInFlight === 0 ? [] : [`${many(callsInFlight, "call")} in flight`]),
    ...(attached.length === 0 ? [] : [`holds ${namesWithin(attached, HOLDS.usual)}`]),
  ];
  return [
    `${colours.bold(role)}  ${cut(visible(sessionId), width - role.length - 2)}`,
    ...(label === null || label === "" ? [] : [`  ${cut(visible(label), width - 2)}`]),
    ...breakItems(facts, width - 2).map((line) => `  ${line}`),
  ];
}

const seenOf = ({ callsInFlight, lastSeenAt }: SessionInfo, now: number): string =>
  callsInFlight > 0 ? "busy" : ago(lastSeenAt, now);

/** As many names as fit; how many more there are is said. */
function namesWithin(names: readonly string[], most: number): string {
  const whole = names.join(", ");
  if (whole.length <= most) return whole === "" ? "–" : whole;
  let taken = 0;
  let text = "";
  for (const name of names) {
    const longer = text === "" ? name : `${text}, ${name}`;
    if (taken > 0 && longer.length > most) break;
    text = longer;
    taken++;
  }
  return taken === names.length ? text : `${text}, +${String(names.length - taken)}`;
}
