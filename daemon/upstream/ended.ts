// What a caller is told once a link has ended: by its cause, and by whether it was ever ready.
import { assertNever } from "../contract/index.ts";
import { UpstreamError, type CloseCause } from "./port.ts";

export function endedError(cause: CloseCause, wasOpen: boolean): UpstreamError {
  switch (cause.kind) {
    case "asked":
      return new UpstreamError("closed", "The link was closed");
    case "exited": {
      const { exitCode, signal } = cause;
      if (wasOpen) return new UpstreamError("closed", "The server ended", { exitCode, signal });
      return new UpstreamError("handshake_failed", "The server ended before it was ready", { exitCode, signal });
    }
    case "broken":
      if (wasOpen) return new UpstreamError("closed", "The link broke", { why: cause.why });
      return new UpstreamError("handshake_failed", "The link broke before the server was ready", { why: cause.why });
    default:
      return assertNever(cause);
  }
}
