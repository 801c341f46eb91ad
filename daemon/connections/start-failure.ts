// What a link's refusal means for the connection: its code, and details that hold no word of the server's.
import { connectFailure, type ConnectFailure } from "../contract/index.ts";
import { UpstreamError } from "../upstream/port.ts";

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
