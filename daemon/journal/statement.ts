// The only maker of statements. Each is kept for the life of the process: when V8 collects one outside of a JavaScript turn,
// better-sqlite3's destructor finds no environment and ends the process (seen with 12.11 on Node 24). For the same reason nobody
// uses `database.pragma()`, which makes a statement that nobody can keep.
import type { Database, Statement } from "better-sqlite3";

const kept = new Set<object>();

export function prepare<Bind extends unknown[] = unknown[], Row = unknown>(
  database: Database,
  sql: string,
): Statement<Bind, Row> {
  const statement = database.prepare<Bind, Row>(sql);
  kept.add(database).add(statement);
  return statement;
}

/** Several settings at once, e.g. `cache_size = -1024`. What they answer is dropped. */
export function setPragmas(database: Database, ...settings: readonly string[]): void {
  kept.add(database);
  database.exec(settings.map((setting) => `PRAGMA ${setting};`).join(" "));
}

/** The first value that a pragma answers with, e.g. of `user_version` or `quick_check(1)`. */
export function readPragma(database: Database, pragma: string): unknown {
  const row = prepare<[], Record<string, unknown>>(database, `PRAGMA ${pragma}`).get();
  return row === undefined ? undefined : Object.values(row)[0];
}
