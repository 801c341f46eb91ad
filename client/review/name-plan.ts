// Local names for tools whose own do not do: too long with the alias, empty, or that of another tool. They are only ever offered, as
// `as` for the policy; none is applied by itself. Equal input gives equal names, in whatever order the tools are listed.
import { exposedName, nameProblem } from "../../config/exposed-name.ts";
import { isLocalName } from "../../config/tool-policy.ts";
import { compareCodeUnits, MAX_TOOL_NAME } from "../../daemon/contract/index.ts";
import { cut, visible } from "../output/visible.ts";
import type { Choice } from "./types.ts";

export interface NameFault {
  readonly tool: string;
  readonly message: string;
}

/** By tool, for the tools that need one. `tools`: the server's own names, each once. */
export function suggestNames(alias: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const sorted = tools.toSorted(compareCodeUnits);
  const taken = new Set<string>();
  const homeless: string[] = [];
  for (const tool of sorted) {
    const name = exposedName(alias, tool, {});
    if (nameProblem(alias, tool, {}) !== undefined || taken.has(name)) homeless.push(tool);
    else taken.add(name);
  }
  return new Map(homeless.map((tool) => [tool, freeName(alias, tool, taken)]));
}

/** What keeps chosen names from being exposed together. Hidden tools need none. */
export function nameFaults(alias: string, choices: ReadonlyMap<string, Choice>): readonly NameFault[] {
  const taken = new Map<string, string>();
  return [...choices].flatMap(([tool, { effect, as }]): readonly NameFault[] => {
    if (effect === "hidden") return [];
    const own = as === undefined ? {} : { as };
    const fault = (message: string): readonly NameFault[] => [{ tool, message }];
    if (as !== undefined && !isLocalName(as)) return fault("a local name takes a–z, 0–9 and _, with no _ at either end");
    const problem = nameProblem(alias, tool, own);
    if (problem !== undefined) return fault(problem);
    const name = exposedName(alias, tool, own);
    const other = taken.get(name);
    if (other !== undefined) return fault(`its local name is that of "${visible(cut(other, 60))}" too: give one of them another`);
    taken.set(name, tool);
    return [];
  });
}

function freeName(alias: string, tool: string, taken: Set<string>): string {
  const prefix = exposedName(alias, "", { as: "" });
  const room = MAX_TOOL_NAME - prefix.length;
  const short = shortened(localPart(alias, tool), room);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? "" : `_${number}`;
    const as = `${trimmed(short.slice(0, room - suffix.length))}${suffix}`;
    if (taken.has(prefix + as)) continue;
    taken.add(prefix + as);
    return as;
  }
}

function localPart(alias: string, tool: string): string {
  const part = exposedName(alias, tool, {}).slice(exposedName(alias, "", { as: "" }).length);
  return part === "" ? "tool" : part;
}

/** The longest words lose their ends first, so that each still tells itself. */
function shortened(part: string, room: number): string {
  const words = part.slice(0, 512).split(/_+/);
  let length = words.reduce((sum, word) => sum + word.length, words.length - 1);
  for (let most = Math.max(...words.map((word) => word.length)); length > room && most > 3; most -= 1) {
    for (let at = words.length - 1; at >= 0 && length > room; at -= 1) {
      const word = words[at] ?? "";
      if (word.length < most) continue;
      words[at] = word.slice(0, most - 1);
      length -= 1;
    }
  }
  return trimmed(words.join("_").slice(0, room));
}

function trimmed(name: string): string {
  return name.replace(/^_+/, "").replace(/_{1,64}$/, "") || "tool";
}
