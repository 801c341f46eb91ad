// Every read of the registry, at any version: from memory down to the floor, from the journal below it. The journal stands
// behind a port declared here. Order of checks: future, below the floor, answer.
import {
  canonicalJson,
  compareCodeUnits,
  PoolError,
  unknownVersion,
  type RegistryDiff,
  type RegistrySummary,
  type ToolView,
  type VersionRow,
} from "../contract/index.ts";
import type { Registry } from "./registry.ts";
import { sha256 } from "./toolset.ts";
import type { RegistryState } from "./types.ts";
import { allTools, Views, type Viewer } from "./view.ts";
import type { WatchEvent } from "./watchers.ts";

/** A version that is no longer in memory. */
export interface PastVersion {
  readonly row: VersionRow;
  readonly toolsets: readonly {
    readonly connectionId: string;
    readonly alias: string;
    readonly owner: string | null | undefined;
    readonly digest: string;
    readonly tools: readonly ToolView[];
  }[];
  readonly management: { readonly digest: string; readonly tools: readonly ToolView[] };
}

/** The journal, as far as reads need it. */
export interface Past {
  versions(since: number, limit: number): readonly VersionRow[];
  version(version: number): PastVersion | undefined;
  attachments(sessionId: string, version: number): readonly string[];
}

interface JsonText {
  readonly json: string;
}

export interface ViewText {
  readonly version: number;
  readonly digest: string;
  /** JSON text of the array of ToolViews. */
  readonly toolsJson: string;
}

/** How many rows a follower that starts far back is read from the journal at a time. */
const REPLAY_PAGE = 500;

export class RegistryReader {
  readonly #registry: Registry;
  readonly #past: Past;
  readonly #poolId: string;
  readonly #views = new Views();
  readonly #texts = new WeakMap<RegistryState["toolsets"], string>();

  constructor(registry: Registry, past: Past, poolId: string) {
    this.#registry = registry;
    this.#past = past;
    this.#poolId = poolId;
  }

  version(): number {
    return this.#registry.version;
  }

  summary(): RegistrySummary {
    const { version, row, toolsets } = this.#registry.current;
    const servers = [...toolsets.values()]
      .map(({ alias, connectionId, tools }) => ({ alias, connectionId, toolCount: tools.length }))
      .sort((a, b) => compareCodeUnits(a.alias, b.alias) || compareCodeUnits(a.connectionId, b.connectionId));
    const toolCount = servers.reduce((sum, server) => sum + server.toolCount, 0);
    return { poolId: this.#poolId, version, floor: this.#registry.floor, digest: row.digest, toolCount, servers };
  }

  /** Rows above `since`, newest first. */
  versions(since: number, limit: number): readonly VersionRow[] {
    return this.#past.versions(since, limit);
  }

  snapshot(version: number): JsonText & { readonly digest: string } {
    const at = this.#at(version);
    const toolsJson = at.kind === "state" ? this.#stateJson(at.state) : pastJson(at.past);
    const { row } = at.kind === "state" ? at.state : at.past;
    const head = canonicalJson({ at: row.at, cause: row.cause, digest: row.digest });
    return { digest: row.digest, json: `${head.slice(0, -1)},"tools":${toolsJson},"version":${String(row.version)}}` };
  }

  tool(version: number, name: string, connectionId?: string): ToolView {
    const offered = this.#tools(version).filter((view) => view.name === name);
    const chosen = connectionId === undefined ? offered : offered.filter((view) => connectionOf(view) === connectionId);
    const [first, second] = chosen;
    if (first === undefined) throw new PoolError("not_found", `No tool "${name}" at version ${String(version)}`);
    if (second !== undefined) {
      const connections = chosen.map(connectionOf);
      throw new PoolError("conflict", `"${name}" is published by ${connections.join(" and ")}: add ?connection=`, {
        connections,
      });
    }
    return first;
  }

  diff(from: number, to: number): RegistryDiff {
    const before = firstByName(this.#tools(from));
    const after = firstByName(this.#tools(to));
    const added = [...after.values()].filter((view) => !before.has(view.name));
    const removed = [...before.keys()].filter((name) => !after.has(name));
    const changed = [...after.values()].flatMap((view) => {
      const old = before.get(view.name);
      return old === undefined || old.digest === view.digest ? [] : [{ name: view.name, before: old, after: view }];
    });
    return { from, to, added, removed, changed };
  }

  /** What a session sees of a state that is at hand, whether the registry still keeps it or not. */
  viewOf(state: RegistryState, viewer: Viewer): ViewText {
    return { version: state.version, ...this.#views.of(state, viewer) };
  }

  /** What a session sees, or saw, at a version; the current one by default. */
  view(viewer: Viewer, version = this.#registry.version): ViewText {
    const at = this.#at(version);
    if (at.kind === "state") return this.viewOf(at.state, viewer);
    const aliases = new Set(viewer.lead ? this.#past.attachments(viewer.id, version) : []);
    const visible = at.past.toolsets.filter(
      (set) => aliases.has(set.alias) && (set.owner === undefined || set.owner === viewer.id),
    );
    const management = viewer.lead ? at.past.management : undefined;
    const parts = visible.map((set) => `${set.connectionId} ${set.digest}`).sort(compareCodeUnits);
    const tools = [...(management?.tools ?? []), ...visible.flatMap((set) => set.tools)];
    tools.sort((a, b) => compareCodeUnits(a.name, b.name));
    return { version, digest: sha256([management?.digest ?? "", ...parts].join("\n")), toolsJson: canonicalJson(tools) };
  }

  /** Versions above `since`, then what comes. Throws `unknown_version` for a version of the future. */
  watch(since: number, signal: AbortSignal): AsyncIterable<WatchEvent> {
    if (since > this.#registry.version) throw unknownVersion(since, this.#registry.version, this.#registry.floor);
    // Followed from here on, so that a commit during the replay is not missed; the replay ends at the version of this moment.
    const following = this.#registry.follow(signal);
    return this.#replayAndFollow(since, this.#registry.version, following, signal);
  }

  async *#replayAndFollow(
    since: number,
    until: number,
    following: AsyncIterableIterator<WatchEvent>,
    signal: AbortSignal,
  ): AsyncIterableIterator<WatchEvent> {
    try {
      for (let version = since + 1; version <= until;) {
        const rows = this.#rows(version, until);
        for (const row of rows) {
          if (signal.aborted) return;
          yield { kind: "version", row };
        }
        version = (rows.at(-1)?.version ?? until) + 1;
      }
      yield* following;
    } finally {
      await following.return?.();
    }
  }

  /** Up to a page of rows from `version` on, oldest first; rows that retention took are skipped. */
  #rows(version: number, until: number): readonly VersionRow[] {
    const state = this.#registry.at(version);
    if (state.kind === "state") return [state.state.row];
    return this.#past
      .versions(version - 1, until - version + 1)
      .slice(-REPLAY_PAGE)
      .reverse();
  }

  #tools(version: number): readonly ToolView[] {
    const at = this.#at(version);
    return at.kind === "state" ? allTools(at.state).map(({ tool }) => tool.view) : pastTools(at.past);
  }

  #at(version: number): { kind: "state"; state: RegistryState } | { kind: "past"; past: PastVersion } {
    const at = this.#registry.at(version);
    if (at.kind === "state") return at;
    const past = at.kind === "below_floor" ? this.#past.version(version) : undefined;
    if (past === undefined) throw unknownVersion(version, this.#registry.version, this.#registry.floor);
    return { kind: "past", past };
  }

  #stateJson(state: RegistryState): string {
    let text = this.#texts.get(state.toolsets);
    if (text === undefined) {
      text = `[${allTools(state)
        .map(({ tool }) => tool.json)
        .join(",")}]`;
      this.#texts.set(state.toolsets, text);
    }
    return text;
  }
}

const connectionOf = (view: ToolView): string => (view.source.kind === "mcp" ? view.source.connectionId : "");

function pastTools(past: PastVersion): readonly ToolView[] {
  return past.toolsets
    .flatMap((set) => set.tools)
    .sort((a, b) => compareCodeUnits(a.name, b.name) || compareCodeUnits(connectionOf(a), connectionOf(b)));
}

const pastJson = (past: PastVersion): string => canonicalJson(pastTools(past));

function firstByName(views: readonly ToolView[]): ReadonlyMap<string, ToolView> {
  const byName = new Map<string, ToolView>();
  for (const view of views) if (!byName.has(view.name)) byName.set(view.name, view);
  return byName;
}
