// What connections need of the rest of the daemon, and what they offer to it.
import type { Admission, AdmissionInput, ExposedTool, Toolset } from "../admission/types.ts";
import type { ConnectFailure, Inspection, JsonObject } from "../contract/index.ts";
import type { LinkFactory, OwnedProcess, RawResult } from "../upstream/port.ts";
import type { InspectionInput } from "../admission/inspect.ts";

export interface ToolsetOffer {
  readonly connectionId: string;
  readonly alias: string;
  readonly owner: string | null | undefined;
  readonly tools: readonly ExposedTool[];
}

/** The registry, as connections see it. Every step is one version, taken before this returns. */
export interface Publisher {
  /** Throws NameTaken when another server has one of the names. */
  publish(offer: ToolsetOffer): Toolset;
  replace(old: Toolset, offer: ToolsetOffer): Toolset;
  /** Does nothing when it is withdrawn already. */
  withdraw(toolset: Toolset, why: "lost" | "refused"): void;
  /** Whether anybody still wants this server running. */
  held(alias: string, owner: string | null | undefined): boolean;
}

/** A name of the offer is another server's. */
export class NameTaken extends Error {
  override readonly name = "NameTaken";
  readonly tool: string;
  readonly alias: string;
  constructor(tool: string, alias: string) {
    super(`${tool} is published by ${alias}`);
    this.tool = tool;
    this.alias = alias;
  }
}

/** The record of child processes that survives our own sudden death. */
export interface ProcessLedger {
  record(process: OwnedProcess, alias: string, connectionId: string): void;
  forget(connectionId: string): void;
}

export interface ConnectionEvent {
  readonly alias: string;
  readonly connectionId: string | null;
  readonly event:
    | "inspecting"
    | "inspected"
    | "connecting"
    | "connected"
    | "failed"
    | "lost"
    | "retry"
    | "closed"
    | "tools_changed"
    | "relist_failed";
  readonly failure?: ConnectFailure;
}

export interface ConnectionsPorts {
  readonly link: LinkFactory;
  readonly admit: (input: AdmissionInput, options: { readonly signal: AbortSignal }) => Promise<Admission>;
  /** The judgement over the list of a server that is only looked at. */
  readonly judge: (
    input: InspectionInput,
    options: { readonly signal: AbortSignal },
  ) => Promise<Pick<Inspection, "tools" | "refusals">>;
  readonly publisher: Publisher;
  readonly ledger: ProcessLedger;
  readonly onEvent: (event: ConnectionEvent) => void;
  readonly onNoise: (alias: string, count: number) => void;
  readonly now: () => Date;
}

export interface RemoteRequest {
  readonly session: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly concurrent: boolean;
  /** Of the policy: replaces the server's longest silence. */
  readonly idleMs?: number | undefined;
  /** Of the caller: caps the total and the wait. */
  readonly capMs?: number | undefined;
  /** Of this call alone. */
  readonly signal: AbortSignal;
  /** Aborts `signal`: for a time limit. */
  readonly abort: () => void;
  /** Asked right before the bytes leave: whether the definition still stands. */
  readonly stillBound: () => boolean;
}

export type RemoteOutcome =
  | { readonly kind: "answer"; readonly raw: RawResult; readonly maxBytes: number }
  | { readonly kind: "remote_error" }
  | { readonly kind: "too_large"; readonly sizeBytes: number; readonly limitBytes: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "lost"; readonly sent: boolean }
  | { readonly kind: "cancelled"; readonly sent: boolean }
  | { readonly kind: "queue_full" }
  | { readonly kind: "queue_timeout" }
  | { readonly kind: "unbound" };

export interface RemoteAnswer {
  readonly outcome: RemoteOutcome;
  /** Time in the queue, and from dispatch to the answer (ms); null where it never got so far. */
  readonly queuedMs: number | null;
  readonly durationMs: number | null;
}
