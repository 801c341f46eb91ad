// Reads the events of a pass: requests, calls with their outcomes in the order of things, and what an outcome held.
import { isJsonObject, type JsonObject } from "../../daemon/contract/index.ts";
import type { AgentEvent, CallEvent, OutcomeEvent, RequestEvent } from "../agent/events.ts";
import type { Evidence, Pass } from "./evidence.ts";

export interface DoneCall {
  readonly call: CallEvent;
  readonly outcome: OutcomeEvent;
  /** Places in the order of all events. */
  readonly begunAt: number;
  readonly endedAt: number;
}

export function requestsOf({ events }: Pass, agent: string): readonly RequestEvent[] {
  return events.flatMap((event) => (event.kind === "request" && event.agent === agent ? [event] : []));
}

export function callsOf({ events }: Pass, agent: string, name?: string): readonly DoneCall[] {
  return events.flatMap((call, begunAt) => {
    if (call.kind !== "call" || call.agent !== agent || (name !== undefined && call.name !== name)) return [];
    const endedAt = events.findIndex((event) => isOutcomeOf(event, call));
    const outcome = events[endedAt];
    return outcome?.kind === "outcome" ? [{ call, outcome, begunAt, endedAt }] : [];
  });
}

const isOutcomeOf = (event: AgentEvent, call: CallEvent): boolean =>
  event.kind === "outcome" && event.agent === call.agent && event.callId === call.callId;

/** What a request of the lead was offered from the pool, after the request `after`. */
export function nextRequest(pass: Pass, agent: string, after: number): RequestEvent | undefined {
  return requestsOf(pass, agent).find(({ request }) => request > after);
}

/** Calls of the lead in all passes. */
export function allCalls(evidence: Evidence, name: string): readonly (DoneCall & { readonly pass: Pass })[] {
  return evidence.passes.flatMap((pass) => callsOf(pass, "lead", name).map((done) => ({ ...done, pass })));
}

/** The structured content of an ok outcome, from the text the model read. */
export function structured({ outcome }: DoneCall): JsonObject | undefined {
  if (!outcome.ok) return undefined;
  try {
    const value: unknown = JSON.parse(outcome.text);
    const content = isJsonObject(value) ? value.structured_content : undefined;
    return isJsonObject(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** `unknown_tool/withdrawn`, or `ok`. */
export function codeOf({ outcome }: DoneCall): string {
  return outcome.error?.reason === undefined ? outcome.code : `${outcome.code}/${outcome.error.reason}`;
}

export const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  [...a].sort().join("\n") === [...b].sort().join("\n");
