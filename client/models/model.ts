// What the agent loop needs of a language model: one request, one assembled reply. Provider formats stay behind this port.
// A failure of the provider is a ModelFailure, told apart by `code`; an abort rejects with the signal's reason.
import type { JsonObject } from "../../daemon/contract/index.ts";

/** A tool as it is put into a request: already projected. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface RequestedCall {
  /** The provider's id of the call; unique within its reply. */
  readonly callId: string;
  readonly name: string;
  /** As the model wrote it: meant to be a JSON object, never trusted to be one. */
  readonly argumentsText: string;
}

export type Turn =
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "assistant"; readonly text: string; readonly toolCalls: readonly RequestedCall[] }
  /** In the order of the calls. */
  | { readonly kind: "results"; readonly results: readonly { readonly callId: string; readonly text: string }[] };

export type Finish =
  | { readonly kind: "stop" }
  | { readonly kind: "tool_calls" }
  /** The provider's limit on output tokens was reached in the middle: the last call may be incomplete. */
  | { readonly kind: "cut" }
  | { readonly kind: "filtered" }
  | { readonly kind: "refused"; readonly text: string };

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ModelRequest {
  readonly instructions: string;
  readonly history: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
  /** Text as it comes. */
  readonly onText?: (delta: string) => void;
}

export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly RequestedCall[];
  readonly finish: Finish;
  /** Absent where the provider does not count. */
  readonly usage?: Usage;
}

export interface Model {
  /** For people: the provider's model name. */
  readonly name: string;
  reply(request: ModelRequest): Promise<ModelReply>;
}

/** Models of one run; the agents of a run may be given different ones. */
export interface Models {
  /** `agent` is the agent's label, e.g. `lead`. */
  forAgent(agent: string): Model;
  close(): Promise<void>;
}

export type ModelFailureCode =
  /** The key is wrong, or not allowed to use the model. */
  | "auth"
  | "rate"
  | "network"
  /** There is no such model or address. */
  | "not_found"
  /** The provider refused this request (its format, its size). */
  | "rejected"
  /** The provider has a fault of its own. */
  | "provider"
  /** The answer ended in the middle. */
  | "broken_off";

export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  readonly code: ModelFailureCode;

  constructor(code: ModelFailureCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}
