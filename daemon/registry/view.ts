// What one session sees of a state: the management tools, if it is a lead, and the toolsets of the servers it is attached to.
// Views are cached by what they are made of, so an unchanged view costs no serialisation and equal views share their bytes.
import { compareCodeUnits } from "../contract/index.ts";
import { sha256 } from "./toolset.ts";
import type { ExposedTool, RegistryState, Toolset } from "./types.ts";

/** Who looks. A non-lead sees nothing, ever. */
export interface Viewer {
  readonly id: string;
  readonly lead: boolean;
}

export interface FoundTool {
  readonly tool: ExposedTool;
  /** Undefined for a management tool. */
  readonly toolset: Toolset | undefined;
}

export interface View {
  readonly digest: string;
  /** JSON text of the array of ToolViews. */
  readonly toolsJson: string;
}

/** The toolsets a viewer sees at a state. */
export function visibleToolsets(state: RegistryState, viewer: Viewer): readonly Toolset[] {
  const aliases = viewer.lead ? state.attachments.get(viewer.id) : undefined;
  if (aliases === undefined) return [];
  const index = byAlias(state);
  const visible: Toolset[] = [];
  for (const alias of aliases) {
    for (const toolset of index.get(alias) ?? []) {
      if (toolset.owner === undefined || toolset.owner === viewer.id) visible.push(toolset);
    }
  }
  return visible;
}

export function findTool(state: RegistryState, viewer: Viewer, name: string): FoundTool | undefined {
  if (!viewer.lead) return undefined;
  const management = state.management.byName.get(name);
  if (management !== undefined) return { tool: management, toolset: undefined };
  for (const toolset of visibleToolsets(state, viewer)) {
    const tool = toolset.byName.get(name);
    if (tool !== undefined) return { tool, toolset };
  }
  return undefined;
}

export class Views {
  readonly #cache = new Map<string, View>();
  readonly #limit: number;

  constructor(limit = 64) {
    this.#limit = limit;
  }

  of(state: RegistryState, viewer: Viewer): View {
    const toolsets = visibleToolsets(state, viewer);
    const management = viewer.lead ? state.management : undefined;
    const key = [
      management?.digest ?? "",
      ...toolsets.map((set) => `${set.connectionId} ${set.digest}`).sort(compareCodeUnits),
    ].join("\n");
    const known = this.#cache.get(key);
    if (known !== undefined) {
      this.#cache.delete(key);
      this.#cache.set(key, known);
      return known;
    }
    const tools = [...(management?.tools ?? []), ...toolsets.flatMap((set) => set.tools)];
    const view = Object.freeze({ digest: sha256(key), toolsJson: toolsJson(tools) });
    this.#cache.set(key, view);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#limit) break;
      this.#cache.delete(oldest);
    }
    return view;
  }
}

/** The whole pool's remote tools, by name, then by connection. */
export function allTools(state: RegistryState): readonly FoundTool[] {
  const found = [...state.toolsets.values()].flatMap((toolset) => toolset.tools.map((tool) => ({ tool, toolset })));
  return found.sort(
    (a, b) =>
      compareCodeUnits(a.tool.view.name, b.tool.view.name) || compareCodeUnits(a.toolset.connectionId, b.toolset.connectionId),
  );
}

function toolsJson(tools: readonly ExposedTool[]): string {
  const sorted = [...tools].sort((a, b) => compareCodeUnits(a.view.name, b.view.name));
  return "[" + sorted.map((tool) => tool.json).join(",") + "]";
}

const indexes = new WeakMap<RegistryState["toolsets"], ReadonlyMap<string, readonly Toolset[]>>();

function byAlias(state: RegistryState): ReadonlyMap<string, readonly Toolset[]> {
  const known = indexes.get(state.toolsets);
  if (known !== undefined) return known;
  const index = new Map<string, Toolset[]>();
  for (const toolset of state.toolsets.values()) {
    const list = index.get(toolset.alias);
    if (list === undefined) index.set(toolset.alias, [toolset]);
    else list.push(toolset);
  }
  indexes.set(state.toolsets, index);
  return index;
}
