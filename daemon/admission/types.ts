// Words of admission: what goes in (published, untrusted) and what comes out (exposed, or refusals).
import type { ConnectFailure, ToolPin, ToolPolicy } from "../contract/index.ts";
import type { ExposedTool } from "../registry/types.ts";

/** For connections, which know the registry only through what they offer to it. */
export type { ExposedTool, Toolset } from "../registry/types.ts";

/** One entry of a server's list, as it came. Nothing about it is known yet. */
export type PublishedTool = unknown;

/** What the lock file keeps of the tools, by the server's own tool name; undefined = the server is not pinned. */
export interface Pins {
  readonly tools: ReadonlyMap<string, ToolPin>;
}

export interface AdmissionInput {
  readonly alias: string;
  readonly connectionId: string;
  readonly published: readonly PublishedTool[];
  readonly policy: ReadonlyMap<string, ToolPolicy>;
  readonly pins?: Pins | undefined;
}

export type RefusalCode = "policy_mismatch" | "schema_rejected" | "name_rejected" | "name_collision" | "definition_drift";

/** Why one tool was refused. `message` is our own sentence; it may quote names, never descriptions. */
export interface Refusal {
  readonly code: RefusalCode;
  /** The server's own name of the tool, cut to 128 characters; `#<index>` for an entry without a usable name. */
  readonly tool: string;
  /** JSON Pointer (RFC 6901) into the tool's list entry. */
  readonly pointer: string;
  readonly message: string;
}

/** What a person may want to know of an admitted tool: what is not checked, what was dropped. Words as in a refusal. */
export type Note = Omit<Refusal, "code">;

export type Admission =
  | {
      readonly kind: "admitted";
      readonly tools: readonly ExposedTool[];
      readonly digest: string;
      /** At most MAX_NOTES. */
      readonly notes: readonly Note[];
    }
  | { readonly kind: "refused"; readonly failure: ConnectFailure; readonly refusals: readonly Refusal[] };
