// The file that the platform reads, as it is found: absent, ours, somebody else's, or nothing that may be written over. Reads only.
import { readFile, stat } from "node:fs/promises";
import type { Asked } from "./launch.ts";
import { readMarker } from "./marker.ts";

export type InstalledFile =
  | { readonly kind: "absent" }
  | { readonly kind: "ours"; readonly text: string; readonly asked: Asked }
  | { readonly kind: "foreign" }
  /** A folder, a device (a masked unit is a link to one), or unreadable. */
  | { readonly kind: "unusable"; readonly why: string };

const MAX_BYTES = 1024 * 1024;

export async function readInstalled(file: string): Promise<InstalledFile> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) return { kind: "unusable", why: facts.isDirectory() ? "is a folder" : "is not a regular file" };
    if (facts.size > MAX_BYTES) return { kind: "foreign" };
    const text = await readFile(file, "utf8");
    const asked = readMarker(text);
    return asked === undefined ? { kind: "foreign" } : { kind: "ours", text, asked };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code === "ENOENT") return { kind: "absent" };
    return { kind: "unusable", why: `cannot be read (${code})` };
  }
}

export interface Difference {
  readonly installed: string;
  readonly now: string;
}

/** Line by line; the marker tells nothing that another line does not. */
export function differences(installed: string, now: string): readonly Difference[] {
  const before = installed.split("\n");
  const after = now.split("\n");
  const only = (lines: readonly string[], others: readonly string[]): string[] =>
    lines.filter((line) => !others.includes(line) && line.trim() !== "").map((line) => line.trim());
  const gone = only(before, after);
  const come = only(after, before);
  return Array.from({ length: Math.max(gone.length, come.length) }, (_, at) => ({
    installed: gone[at] ?? "",
    now: come[at] ?? "",
  }));
}
