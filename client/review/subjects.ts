// Which servers are to be reviewed, and everything that is known of each before it is started: its entry as written, what the lock
// file keeps of it, how the daemon sees it. The daemon reads the configuration again first, so that all of it is of one moment.
import { readEntries, type Entry } from "../../config/entry.ts";
import { readLock } from "../../config/load.ts";
import { lockFileOf, type LockedServer } from "../../config/lock.ts";
import { readSource } from "../../config/source.ts";
import type { ConfigIssue, ReloadResult, ServerStatus } from "../../daemon/contract/index.ts";
import { Failure } from "../commands/failure.ts";
import { issueLine } from "../output/issue-line.ts";
import type { PoolClient } from "../pool-client.ts";

export interface Subject {
  readonly entry: Entry;
  /** What was reviewed before. */
  readonly locked: LockedServer | undefined;
  /** Why it is due; undefined when somebody just wants to look again. */
  readonly due: "unreviewed" | "drifted" | "unpinned" | undefined;
  /** What keeps it from being started, whatever is decided. */
  readonly faults: readonly ConfigIssue[];
}

/** In the order of the file. Rejects with a Failure when the file or the lock file cannot be read. */
export async function subjectsOf(client: PoolClient, configFile: string, signal: AbortSignal): Promise<readonly Subject[]> {
  const reloaded = await client.request("config.reload", {}, { signal });
  refuseWhole(configFile, reloaded);
  const source = await readSource(configFile);
  const read = source.kind === "text" ? readEntries(source.text) : source;
  const pins = await readLock(configFile);
  if (read.kind === "refused") throw unreadable(configFile, read.issues);
  if (pins.kind === "refused") throw unreadable(configFile, pins.issues);
  const states = await client.get<readonly ServerStatus[]>("/v1/servers", { signal });
  return [...read.entries.values()].map((entry) => {
    const locked = pins.lock.get(entry.alias);
    const pinned = locked?.kind === "locked" ? locked : undefined;
    const status = states.find(({ alias }) => alias === entry.alias);
    // What is wrong with its pins is what a review mends.
    const faults = reloaded.errors.filter(
      ({ alias, pointer, file }) =>
        alias === entry.alias && pointer !== `/mcpServers/${entry.alias}/tools` && file !== lockFileOf(configFile),
    );
    return { entry, locked: pinned, due: dueOf(entry, pinned, status), faults };
  });
}

function dueOf({ policy }: Entry, locked: LockedServer | undefined, status: ServerStatus | undefined): Subject["due"] {
  if (policy === undefined || status?.unreviewed === true) return "unreviewed";
  const state = status?.state;
  const code = state?.kind === "failed" ? state.failure.code : undefined;
  if (code === "definition_drift" || code === "policy_mismatch") return "drifted";
  return locked === undefined ? "unpinned" : undefined;
}

function refuseWhole(configFile: string, { errors }: ReloadResult): void {
  const whole = errors.filter(({ alias }) => alias === undefined);
  if (whole.length > 0) throw unreadable(configFile, whole);
}

function unreadable(configFile: string, issues: readonly ConfigIssue[]): Failure {
  return new Failure(2, "The configuration cannot be taken as it is", {
    reason: "config_invalid",
    lines: issues.map((issue) => issueLine(configFile, issue)),
    next: "Correct it, then review: toolpool review",
  });
}
