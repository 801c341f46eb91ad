// Goes through a folder in code-unit order of names, depth first, without following links and without looking into what is
// never somebody's own work (.git, node_modules). Ends with the caller's signal.
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { compareCodeUnits } from "../../daemon/contract/index.ts";

export interface WalkEntry {
  /** Absolute. */
  readonly path: string;
  readonly kind: "folder" | "file" | "link" | "other";
}

const NOT_ENTERED = new Set([".git", "node_modules"]);

/** Of a file: the file itself. */
export async function* walk(
  start: string,
  options: { readonly recursive: boolean; readonly signal: AbortSignal },
): AsyncIterable<WalkEntry> {
  const facts = await lstat(start);
  if (!facts.isDirectory()) yield { path: start, kind: kindOf(facts) };
  else yield* below(start, options);
}

async function* below(
  folder: string,
  options: { readonly recursive: boolean; readonly signal: AbortSignal },
): AsyncIterable<WalkEntry> {
  options.signal.throwIfAborted();
  // A folder that may not be read is shown and not entered.
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  entries.sort((a, b) => compareCodeUnits(a.name, b.name));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const kind = kindOf(entry);
    yield { path, kind };
    if (options.recursive && kind === "folder" && !NOT_ENTERED.has(entry.name)) yield* below(path, options);
  }
}

function kindOf(entry: { isDirectory(): boolean; isFile(): boolean; isSymbolicLink(): boolean }): WalkEntry["kind"] {
  if (entry.isDirectory()) return "folder";
  if (entry.isSymbolicLink()) return "link";
  return entry.isFile() ? "file" : "other";
}
