// The states of one server's place in the pool, and the only function that moves between them. Data lives in the variant it
// belongs to; an event that makes no sense in a state is a fault of ours and says so.
import { assertNever, type ConnectFailure, type ServerState } from "../contract/index.ts";

export type StateEvent =
  | { readonly kind: "start"; readonly connectionId: string; readonly at: string; readonly runner?: string }
  | { readonly kind: "published"; readonly at: string }
  /** The start failed, or the connection was lost, and nothing is tried again. */
  | { readonly kind: "failed"; readonly failure: ConnectFailure }
  /** … and another attempt is due. */
  | { readonly kind: "retry"; readonly failure: ConnectFailure; readonly attempt: number; readonly nextAt: string }
  | { readonly kind: "close" }
  | { readonly kind: "closed" }
  | { readonly kind: "disable" };

export const IDLE: ServerState = Object.freeze({ kind: "idle" });

export function transition(state: ServerState, event: StateEvent): ServerState {
  switch (event.kind) {
    case "start":
      if (state.kind === "connecting" || state.kind === "connected" || state.kind === "closing") break;
      return Object.freeze({
        kind: "connecting",
        connectionId: event.connectionId,
        since: event.at,
        ...(event.runner === undefined ? {} : { runner: event.runner }),
      });
    case "published":
      if (state.kind !== "connecting") break;
      return Object.freeze({ kind: "connected", connectionId: state.connectionId, since: event.at });
    case "failed":
      return Object.freeze({ kind: "failed", failure: event.failure });
    case "retry":
      return Object.freeze({ kind: "pending", attempt: event.attempt, nextAt: event.nextAt, failure: event.failure });
    case "close":
      if (state.kind === "connecting" || state.kind === "connected") {
        return Object.freeze({ kind: "closing", connectionId: state.connectionId });
      }
      return state.kind === "closing" || state.kind === "disabled" ? state : IDLE;
    case "closed":
      return IDLE;
    case "disable":
      return Object.freeze({ kind: "disabled" });
    default:
      return assertNever(event);
  }
  throw new TypeError(`a server that is ${state.kind} cannot ${event.kind}`);
}
