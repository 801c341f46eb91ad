// What an agent does, as it happens: for a timeline on a screen, and as evidence. And how a run ends.
import type { ErrorOutcome } from "../../daemon/contract/index.ts";
import type { ToolNote } from "../models/projection.ts";
import type { Finish, RequestedCall, Usage } from "../models/model.ts";
import type { CallSource } from "../permission/rules.ts";
import type { Effect } from "../../daemon/contract/index.ts";

interface Of {
  /** `lead`, `subagent <label>`, `teammate <name>`. */
  readonly agent: string;
  /** The model request it belongs to, from 1. */
  readonly request: number;
}

export interface RequestEvent extends Of {
  readonly kind: "request";
  readonly version: number;
  readonly digest: string;
  /** Names in the order of the request. */
  readonly poolTools: readonly string[];
  readonly builtIns: readonly string[];
  readonly leftOut: readonly ToolNote[];
  readonly changed: readonly ToolNote[];
}

export interface ReplyEvent extends Of {
  readonly kind: "reply";
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  readonly finish: Finish["kind"];
  readonly usage: Usage | undefined;
}

export interface CallEvent extends Of {
  readonly kind: "call";
  /** Our own id of the call, as the journal has it. */
  readonly callId: string;
  readonly name: string;
  readonly argumentsText: string;
  /** The version the call is tagged with. */
  readonly version: number;
  /** Absent: not offered in this request. */
  readonly source?: CallSource;
  readonly effect?: Effect;
}

export interface DecisionEvent extends Of {
  readonly kind: "decision";
  readonly callId: string;
  readonly name: string;
  readonly allowed: boolean;
  readonly by: string;
}

export interface OutcomeEvent extends Of {
  readonly kind: "outcome";
  readonly callId: string;
  readonly name: string;
  readonly ok: boolean;
  /** `ok` or the error's code. */
  readonly code: string;
  readonly error?: ErrorOutcome["error"];
  /** What the model reads. */
  readonly text: string;
  /** The registry version it made, where it says so. */
  readonly version?: number;
  readonly durationMs: number;
}

export interface EndEvent extends Of {
  readonly kind: "end";
  readonly end: RunEnd;
}

export type AgentEvent =
  | RequestEvent
  | ReplyEvent
  | CallEvent
  | DecisionEvent
  | OutcomeEvent
  | EndEvent
  /** Text of the model as it comes. */
  | (Of & { readonly kind: "text"; readonly delta: string });

export type OnEvent = (event: AgentEvent) => void;

/** `cut`: at the provider's limit on output; `steps`, `tokens`: our own budget. */
export type IncompleteReason = "cut" | "filtered" | "refused" | "steps" | "tokens";

interface Spent {
  readonly requests: number;
  readonly usage: Usage;
}

export type RunEnd = Spent &
  (
    | { readonly kind: "done"; readonly text: string }
    | { readonly kind: "incomplete"; readonly reason: IncompleteReason; readonly message: string; readonly text: string }
    | { readonly kind: "failed"; readonly reason: "model" | "daemon" | "session"; readonly message: string }
    | { readonly kind: "interrupted" }
  );

/** CONTRACT section 6. */
export function exitCodeOf(end: RunEnd): 0 | 1 | 3 | 130 {
  if (end.kind === "done") return 0;
  if (end.kind === "interrupted") return 130;
  return end.kind === "failed" && end.reason === "daemon" ? 3 : 1;
}
