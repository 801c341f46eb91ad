// Local names for tools whose own do not do: too long, nothing left of them, or the same as another's. Only ever offered; the
// same list gives the same names.
import { exposedName, localName, nameProblem } from "../../config/exposed-name.ts";
import { MAX_TOOL_NAME } from "../../daemon/contract/index.ts";

/** Tool → suggested `as`, for those that need one. `kept`: local names that are decided already. */
export function suggestNames(
  alias: string,
  names: readonly string[],
  kept: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const room = MAX_TOOL_NAME - exposedName(alias, "", { as: "" }).length;
  const taken = new Set(kept.values());
  const suggestions = new Map<string, string>();
  // Those that fit keep their names; of several that would be alike the first in code-unit order does.
  const waiting: string[] = [];
  for (const name of names.toSorted()) {
    if (kept.has(name)) continue;
    const local = localName(name);
    if (nameProblem(alias, name, {}) === undefined && !taken.has(local)) taken.add(local);
    else waiting.push(name);
  }
  for (const name of waiting) {
    const base = shortened(localName(name) || "tool", room);
    let candidate = base;
    for (let n = 2; taken.has(candidate); n++) candidate = `${shortened(base, room - String(n).length - 1)}_${String(n)}`;
    taken.add(candidate);
    suggestions.set(name, candidate);
  }
  return suggestions;
}

/** Whole words from both ends as far as they fit: what a tool does stands first, what it does it to last. */
function shortened(local: string, room: number): string {
  if (local.length <= room) return local;
  const words = local.split("_");
  const head: string[] = [];
  const tail: string[] = [];
  for (let first = 0, last = words.length - 1; first <= last;) {
    const fromHead = head.length <= tail.length;
    const word = (fromHead ? words[first++] : words[last--]) ?? "";
    const length = [...head, ...tail, word].join("_").length;
    if (length > room) break;
    if (fromHead) head.push(word);
    else tail.unshift(word);
  }
  const joined = [...head, ...tail].join("_");
  return joined === "" ? local.slice(0, room).replace(/_+$/, "") : joined;
}
