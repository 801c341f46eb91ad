// The fingerprint of a server's definition. It covers all that matters to a running connection, expanded values too, so that a
// changed variable counts; the order of variables and tools in the file does not, nor does the description.
import { createHash } from "node:crypto";
import { canonicalJson, type ServerSpec } from "../daemon/contract/index.ts";

export function serverDigest({ tools, description: _, ...rest }: Omit<ServerSpec, "digest">): string {
  const text = canonicalJson({ ...rest, tools: Object.fromEntries(tools) });
  return createHash("sha256").update(text).digest("hex");
}
