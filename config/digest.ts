// The fingerprint of a server's definition. It covers all that matters to a running connection, expanded values too, so that a
// changed variable counts; the order of variables and tools in the file does not, nor does the description. Of the pins only what
// they say of the launch counts: other pins of the tools are held against the running connection, which goes on if they fit.
import { createHash } from "node:crypto";
import { canonicalJson, type ServerSpec } from "../daemon/contract/index.ts";

/** SHA-256 (hex). */
export const textDigest = (text: string): string => createHash("sha256").update(text).digest("hex");

export function serverDigest(spec: Omit<ServerSpec, "digest">): string {
  // How the launch is written is not what runs.
  const { tools, description: _description, written: _written, launchDigest: _launch, pins, ...rest } = spec;
  return textDigest(canonicalJson({ ...rest, tools: Object.fromEntries(tools), pinnedLaunch: pins?.launch ?? [] }));
}
