// `daemon.json`: where the daemon is to be found. A hint for clients, written when everything is ready and removed first of all;
// the truth is what answers on the socket. Only its owner removes it.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Discovery } from "../contract/index.ts";

/** Atomic: readers see the old file or the whole new one. */
export function publishDiscovery(file: string, discovery: Discovery): void {
  const draft = `${file}.${String(process.pid)}`;
  writeFileSync(draft, `${JSON.stringify(discovery, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Removes it unless a successor has published its own. */
export function unpublishDiscovery(file: string, mine: Discovery): void {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return;
  }
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    found = undefined;
  }
  const same =
    typeof found === "object" &&
    found !== null &&
    "pid" in found &&
    "startedAt" in found &&
    found.pid === mine.pid &&
    found.startedAt === mine.startedAt;
  if (same) rmSync(file, { force: true });
}
