// `daemon.json`: where the daemon is to be found. A hint for clients, written when everything is ready and removed first of all;
// the truth is what answers on the socket. Only its owner removes it.
import { readFileSync, rmSync } from "node:fs";
import { isJsonObject, type Discovery } from "../contract/index.ts";
import { codeOf, writeWhole } from "./own-file.ts";
import { StartError } from "./start-error.ts";

/** Readers see the old file or the whole new one. Throws StartError. */
export function publishDiscovery(file: string, discovery: Discovery): void {
  try {
    writeWhole(file, `${JSON.stringify(discovery, null, 2)}\n`);
  } catch (error) {
    const next = "check the folder and the free space";
    throw new StartError("state_folder", `${file} cannot be written (${codeOf(error)}): ${next}`);
  }
}

/** Removes it unless it names another daemon: a successor has published its own. Throws nothing. */
export function unpublishDiscovery(file: string, mine: Discovery): void {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isJsonObject(found)) return;
    const same = found.pid === mine.pid && found.startedAt === mine.startedAt && found.poolId === mine.poolId;
    if (same) rmSync(file, { force: true });
  } catch {
    // It is gone, or nobody's: a hint that leads nowhere does no harm.
  }
}
