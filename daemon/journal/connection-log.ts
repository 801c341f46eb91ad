// What is known of connections beyond their life: what happened to them, the highest number each alias used, and the processes
// that a later start must end if this one cannot. Numbers and processes are written before they are relied on.
import type { Database } from "better-sqlite3";
import type { ConnectionEvent, ProcessRecord } from "./port.ts";
import { prepare } from "./statement.ts";

interface ProcessRow {
  readonly connection: string;
  readonly alias: string;
  readonly pid: number;
  readonly grp: number;
  readonly started: string;
  readonly boot: string;
}

export class ConnectionLog {
  readonly #sql: ReturnType<typeof statements>;
  readonly #numbers: Map<string, number>;

  constructor(database: Database) {
    this.#sql = statements(database);
    this.#numbers = new Map(this.#sql.numbers.all().map(({ alias, n }) => [alias, n]));
  }

  numbers(): ReadonlyMap<string, number> {
    return new Map(this.#numbers);
  }

  /** What has to be written at once: the number, if it is the alias's highest so far. */
  take({ alias, connectionId }: ConnectionEvent): (() => void) | undefined {
    const n = connectionId === null ? NaN : Number(connectionId.slice(connectionId.lastIndexOf("#") + 1));
    if (!Number.isSafeInteger(n) || n <= (this.#numbers.get(alias) ?? 0)) return undefined;
    this.#numbers.set(alias, n);
    return () => this.#sql.setNumber.run(alias, n);
  }

  /** Inside a transaction. */
  write({ at, alias, connectionId, event, code }: ConnectionEvent): void {
    this.#sql.event.run(at, alias, connectionId, event, code);
  }

  add({ connectionId, alias, pid, group, startedAt, bootId }: ProcessRecord): void {
    this.#sql.process.run(connectionId, alias, pid, group, startedAt, bootId);
  }

  forget(connectionId: string): void {
    this.#sql.forget.run(connectionId);
  }

  processes(): readonly ProcessRecord[] {
    return this.#sql.processes.all().map(({ connection, alias, pid, grp, started, boot }) => ({
      connectionId: connection,
      alias,
      pid,
      group: grp,
      startedAt: started,
      bootId: boot,
    }));
  }
}

function statements(database: Database) {
  return {
    numbers: prepare<[], { alias: string; n: number }>(database, "SELECT alias, n FROM connection_numbers"),
    setNumber: prepare<[string, number]>(database, "INSERT OR REPLACE INTO connection_numbers VALUES (?, ?)"),
    event: prepare<[string, string, string | null, string, string | null]>(
      database,
      "INSERT INTO connection_events (at, alias, connection, event, code) VALUES (?, ?, ?, ?, ?)",
    ),
    process: prepare<[string, string, number, number, string, string]>(
      database,
      "INSERT OR IGNORE INTO processes VALUES (?, ?, ?, ?, ?, ?)",
    ),
    forget: prepare<[string]>(database, "DELETE FROM processes WHERE connection = ?"),
    processes: prepare<[], ProcessRow>(database, "SELECT connection, alias, pid, grp, started, boot FROM processes"),
  };
}
