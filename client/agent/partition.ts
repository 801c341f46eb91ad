// Which calls of a reply may run at the same time: neighbours that only read, by the local policy's word alone. Any other call
// is alone, and the order of the reply stands. A name that was not offered has no effect we know: it is alone.
import type { Effect } from "../../daemon/contract/index.ts";

export function partition<T extends { readonly effect: Effect | undefined }>(calls: readonly T[]): readonly (readonly T[])[] {
  const batches: T[][] = [];
  for (const call of calls) {
    const open = batches.at(-1);
    if (call.effect === "read" && open?.[0]?.effect === "read") open.push(call);
    else batches.push([call]);
  }
  return batches;
}
