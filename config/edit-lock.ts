// One writer of a configuration at a time, across processes: two reviews, an import and a review. Whoever edits reads, decides
// and writes inside; a writer that died does not block the next one for longer than the lock's own time.
import { dirname } from "node:path";
import { mkdir, realpath } from "node:fs/promises";
import { lock } from "proper-lockfile";

/** A lock that was not refreshed for this long belongs to nobody (ms). */
const STALE_MS = 10_000;
/** How long one waits for another writer: longer than a dead one's lock lasts. */
const TRIES = { retries: 150, minTimeout: 100, maxTimeout: 100 };

/** The lock could not be had. `message` says why and what to do. */
export class EditBlocked extends Error {
  override readonly name = "EditBlocked";
}

/** `file` is the configuration; what lies beside it (the lock file of pins) is written under the same lock. Creates its folder. */
export async function withEditLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  let release: () => Promise<void>;
  let locked = file;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // Whoever comes through a symbolic link edits the same file. It may not be there yet, so the library is not to look for it.
    locked = await realpath(file).catch(() => file);
    release = await lock(locked, { stale: STALE_MS, retries: TRIES, realpath: false });
  } catch (error) {
    throw blocked(locked, error);
  }
  try {
    return await work();
  } finally {
    await release();
  }
}

function blocked(file: string, error: unknown): EditBlocked {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (code === "ELOCKED") {
    return new EditBlocked(
      `another program has been changing ${file} for a while: end it, or remove ${file}.lock if there is none`,
    );
  }
  return new EditBlocked(`nothing may be written in ${dirname(file)} (${code}): give yourself the right to write there`);
}
