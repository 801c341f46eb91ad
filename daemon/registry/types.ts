// The registry's own types: exposed tools, toolsets, states. Everything here is frozen once built.
import type { Approval, Issue, JsonObject, ToolView } from "../contract/index.ts";

/** Checks a value against an admitted schema, without changing it. Empty = it matches. At most MAX_ISSUES are given. */
export type SchemaCheck = (value: unknown) => readonly Issue[];

/** A published tool that passed admission. */
export interface ExposedTool {
  readonly view: ToolView;
  /** The bytes of `view`: its canonical JSON text. */
  readonly json: string;
  readonly approval: Approval | undefined;
  readonly timeoutMs: number | undefined;
  /** May overlap with other concurrent calls of its connection. */
  readonly concurrent: boolean;
  readonly checkArguments: SchemaCheck;
  /** Absent where no (usable) output schema was declared. */
  readonly checkResult: SchemaCheck | undefined;
}

/** All exposed tools of one connection: published, replaced and withdrawn whole. Compared by identity. */
export interface Toolset {
  readonly connectionId: string;
  readonly alias: string;
  /** With `"sharing": "session"`: the one session that sees it; null there = the pool's own. Undefined = shared. */
  readonly owner: string | null | undefined;
  /** By name, in code-unit order. */
  readonly tools: readonly ExposedTool[];
  /** SHA-256 (hex) over the tools' digests. */
  readonly digest: string;
}

export type { JsonObject };
