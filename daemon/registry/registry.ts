// The truth about the pool: one frozen state per version, swapped in by one assignment. Owns versions, commits, history and
// followers; knows no transport, no clock of its own and no disk. Every commit is validated whole before anything changes.
import { History } from "./history.ts";
import { nextState, stateDigest } from "./transition.ts";
import type { Change, Commit, ManagementSet, RegistryState, Toolset } from "./types.ts";
import { Watchers, type WatchEvent } from "./watchers.ts";

export interface RegistryOptions {
  /** The first version of this life: above every version of any earlier one. */
  readonly firstVersion: number;
  readonly versionsInMemory: number;
  readonly management: ManagementSet;
  /** Names that the last version of the earlier life still showed: the first row lists them as removed. */
  readonly previousNames?: readonly string[];
  readonly now: () => Date;
  /** Told of every commit, in order, before anyone can read it. */
  readonly onCommit?: (commit: Commit) => void;
  /** Events a follower may fall behind before it lags. */
  readonly watchBuffer?: number;
}

export type StateAt =
  { readonly kind: "state"; readonly state: RegistryState } | { readonly kind: "future" } | { readonly kind: "below_floor" };

export class Registry {
  readonly #history: History;
  readonly #watchers: Watchers;
  readonly #now: () => Date;
  readonly #onCommit: ((commit: Commit) => void) | undefined;
  /** Of the current version only. */
  readonly #names = new Map<string, { alias: string; connections: number }>();

  constructor(options: RegistryOptions) {
    this.#now = options.now;
    this.#onCommit = options.onCommit;
    this.#watchers = new Watchers(options.watchBuffer);
    const toolsets: ReadonlyMap<string, Toolset> = new Map();
    const first: RegistryState = Object.freeze({
      version: options.firstVersion,
      row: Object.freeze({
        version: options.firstVersion,
        at: options.now().toISOString(),
        cause: "start",
        added: Object.freeze([]),
        removed: Object.freeze([...new Set(options.previousNames ?? [])].sort()),
        changed: Object.freeze([]),
        digest: stateDigest(toolsets),
      }),
      toolsets,
      attachments: new Map(),
      management: options.management,
    });
    this.#history = new History(first, options.versionsInMemory);
    this.#onCommit?.({ state: first, attached: [], detached: [] });
  }

  get current(): RegistryState {
    return this.#history.current;
  }

  get version(): number {
    return this.#history.current.version;
  }

  get floor(): number {
    return this.#history.floor;
  }

  /** Order of checks: future, below the floor, answer. */
  at(version: number): StateAt {
    if (version > this.version) return { kind: "future" };
    const state = this.#history.at(version);
    return state === undefined ? { kind: "below_floor" } : { kind: "state", state };
  }

  /**
   * One step: everything or nothing. Returns the version after it (the current one when the changes change nothing).
   * Throws RegistryError; then nothing has changed.
   */
  commit(cause: string, changes: readonly Change[]): number {
    const commit = nextState(this.current, this.#names, { cause, at: this.#now().toISOString(), changes });
    if (commit === undefined) return this.version;
    for (const change of changes) this.#index(change);
    this.#onCommit?.(commit);
    this.#history.append(commit.state);
    this.#watchers.publish(commit.state.row);
    return commit.state.version;
  }

  publish(cause: string, toolset: Toolset, ...more: readonly Change[]): number {
    return this.commit(cause, [{ kind: "publish", toolset }, ...more]);
  }

  withdraw(cause: string, toolset: Toolset, ...more: readonly Change[]): number {
    return this.commit(cause, [{ kind: "withdraw", toolset }, ...more]);
  }

  replace(cause: string, old: Toolset, next: Toolset): number {
    return this.commit(cause, [{ kind: "replace", old, next }]);
  }

  attach(cause: string, session: string, alias: string): number {
    return this.commit(cause, [{ kind: "attach", session, alias }]);
  }

  detach(cause: string, session: string, alias: string): number {
    return this.commit(cause, [{ kind: "detach", session, alias }]);
  }

  /** Commits from now on. Replaying older ones is the reader's part: they are rows of states or of the journal. */
  follow(signal: AbortSignal): AsyncIterableIterator<WatchEvent> {
    return this.#watchers.follow(signal);
  }

  get followers(): number {
    return this.#watchers.size;
  }

  /** Ends every follower with `closing`. Commits still work: withdrawals come after this. */
  endFollowers(): void {
    this.#watchers.close();
  }

  #index(change: Change): void {
    const gone = change.kind === "withdraw" ? change.toolset : change.kind === "replace" ? change.old : undefined;
    const come = change.kind === "publish" ? change.toolset : change.kind === "replace" ? change.next : undefined;
    for (const { view } of gone?.tools ?? []) {
      const holder = this.#names.get(view.name);
      if (holder === undefined) continue;
      if (holder.connections === 1) this.#names.delete(view.name);
      else holder.connections--;
    }
    for (const { view } of come?.tools ?? []) {
      const holder = this.#names.get(view.name);
      if (holder === undefined) this.#names.set(view.name, { alias: come?.alias ?? "", connections: 1 });
      else holder.connections++;
    }
  }
}
