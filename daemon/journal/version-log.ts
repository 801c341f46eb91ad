// Versions as rows, toolsets and attachments as spans of versions. A version writes its row and what it changed; the tools of a
// toolset are touched once. Version numbers are reserved in blocks before they are used, so that a sudden death can skip some
// and never use one twice.
import type { Database } from "better-sqlite3";
import type { VersionRow } from "../contract/index.ts";
import { contentOf, toolsOf } from "./content.ts";
import { damaged } from "./errors.ts";
import type { JournalToolset, JournalVersion, PastVersion } from "./port.ts";
import { OPEN_END } from "./schema.ts";
import { prepare } from "./statement.ts";

const RESERVE = 64;
/** Toolsets whose row is remembered although somebody describes them anew each time. */
const MAX_KNOWN = 4_096;
/** The management tools are kept as the toolset of no connection. */
const MANAGEMENT = "";

interface StoredToolset {
  readonly connection: string;
  readonly alias: string;
  readonly owner: string;
  readonly digest: string;
  readonly tools: string;
}

export class VersionLog {
  /** The highest version any life used, or may have used. */
  readonly highWater: number;
  readonly #file: string;
  readonly #sql: ReturnType<typeof statements>;
  #reserved: number;
  #last: number;
  /** Toolsets of the newest version: id → itself. */
  #current: ReadonlySet<number> = new Set();
  #byIdentity = new WeakMap<object, number>();
  readonly #byKey = new Map<string, number>();

  /** Begins a life: what an earlier one left published or attached ended with it. */
  constructor(database: Database, file: string) {
    this.#file = file;
    this.#sql = statements(database);
    const reserved = this.#sql.getMeta.get("highWater")?.value ?? 0;
    this.highWater = this.#last = this.#reserved = Math.max(reserved, this.#sql.newest.get()?.version ?? 0);
    this.#sql.endPublications.run(this.highWater + 1);
    this.#sql.endAttachments.run(this.highWater + 1);
  }

  /** What has to be written at once, before the version is used: the reservation it begins, if it begins one. */
  take(version: number): (() => void) | undefined {
    this.#last = version;
    if (version <= this.#reserved) return undefined;
    this.#reserved = version + RESERVE;
    return () => this.#sql.setMeta.run("highWater", this.#reserved);
  }

  /** The next life goes on right above the last version of this one. */
  giveBack(): void {
    this.#sql.setMeta.run("highWater", this.#last);
  }

  /** Inside a transaction. */
  write({ row, toolsets, management, attached, detached }: JournalVersion): void {
    const { version } = row;
    this.#sql.insertVersion.run(version, row.at, JSON.stringify(row));
    const present = new Set(toolsets.map((toolset) => this.#idOf(toolset, toolset)));
    present.add(this.#idOf(management, { connectionId: MANAGEMENT, alias: "", owner: undefined }));
    for (const id of this.#current) if (!present.has(id)) this.#sql.unpublish.run(version, id, OPEN_END);
    for (const id of present) if (!this.#current.has(id)) this.#sql.publish.run(id, version, OPEN_END);
    this.#current = present;
    for (const [session, alias] of detached) this.#sql.detach.run(version, session, alias, OPEN_END);
    for (const [session, alias] of attached) this.#sql.attach.run(session, alias, version, OPEN_END);
  }

  /** Newest first; `since` is exclusive. */
  rows(since: number, limit: number): readonly VersionRow[] {
    return this.#sql.rows.all(since, limit).map(({ row }) => rowOf(row));
  }

  version(version: number): PastVersion | undefined {
    const found = this.#sql.row.get(version);
    if (found === undefined) return undefined;
    const stored = this.#sql.toolsetsAt.all(version, version);
    const management = stored.find(({ connection }) => connection === MANAGEMENT);
    if (management === undefined) throw damaged(this.#file, `lost the management tools of version ${version}`);
    return {
      row: rowOf(found.row),
      toolsets: stored.filter(({ connection }) => connection !== MANAGEMENT).map(pastToolset),
      management: { digest: management.digest, tools: toolsOf(management.tools, MANAGEMENT) },
    };
  }

  attachments(session: string, version: number): readonly string[] {
    return this.#sql.attachmentsAt.all(session, version, version).map(({ alias }) => alias);
  }

  oldest(): number {
    return this.#sql.oldest.get()?.version ?? 0;
  }

  /** Row ids may be given out again: after rows were dropped nothing is known any more but what is published now. */
  forgetKnown(): void {
    this.#byIdentity = new WeakMap();
    this.#byKey.clear();
  }

  #idOf(
    set: JournalToolset | JournalVersion["management"],
    { connectionId, alias, owner }: Pick<JournalToolset, "connectionId" | "alias" | "owner">,
  ): number {
    const known = this.#byIdentity.get(set);
    if (known !== undefined) return known;
    const ownerText = owner === undefined ? "" : JSON.stringify(owner);
    const key = `${connectionId} ${set.digest} ${ownerText}`;
    let id = this.#byKey.get(key) ?? this.#sql.findToolset.get(connectionId, ownerText, set.digest)?.id;
    if (id === undefined) {
      const { hash, text } = contentOf(set.tools, connectionId);
      const content = this.#sql.findContent.get(hash)?.id ?? Number(this.#sql.insertContent.run(hash, text).lastInsertRowid);
      id = Number(this.#sql.insertToolset.run(connectionId, alias, ownerText, set.digest, content).lastInsertRowid);
    }
    this.#byIdentity.set(set, id);
    if (this.#byKey.size >= MAX_KNOWN) this.#byKey.clear();
    this.#byKey.set(key, id);
    return id;
  }
}

function pastToolset({ connection, alias, owner, digest, tools }: StoredToolset): PastVersion["toolsets"][number] {
  return {
    connectionId: connection,
    alias,
    owner: owner === "" ? undefined : (JSON.parse(owner) as string | null),
    digest,
    tools: toolsOf(tools, connection),
  };
}

const rowOf = (text: string): VersionRow => JSON.parse(text) as VersionRow;

function statements(database: Database) {
  return {
    getMeta: prepare<[string], { value: number }>(database, "SELECT value FROM meta WHERE key = ?"),
    setMeta: prepare<[string, number]>(database, "INSERT OR REPLACE INTO meta VALUES (?, ?)"),
    newest: prepare<[], { version: number | null }>(database, "SELECT max(version) AS version FROM versions"),
    oldest: prepare<[], { version: number | null }>(database, "SELECT min(version) AS version FROM versions"),
    endPublications: prepare<[number]>(database, `UPDATE publications SET until = ? WHERE until = ${OPEN_END}`),
    endAttachments: prepare<[number]>(database, `UPDATE attachments SET until = ? WHERE until = ${OPEN_END}`),
    insertVersion: prepare<[number, string, string]>(database, "INSERT INTO versions VALUES (?, ?, ?)"),
    findToolset: prepare<[string, string, string], { id: number }>(
      database,
      "SELECT id FROM toolsets WHERE connection = ? AND owner = ? AND digest = ?",
    ),
    insertToolset: prepare<[string, string, string, string, number]>(
      database,
      "INSERT INTO toolsets (connection, alias, owner, digest, content) VALUES (?, ?, ?, ?, ?)",
    ),
    findContent: prepare<[string], { id: number }>(database, "SELECT id FROM contents WHERE hash = ?"),
    insertContent: prepare<[string, string]>(database, "INSERT INTO contents (hash, tools) VALUES (?, ?)"),
    publish: prepare<[number, number, number]>(database, "INSERT INTO publications VALUES (?, ?, ?)"),
    unpublish: prepare<[number, number, number]>(database, "UPDATE publications SET until = ? WHERE toolset = ? AND until = ?"),
    attach: prepare<[string, string, number, number]>(database, "INSERT INTO attachments VALUES (?, ?, ?, ?)"),
    detach: prepare<[number, string, string, number]>(
      database,
      "UPDATE attachments SET until = ? WHERE session = ? AND alias = ? AND until = ?",
    ),
    rows: prepare<[number, number], { row: string }>(
      database,
      "SELECT row FROM versions WHERE version > ? ORDER BY version DESC LIMIT ?",
    ),
    row: prepare<[number], { row: string }>(database, "SELECT row FROM versions WHERE version = ?"),
    toolsetsAt: prepare<[number, number], StoredToolset>(
      database,
      `SELECT t.connection, t.alias, t.owner, t.digest, c.tools FROM publications p JOIN toolsets t ON t.id = p.toolset
         JOIN contents c ON c.id = t.content WHERE p.since <= ? AND p.until > ? ORDER BY p.rowid`,
    ),
    attachmentsAt: prepare<[string, number, number], { alias: string }>(
      database,
      "SELECT alias FROM attachments WHERE session = ? AND since <= ? AND until > ? ORDER BY rowid",
    ),
  };
}
