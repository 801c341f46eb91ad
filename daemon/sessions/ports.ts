// What sessions need of the servers behind the pool.
import type { ConfiguredServer, ConnectFailure, Inspection, QueueDepth, ServerState, ServerStatus } from "../contract/index.ts";
import type { Toolset } from "../registry/types.ts";

/** Undefined = shared; a session's id = its own copy; null = the pool's own copy. */
export type Owner = string | null | undefined;

export interface ServerFacts {
  readonly state: ServerState;
  readonly lastFailure: (ConnectFailure & { readonly at: string }) | undefined;
  readonly statistics: {
    readonly noise: number;
    read(): ServerStatus["stats"];
  };
  readonly stderrTail: string;
  /** Oldest first. */
  readonly live: readonly {
    readonly connectionId: string;
    readonly owner: Owner;
    readonly pid: number | undefined;
    readonly protocolVersion: string | undefined;
    readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
    readonly queue: QueueDepth;
    readonly toolset: Toolset | undefined;
  }[];
}

/** Every method throws or rejects `unknown_alias` where nothing else is said. */
export interface ServerConnections {
  aliases(): readonly string[];
  configured(alias: string): ConfiguredServer;
  configure(configured: ConfiguredServer): void;
  /** Nothing of the server starts any more: `connect` is \`unknown_alias\`. What lives is to be retired, then it is forgotten. */
  refuse(alias: string): void;
  forget(alias: string): void;
  /** Rejects with ConnectRefused. */
  connect(alias: string, owner: Owner, signal: AbortSignal): Promise<void>;
  /** Starts it, looks, stops it; nothing is published. Rejects with ConnectRefused, `conflict`. */
  inspect(alias: string, launchDigest: string, signal: AbortSignal): Promise<Inspection>;
  toolset(alias: string, owner: Owner): Toolset | undefined;
  /** Those with something alive, starting or due to start. */
  owners(alias: string): readonly Owner[];
  /** The toolset is withdrawn already. Resolves when nothing of the connection is left. Never rejects. */
  retire(alias: string, owner: Owner, reason: string, drainMs: number): Promise<void>;
  /** No further attempt to reconnect. */
  released(alias: string, owner: Owner): void;
  facts(alias: string): ServerFacts;
}
