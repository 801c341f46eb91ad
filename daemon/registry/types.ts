// The registry's own types: exposed tools, toolsets, states, commits. Everything here is frozen once built.
import type { Approval, Issue, ToolView, VersionRow } from "../contract/index.ts";

/** Checks a value against an admitted schema, without changing it. Empty = it matches. At most MAX_ISSUES are given. */
export type SchemaCheck = (value: unknown) => readonly Issue[];

/** A published tool that passed admission, or a management tool. */
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
  /** With `"sharing": "session"`: the one session that sees it, or null for the pool's own. Undefined = shared. */
  readonly owner: string | null | undefined;
  /** By name, in code-unit order. */
  readonly tools: readonly ExposedTool[];
  readonly byName: ReadonlyMap<string, ExposedTool>;
  /** SHA-256 (hex) over the tools' digests. */
  readonly digest: string;
}

/** What lead sessions are offered of the pool itself. */
export interface ManagementSet {
  readonly tools: readonly ExposedTool[];
  readonly byName: ReadonlyMap<string, ExposedTool>;
  readonly digest: string;
}

/** The truth about the pool at one version. */
export interface RegistryState {
  readonly version: number;
  readonly row: VersionRow;
  /** By connection id. */
  readonly toolsets: ReadonlyMap<string, Toolset>;
  /** Session → aliases it is attached to. A session without attachments has no entry. */
  readonly attachments: ReadonlyMap<string, ReadonlySet<string>>;
  readonly management: ManagementSet;
}

export type Change =
  | { readonly kind: "publish"; readonly toolset: Toolset }
  | { readonly kind: "withdraw"; readonly toolset: Toolset }
  | { readonly kind: "replace"; readonly old: Toolset; readonly next: Toolset }
  | { readonly kind: "attach"; readonly session: string; readonly alias: string }
  | { readonly kind: "detach"; readonly session: string; readonly alias: string }
  | { readonly kind: "management"; readonly management: ManagementSet };

export type RegistryErrorCode =
  /** The toolset named is not the one registered: somebody else's successor is left alone. */
  | "not_registered"
  | "already_registered"
  /** A name is taken by another server. `name` and `alias` say which. */
  | "name_collision";

export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly code: RegistryErrorCode;
  readonly tool: string | undefined;
  readonly alias: string | undefined;
  constructor(code: RegistryErrorCode, message: string, tool?: string, alias?: string) {
    super(message);
    this.code = code;
    this.tool = tool;
    this.alias = alias;
  }
}

/** One commit as the journal keeps it: the new state and what the step changed in attachments. */
export interface Commit {
  readonly state: RegistryState;
  readonly attached: readonly (readonly [session: string, alias: string])[];
  readonly detached: readonly (readonly [session: string, alias: string])[];
}
