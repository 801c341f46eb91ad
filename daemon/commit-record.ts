// How the registry's commits reach the journal, and what a new life takes from the last one.
import type { Journal, JournalToolset } from "./journal/port.ts";
import type { Commit, ManagementSet, Toolset } from "./registry/types.ts";

export class CommitRecorder {
  readonly #journal: Journal;
  readonly #known = new WeakMap<Toolset | ManagementSet, JournalToolset>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  record({ state, attached, detached }: Commit): void {
    const toolsets = [...state.toolsets.values()].map((toolset) => this.#journalled(toolset, toolset));
    const management = this.#journalled(state.management, { connectionId: "", alias: "", owner: undefined });
    this.#journal.recordVersion({ row: state.row, toolsets, management, attached, detached });
  }

  /** How the journal sees a set: made once, so that a commit costs nothing for the tools it does not touch. */
  #journalled(set: Toolset | ManagementSet, of: Pick<JournalToolset, "connectionId" | "alias" | "owner">): JournalToolset {
    let known = this.#known.get(set);
    if (known === undefined) {
      const { connectionId, alias, owner } = of;
      known = { connectionId, alias, owner, digest: set.digest, tools: set.tools.map((tool) => tool.json) };
      this.#known.set(set, known);
    }
    return known;
  }
}

/** Names that the last version of an earlier life still showed. */
export function lastNames(journal: Journal): readonly string[] {
  if (journal.highWater === 0) return [];
  const [newest] = journal.versions(0, 1);
  const past = newest === undefined ? undefined : journal.version(newest.version);
  return past?.toolsets.flatMap((toolset) => toolset.tools.map((tool) => tool.name)) ?? [];
}
