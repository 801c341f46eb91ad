// DESIGN rule 8 as a pure decision: a call names the version and the tool the model saw, and may only run that very definition,
// while it is still published by the same live connection and the session is still attached.
import type { UnknownToolReason } from "../contract/index.ts";
import type { StateAt } from "./registry.ts";
import type { ExposedTool, RegistryState, Toolset } from "./types.ts";
import { findTool, type Viewer } from "./view.ts";

export type Binding =
  | { readonly kind: "management"; readonly tool: ExposedTool }
  | { readonly kind: "remote"; readonly tool: ExposedTool; readonly toolset: Toolset }
  | { readonly kind: "refused"; readonly reason: UnknownToolReason };

export interface BindFacts {
  readonly viewer: Viewer;
  readonly name: string;
  /** The state the call is tagged with, or why there is none. */
  readonly seen: StateAt;
  readonly current: RegistryState;
}

export function bind({ viewer, name, seen, current }: BindFacts): Binding {
  if (seen.kind === "future") return { kind: "refused", reason: "version_unknown" };
  if (seen.kind === "below_floor") return { kind: "refused", reason: "version_expired" };
  const found = findTool(seen.state, viewer, name);
  if (found === undefined) return { kind: "refused", reason: "not_in_snapshot" };
  const { tool, toolset } = found;
  if (toolset === undefined) return bindManagement(tool, current);
  const reason = staleness(tool, toolset, viewer, current);
  if (reason !== undefined) return { kind: "refused", reason };
  return { kind: "remote", tool, toolset };
}

/** Why a definition bound earlier may no longer run; undefined while it may. Asked again right before the bytes leave. */
export function staleness(
  tool: ExposedTool,
  toolset: Toolset,
  viewer: Viewer,
  current: RegistryState,
): UnknownToolReason | undefined {
  if (current.attachments.get(viewer.id)?.has(toolset.alias) !== true) return "withdrawn";
  const live = current.toolsets.get(toolset.connectionId);
  if (live === undefined) return "withdrawn";
  if (live === toolset) return undefined;
  const now = live.byName.get(tool.view.name);
  if (now === undefined) return "withdrawn";
  return now.view.digest === tool.view.digest ? undefined : "replaced";
}

/** Management tools belong to the pool, not to a connection: they go on while they are offered, with the servers known now. */
function bindManagement(tool: ExposedTool, current: RegistryState): Binding {
  const now = current.management.byName.get(tool.view.name);
  if (now === undefined) return { kind: "refused", reason: "withdrawn" };
  return now.view.digest === tool.view.digest ? { kind: "management", tool } : { kind: "refused", reason: "replaced" };
}
