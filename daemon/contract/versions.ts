// Versions of the registry as the outside sees them: rows, snapshots, differences.
import type { ToolView } from "./tools.ts";

export interface VersionRow {
  readonly version: number;
  /** ISO 8601, UTC */
  readonly at: string;
  /** Why the step was taken, e.g. `connect demo_alpha#1`; local words only. */
  readonly cause: string;
  /** Exposed names, in code-unit order. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** SHA-256 (hex) over the bytes of all remote tools at this version. */
  readonly digest: string;
}

export interface RegistrySnapshot {
  readonly version: number;
  readonly at: string;
  readonly cause: string;
  readonly digest: string;
  readonly tools: readonly ToolView[];
}

export interface RegistrySummary {
  readonly poolId: string;
  readonly version: number;
  readonly floor: number;
  readonly digest: string;
  readonly toolCount: number;
  readonly servers: readonly { readonly alias: string; readonly connectionId: string; readonly toolCount: number }[];
}

export interface RegistryDiff {
  readonly from: number;
  readonly to: number;
  readonly added: readonly ToolView[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly name: string; readonly before: ToolView; readonly after: ToolView }[];
}

/** One session's view at one version. */
export type SessionSnapshot =
  | { readonly version: number; readonly digest: string; readonly tools: readonly ToolView[] }
  | { readonly version: number; readonly digest: string; readonly notModified: true };
