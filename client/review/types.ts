// What the parts of a review know of one tool. Everything but names of ours, refusals and notes was written by the server.
import type { InspectionRemark, JsonObject, JsonValue } from "../../daemon/contract/index.ts";

export interface ReviewTool {
  /** Of its server. */
  readonly alias: string;
  /** The server's own name. */
  readonly name: string;
  /** `mcp__alias__…` as it would be. */
  readonly exposedName: string;
  readonly title?: string;
  readonly description: string;
  /** As published: hints, never facts. */
  readonly annotations?: JsonObject;
  readonly inputSchema: JsonValue;
  readonly outputSchema?: JsonValue;
  /** Why admission would not expose it. */
  readonly refusals: readonly InspectionRemark[];
  readonly notes: readonly Omit<InspectionRemark, "code">[];
}

export type ReviewEffect = "read" | "write" | "external" | "hidden";

export interface Proposal {
  readonly effect: ReviewEffect;
  /** One short sentence. */
  readonly why: string;
}

export interface Flag {
  readonly kind:
    "invisible" | "mixed_scripts" | "addresses_model" | "names_tools" | "markup" | "encoded" | "link" | "long" | "name";
  /** JSON Pointer into the tool's definition. */
  readonly pointer: string;
  readonly message: string;
  /** Made visible. */
  readonly excerpt?: string;
}

/** What says something of the tool's honesty, not of its size. */
export const isSerious = ({ kind }: Flag): boolean => kind !== "long" && kind !== "name";

export interface Cost {
  /** Of the tool's JSON as a model provider gets it. */
  readonly bytes: number;
  /** By the o200k encoding. */
  readonly tokens: number;
}

/** What is chosen for one tool; `as` where it needs another local name. */
export interface Choice {
  readonly effect: ReviewEffect;
  readonly as?: string;
}

/** One line of the list from which effects are chosen. */
export interface Row {
  readonly tool: ReviewTool;
  /** What stands there until it is changed: the policy in force, else the proposal. */
  readonly initial: Choice;
  readonly proposal: Proposal;
  readonly cost: Cost;
  readonly flags: readonly Flag[];
  /** Against what was reviewed before; undefined when it is new or nothing was. */
  readonly change?: "new" | "changed";
  /** A shorter or other local name, where its own does not do. */
  readonly suggestedAs?: string;
}
