// Builds toolsets and management sets: sorted, indexed, frozen. Nothing else makes one.
import { hash } from "node:crypto";
import { compareCodeUnits } from "../contract/index.ts";
import type { ExposedTool, ManagementSet, Toolset } from "./types.ts";

export interface ToolsetOffer {
  readonly connectionId: string;
  readonly alias: string;
  readonly owner: string | null | undefined;
  readonly tools: readonly ExposedTool[];
}

export const sha256 = (text: string): string => hash("sha256", text, "hex");

function indexed(tools: readonly ExposedTool[]): Pick<Toolset, "tools" | "byName" | "digest"> {
  const sorted = Object.freeze([...tools].sort((a, b) => compareCodeUnits(a.view.name, b.view.name)));
  return {
    tools: sorted,
    byName: new Map(sorted.map((tool) => [tool.view.name, tool])),
    digest: sha256(sorted.map((tool) => tool.view.digest).join("\n")),
  };
}

export function makeToolset({ connectionId, alias, owner, tools }: ToolsetOffer): Toolset {
  return Object.freeze({ connectionId, alias, owner, ...indexed(tools) });
}

export function makeManagementSet(tools: readonly ExposedTool[]): ManagementSet {
  return Object.freeze(indexed(tools));
}
