// Everything the findings are drawn from: what the agents did, what the model's endpoint was asked, what the daemon said of its
// registry, servers, sessions and calls, and what the operating system said of the processes.
import type { CallRecord, Role, VersionRow } from "../../daemon/contract/index.ts";
import type { AgentEvent, RunEnd } from "../agent/events.ts";
import type { SeenRequest } from "../models/scripted/endpoint.ts";
import type { DemoAlias } from "./names.ts";

/** One run of the Lead. */
export interface Pass {
  /** For people. */
  readonly api: string;
  readonly events: readonly AgentEvent[];
  /** Empty with a real model: its endpoint is not ours. */
  readonly seen: readonly SeenRequest[];
  readonly end: RunEnd;
}

/** A server as it was while connected. */
export interface SeenConnection {
  readonly alias: DemoAlias;
  readonly connectionId: string;
  readonly pid: number;
  /** Empty where the system does not tell. */
  readonly commandLine: string;
  readonly protocolVersion: string | undefined;
  readonly serverName: string | undefined;
  readonly toolCount: number;
}

export interface SeenSession {
  readonly sessionId: string;
  readonly role: Role;
  readonly label: string | null;
}

/** A server's process ended from outside while nobody called it. */
export interface IdleDeath {
  readonly alias: DemoAlias;
  readonly pid: number;
  /** The first version after it, undefined when none came in time. */
  readonly row: VersionRow | undefined;
  readonly afterMs: number;
}

export interface Afterwards {
  /** Processes of the run that live. */
  readonly processes: readonly string[];
  /** Whether somebody still listens. */
  readonly listening: readonly string[];
  /** In the state folder after the daemon's end. */
  readonly stateFiles: readonly string[];
  /** Of the run, after the demo's own cleaning. */
  readonly files: readonly string[];
  /** How many processes were looked for. */
  readonly looked: number;
}

export interface Evidence {
  readonly live: boolean;
  readonly passes: readonly Pass[];
  /** Every version of the run, oldest first. */
  readonly rows: readonly VersionRow[];
  readonly connections: readonly SeenConnection[];
  readonly sessions: readonly SeenSession[];
  readonly calls: readonly CallRecord[];
  readonly idleDeath: IdleDeath | undefined;
  readonly afterwards: Afterwards;
}
