// One step of the registry, as a pure function: state and changes in, next state out. Everything is validated before anything
// is built; changes that change nothing give no step. Unchanged toolsets and attachment sets stay the same objects.
import { assertNever, compareCodeUnits, type VersionRow } from "../contract/index.ts";
import { sha256 } from "./toolset.ts";
import { RegistryError, type Change, type Commit, type ManagementSet, type RegistryState, type Toolset } from "./types.ts";

export interface Step {
  readonly cause: string;
  /** ISO 8601, UTC */
  readonly at: string;
  readonly changes: readonly Change[];
}

/** Who offers a name now: a name may be shared only by the connections of one alias. */
export type NameIndex = ReadonlyMap<string, { readonly alias: string; readonly connections: number }>;

/** The next state, or undefined when nothing would change. Throws RegistryError and changes nothing. */
export function nextState(state: RegistryState, names: NameIndex, step: Step): Commit | undefined {
  const effective = step.changes.filter((change) => changesAnything(state, change));
  if (effective.length === 0) return undefined;
  validate(state, names, effective);

  const draft = new Draft(state);
  for (const change of effective) draft.apply(change);
  const version = state.version + 1;
  const row: VersionRow = Object.freeze({
    version,
    at: step.at,
    cause: step.cause,
    added: sorted(draft.added),
    removed: sorted(draft.removed),
    changed: sorted(draft.changed),
    digest: draft.toolsets === state.toolsets ? state.row.digest : stateDigest(draft.toolsets),
  });
  const { toolsets, attachments, management, attached, detached } = draft;
  return { state: Object.freeze({ version, row, toolsets, attachments, management }), attached, detached };
}

/** The digest of all remote tools: over the connections and their toolsets' digests, so that it costs nothing per tool. */
export function stateDigest(toolsets: ReadonlyMap<string, Toolset>): string {
  return sha256(
    [...toolsets.values()]
      .map((toolset) => `${toolset.connectionId} ${toolset.digest}`)
      .sort(compareCodeUnits)
      .join("\n"),
  );
}

function changesAnything(state: RegistryState, change: Change): boolean {
  switch (change.kind) {
    case "publish":
    case "withdraw":
      return true;
    case "replace":
      return change.old !== change.next;
    case "attach":
      return state.attachments.get(change.session)?.has(change.alias) !== true;
    case "detach":
      return state.attachments.get(change.session)?.has(change.alias) === true;
    case "management":
      return state.management.digest !== change.management.digest;
  }
}

function validate(state: RegistryState, names: NameIndex, changes: readonly Change[]): void {
  const leaving = new Map<string, number>();
  for (const change of changes) {
    const old = change.kind === "withdraw" ? change.toolset : change.kind === "replace" ? change.old : undefined;
    if (old === undefined) continue;
    if (state.toolsets.get(old.connectionId) !== old) {
      throw new RegistryError("not_registered", `${old.connectionId} is not registered with this toolset`);
    }
    for (const tool of old.tools) leaving.set(tool.view.name, (leaving.get(tool.view.name) ?? 0) + 1);
  }
  for (const change of changes) {
    if (change.kind === "publish" && state.toolsets.has(change.toolset.connectionId)) {
      throw new RegistryError("already_registered", `${change.toolset.connectionId} is registered already`);
    }
    const next = change.kind === "publish" ? change.toolset : change.kind === "replace" ? change.next : undefined;
    if (next === undefined) continue;
    for (const { view } of next.tools) {
      const holder = names.get(view.name);
      if (holder === undefined || holder.alias === next.alias || holder.connections <= (leaving.get(view.name) ?? 0)) continue;
      throw new RegistryError("name_collision", `${view.name} is published by ${holder.alias} already`, view.name, holder.alias);
    }
  }
}

/** The next state while it is built: maps are copied when they are first written to. */
class Draft {
  toolsets: ReadonlyMap<string, Toolset>;
  attachments: ReadonlyMap<string, ReadonlySet<string>>;
  management: ManagementSet;
  readonly added = new Set<string>();
  readonly removed = new Set<string>();
  readonly changed = new Set<string>();
  readonly attached: [string, string][] = [];
  readonly detached: [string, string][] = [];
  #toolsets: Map<string, Toolset> | undefined;
  #attachments: Map<string, ReadonlySet<string>> | undefined;

  constructor(state: RegistryState) {
    this.toolsets = state.toolsets;
    this.attachments = state.attachments;
    this.management = state.management;
  }

  apply(change: Change): void {
    switch (change.kind) {
      case "publish":
        this.#writableToolsets().set(change.toolset.connectionId, change.toolset);
        for (const tool of change.toolset.tools) this.added.add(tool.view.name);
        return;
      case "withdraw":
        this.#writableToolsets().delete(change.toolset.connectionId);
        for (const tool of change.toolset.tools) this.removed.add(tool.view.name);
        return;
      case "replace":
        this.#writableToolsets().set(change.next.connectionId, change.next);
        this.#compare(change.old, change.next);
        return;
      case "attach":
        this.#edit(change.session, (aliases) => aliases.add(change.alias));
        this.attached.push([change.session, change.alias]);
        return;
      case "detach":
        this.#edit(change.session, (aliases) => aliases.delete(change.alias));
        this.detached.push([change.session, change.alias]);
        return;
      case "management":
        this.management = change.management;
        return;
      default:
        assertNever(change);
    }
  }

  #writableToolsets(): Map<string, Toolset> {
    this.toolsets = this.#toolsets ??= new Map(this.toolsets);
    return this.#toolsets;
  }

  #edit(session: string, edit: (aliases: Set<string>) => void): void {
    this.attachments = this.#attachments ??= new Map(this.attachments);
    const aliases = new Set(this.#attachments.get(session));
    edit(aliases);
    if (aliases.size === 0) this.#attachments.delete(session);
    else this.#attachments.set(session, aliases);
  }

  #compare(old: Toolset, next: Toolset): void {
    for (const { view } of next.tools) {
      const before = old.byName.get(view.name);
      if (before === undefined) this.added.add(view.name);
      else if (before.view.digest !== view.digest) this.changed.add(view.name);
    }
    for (const { view } of old.tools) if (!next.byName.has(view.name)) this.removed.add(view.name);
  }
}

const sorted = (names: ReadonlySet<string>): readonly string[] => Object.freeze([...names].sort(compareCodeUnits));
