// The events of a run as lines for a person: model request n → snapshot version v with these tools → calls → outcomes →
// registry versions. Everything others wrote is made visible and kept short.
import { assertNever } from "../../daemon/contract/index.ts";
import { visible } from "../output/visible.ts";
import { cut } from "../output/width.ts";
import type { ToolNote } from "../models/projection.ts";
import type { AgentEvent, RequestEvent, RunEnd } from "./events.ts";

const LONGEST = 160;
const short = (text: string): string => cut(visible(text), LONGEST);

/** What each agent was offered last. Who keeps one is told the tools only when they change. */
export type LastOffered = Map<string, string>;

export function timelineLines(event: AgentEvent, lastOffered?: LastOffered): readonly string[] {
  return event.kind === "request" ? requestLines(event, lastOffered) : linesOf(event);
}

function requestLines(event: RequestEvent, lastOffered: LastOffered | undefined): readonly string[] {
  const { agent, request, version, poolTools, builtIns, leftOut, changed } = event;
  const head = `${agent} · request ${String(request)} → version ${String(version)}`;
  const own = builtIns.length === 0 ? "" : `, and ${String(builtIns.length)} built in`;
  const pool = poolTools.length === 0 ? "no pool tool" : poolTools.map(visible).join(", ");
  const notes = [...leftOut.map(note("not offered")), ...changed.map(note("shown differently"))];
  const offered = JSON.stringify([poolTools, builtIns, notes]);
  if (lastOffered?.get(agent) === offered) return [`${head}: the same tools`];
  lastOffered?.set(agent, offered);
  return [`${head}: ${pool}${own}`, ...notes];
}

function linesOf(event: Exclude<AgentEvent, RequestEvent>): readonly string[] {
  const at = event.agent;
  switch (event.kind) {
    case "reply":
      return [...(event.text === "" ? [] : [`${at} · says: ${short(event.text)}`]), ...unusual(at, event.finish)];
    case "call": {
      const tag = `${event.effect ?? "not offered"}, version ${String(event.version)}`;
      return [`${at} ·   → ${visible(event.name)} ${short(event.argumentsText)}  [${event.callId}, ${tag}]`];
    }
    case "decision":
      // What a rule allows is the usual case.
      if (event.allowed && event.by === "rule") return [];
      return [`${at} ·     ${event.allowed ? "allowed" : "denied"} by ${event.by}  [${event.callId}]`];
    case "outcome": {
      const version = event.version === undefined ? "" : `, registry version ${String(event.version)}`;
      return [
        `${at} ·   ← ${visible(event.name)} ${short(event.text)}  [${event.callId}, ${String(event.durationMs)} ms${version}]`,
      ];
    }
    case "end":
      return [`${at} · ${describeEnd(event.end)}`];
    case "text":
      return [];
    default:
      return assertNever(event);
  }
}

export function describeEnd(end: RunEnd): string {
  const { inputTokens, outputTokens } = end.usage;
  const spent = `${String(end.requests)} model requests, ${String(inputTokens + outputTokens)} tokens`;
  switch (end.kind) {
    case "done":
      return `done (${spent})`;
    case "incomplete":
    case "failed":
      return `${end.message} (${spent})`;
    case "interrupted":
      return `interrupted (${spent})`;
    default:
      return assertNever(end);
  }
}

const note =
  (what: string) =>
  ({ name, note: why }: ToolNote): string =>
    `    ${what}: ${visible(name)} (${why})`;

function unusual(agent: string, finish: string): readonly string[] {
  return finish === "stop" || finish === "tool_calls" ? [] : [`${agent} · the reply ended as: ${finish}`];
}
