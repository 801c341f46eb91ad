// The events of a run as lines for a person: model request n → snapshot version v with these tools → calls → outcomes →
// registry versions. Everything others wrote is made visible and kept short.
import { assertNever } from "../../daemon/contract/index.ts";
import { cut, visible } from "../output/visible.ts";
import type { ToolNote } from "../models/projection.ts";
import type { AgentEvent, RunEnd } from "./events.ts";

const LONGEST = 160;
const short = (text: string): string => cut(visible(text), LONGEST);

export function timelineLines(event: AgentEvent): readonly string[] {
  const at = event.agent;
  switch (event.kind) {
    case "request": {
      const pool = event.poolTools.length === 0 ? "no pool tool" : event.poolTools.map(visible).join(", ");
      const own = event.builtIns.length === 0 ? "" : `, and ${String(event.builtIns.length)} built in`;
      const head = `${at} · request ${String(event.request)} → version ${String(event.version)}: ${pool}${own}`;
      return [head, ...event.leftOut.map(note("not offered")), ...event.changed.map(note("shown differently"))];
    }
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
