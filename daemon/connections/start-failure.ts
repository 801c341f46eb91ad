// How long a start may take, and what a link's refusal means for the connection: its code, and details that hold no word of the server's.
import { connectFailure, type ConnectFailure, type ServerSpec } from "../contract/index.ts";
import { UpstreamError } from "../upstream/port.ts";

/** ms. The whole budget is there for every attempt: one that was cut short may have to download again. */
export const startLimitMs = ({ startupTimeoutMs, installTimeoutMs }: ServerSpec): number => startupTimeoutMs + installTimeoutMs;

export function startFailure(error: unknown): ConnectFailure {
  if (!(error instanceof UpstreamError)) throw error;
  const details = errorDetails(error);
  switch (error.code) {
    case "spawn_failed":
    case "handshake_failed":
    case "list_failed":
      return connectFailure(error.code, details);
    default:
      return connectFailure("handshake_failed", details);
  }
}

export function errorDetails(error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return undefined;
  return Object.keys(error.details).length === 0 ? { why: error.message } : { why: error.message, ...error.details };
}
