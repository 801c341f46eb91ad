// Follows the references of a walked schema: each must be local and lead to a place that the walk visited as a subschema (which
// closes references into `enum`, `default` and unknown keywords), and none may come back to itself without a step into the data.
// Without anchors, which are refused, `$dynamicRef` and `$recursiveRef` mean exactly what `$ref` means.
import type { Issue } from "../contract/index.ts";
import { joinPointer, localPointer } from "./json-pointer.ts";
import type { Position, SchemaWalk } from "./schema-walk.ts";

export interface ResolvedReferences {
  /** By the position that holds the references. */
  readonly targets: ReadonlyMap<Position, readonly Position[]>;
  readonly problems: readonly Issue[];
}

export function resolveReferences(walk: SchemaWalk): ResolvedReferences {
  const targets = new Map<Position, Position[]>();
  const problems: Issue[] = [];
  for (const { from, keyword, target } of walk.references) {
    const pointer = joinPointer(from.pointer, keyword);
    const local = localPointer(target);
    const found = local === undefined ? undefined : walk.positions.get(local);
    if (found !== undefined) targets.set(from, [...(targets.get(from) ?? []), found]);
    else if (local !== undefined) problems.push({ pointer, message: `"${keyword}" leads to no subschema of this schema` });
    else
      problems.push({
        pointer,
        message: `"${keyword}" is not a local reference: only "#" and "#/…" are followed, nothing is fetched`,
      });
  }
  if (problems.length === 0) {
    const turning = findCycle(walk, targets);
    if (turning !== undefined)
      problems.push({ pointer: turning.pointer, message: "a reference comes back to itself without a step into the data" });
  }
  return { targets, problems };
}

/** A position from which a cycle of in-place steps is closed. Depth first, without recursion. */
function findCycle(walk: SchemaWalk, targets: ReadonlyMap<Position, readonly Position[]>): Position | undefined {
  const inPlace = new Map<Position, Position[]>();
  for (const position of walk.positions.values()) {
    if (position.parent !== undefined && position.inPlace) {
      const siblings = inPlace.get(position.parent);
      if (siblings === undefined) inPlace.set(position.parent, [position]);
      else siblings.push(position);
    }
  }
  const next = (position: Position): readonly Position[] => [...(inPlace.get(position) ?? []), ...(targets.get(position) ?? [])];
  const done = new Set<Position>();
  for (const start of walk.positions.values()) {
    if (done.has(start)) continue;
    const open = new Set<Position>([start]);
    const stack = [{ position: start, steps: next(start), at: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const step = top.steps[top.at];
      top.at += 1;
      if (step === undefined) {
        open.delete(top.position);
        done.add(top.position);
        stack.pop();
      } else if (open.has(step)) {
        return top.position;
      } else if (!done.has(step)) {
        open.add(step);
        stack.push({ position: step, steps: next(step), at: 0 });
      }
    }
  }
  return undefined;
}
