// What the agent loop and the commands need of a daemon: the contract over some connection. Implemented by PoolClient.
import type { CallParams, MethodName, MethodParams, MethodResult, Outcome } from "../daemon/contract/index.ts";

export interface RequestOptions {
  /** Aborting ends the request; the daemon then cancels what it was doing for it. */
  readonly signal?: AbortSignal;
}

export interface ToolReply {
  readonly outcome: Outcome;
  /** The outcome's own JSON text as the daemon sent it: no number in it was rounded on the way. */
  readonly text: string;
}

export interface ToolRequest extends Omit<CallParams, "arguments"> {
  /** JSON text of the arguments object, sent as it is (so that no number is rounded on the way); default `{}`. */
  readonly argumentsText?: string;
}

export interface PoolPort {
  /** Rejects with PoolError (rebuilt from the answer) or PoolUnreachable. */
  request<M extends MethodName>(method: M, params: MethodParams<M>, options?: RequestOptions): Promise<MethodResult<M>>;
  callTool(request: ToolRequest, options?: RequestOptions): Promise<ToolReply>;
  /** A REST route, e.g. `/v1/calls?limit=5`. */
  get<T>(path: string, options?: RequestOptions): Promise<T>;
  close(): Promise<void>;
}
