// What changed in a tool since it was reviewed, field by field. A field that only one of the two has was added or removed; equal
// content in another order is no change. Fields that the model never sees are not looked at.
import { canonicalJson, type JsonObject, type JsonValue } from "../../daemon/contract/index.ts";

/** A tool as the lock file keeps it and as it is published now: `default` values are in neither. */
export type ToolDefinition = JsonObject;

export const FIELDS = ["name", "title", "description", "annotations", "inputSchema", "outputSchema"] as const;

export interface FieldChange {
  readonly field: (typeof FIELDS)[number];
  /** Undefined: the field was added. */
  readonly before?: JsonValue;
  /** Undefined: the field was removed. */
  readonly after?: JsonValue;
}

/** In the order of FIELDS; `before` undefined: a new tool, `after` undefined: one that is gone. */
export function toolChanges(before: ToolDefinition | undefined, after: ToolDefinition | undefined): readonly FieldChange[] {
  return FIELDS.flatMap((field): readonly FieldChange[] => {
    const was = fieldOf(before, field);
    const is = fieldOf(after, field);
    if (canonicalJson(was) === canonicalJson(is) && (was === undefined) === (is === undefined)) return [];
    return [{ field, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }];
  });
}

const fieldOf = (tool: ToolDefinition | undefined, field: string): JsonValue | undefined =>
  tool !== undefined && Object.hasOwn(tool, field) ? tool[field] : undefined;
