// What one slot needs: the ports of all connections, and what the slots of the daemon share.
import type { Connection } from "./connection.ts";
import type { ConnectionsPorts } from "./ports.ts";
import type { StartGates } from "./start-gate.ts";
import type { Statistics } from "./statistics.ts";

export interface SlotPorts extends ConnectionsPorts {
  readonly gates: StartGates;
  readonly statistics: Statistics;
  /** The next `alias#n`. */
  nextId(): string;
  /** What calls reach by its id. */
  onLive(connection: Connection): void;
  onDead(connection: Connection): void;
}
