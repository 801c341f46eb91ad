// References inside one JSON Schema: `#` and `#/…` as JSON Pointers in a URI fragment (RFC 6901, section 6).
import { isJsonObject, type JsonValue } from "../../daemon/contract/index.ts";

/** Undefined when it leads nowhere, or is of another kind (an anchor). */
export function resolvePointer(root: JsonValue, reference: string): JsonValue | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: JsonValue | undefined = root;
  for (const token of reference.slice(2).split("/")) {
    const key = decoded(token);
    if (Array.isArray(at)) at = (at as readonly JsonValue[])[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

function decoded(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {
    // Not percent-encoded after all.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
