// Judges a list for a person who reviews it: every tool as if it were to be exposed, by the rules that will decide when it is
// connected. Nothing comes out of here that could be called.
import type { InspectedTool, Inspection, ToolPolicy } from "../contract/index.ts";
import { admit } from "./admit.ts";
import { pinOf } from "./pins.ts";
import { readPublished } from "./published.ts";
import type { PublishedTool } from "./types.ts";
import { visibleText } from "./visible-text.ts";

/** `policy`: what is in force so far, for its local names. Rejects with the signal's reason when it is aborted. */
export async function inspectList(
  { alias, published, policy }: InspectionInput,
  options: { readonly signal: AbortSignal },
): Promise<Pick<Inspection, "tools" | "refusals">> {
  const { named } = readPublished(published);
  const asExposed = new Map<string, ToolPolicy>();
  for (const name of named.keys()) {
    const as = policy.get(name)?.as;
    asExposed.set(name, { effect: "write", ...(as === undefined ? {} : { as }) });
  }
  const admission = await admit({ alias, connectionId: `${alias}#0`, published, policy: asExposed }, options);
  const refusals = admission.kind === "refused" ? admission.refusals : [];
  const notes = admission.kind === "admitted" ? admission.notes : [];
  const labels = new Set([...named.keys()].map((name) => visibleText(name)));
  const tools = [...named].map(([name, { entry }]): InspectedTool => {
    const label = visibleText(name);
    return {
      name,
      ...pinOf(entry),
      refusals: refusals.filter(({ tool }) => tool === label).map(({ code, pointer, message }) => ({ code, pointer, message })),
      notes: notes.filter(({ tool }) => tool === label).map(({ pointer, message }) => ({ pointer, message })),
    };
  });
  return { tools, refusals: refusals.filter(({ tool }) => !labels.has(tool)) };
}

export interface InspectionInput {
  readonly alias: string;
  readonly published: readonly PublishedTool[];
  readonly policy: ReadonlyMap<string, ToolPolicy>;
}
