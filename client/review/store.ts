// Writes what a person has decided: the pins into the lock file, the policy into the configuration, both under one lock and each
// whole or not at all. What was read when the review began must still be there; otherwise nothing is written. The lock file comes
// first: a crash in between leaves a server that is refused, never one that runs unpinned.
import { canonicalJson, type Inspection, type ToolPolicy } from "../../daemon/contract/index.ts";
import { EditBlocked, withEditLock } from "../../config/edit-lock.ts";
import { readEntries, type Entry } from "../../config/entry.ts";
import { withLockEntry } from "../../config/lock-edit.ts";
import { LOCK_MAX_BYTES, lockFileOf, parseLock } from "../../config/lock.ts";
import { withPolicy, type Decision } from "../../config/policy-edit.ts";
import { readSource } from "../../config/source.ts";
import { writeText } from "../../config/write.ts";
import { Failure } from "../commands/failure.ts";
import { issueLine } from "../output/issue-line.ts";

export interface Review {
  readonly configFile: string;
  /** As it was read when the review began. */
  readonly entry: Entry;
  readonly inspection: Inspection;
  /** One for every published tool. */
  readonly decisions: ReadonlyMap<string, Decision>;
}

/** The configuration's text, now and as it would be. Rejects with a Failure. */
export async function previewReview(review: Review): Promise<{ readonly before: string; readonly after: string }> {
  const { text } = await readConfiguration(review);
  return { before: text, after: policyText(text, review) };
}

/** Rejects with a Failure; nothing is written then, or (when the disk fails in between) the pins alone. */
export async function storeReview(review: Review): Promise<void> {
  const { configFile, entry, inspection, decisions } = review;
  const lockFile = lockFileOf(configFile);
  try {
    await withEditLock(configFile, async () => {
      const { text, mark } = await readConfiguration(review);
      const pins = await readPins(lockFile);
      const exposed = inspection.tools.filter(({ name }) => decisions.get(name)?.effect !== "hidden");
      const tools = new Map(exposed.map(({ name, digest, definition }) => [name, { digest, definition }]));
      const lockText = withLockEntry(pins, entry.alias, { launch: entry.written, tools });
      const configText = policyText(text, review);
      if (lockText !== pins) await write(lockFile, lockText, { mode: 0o644 });
      if (configText !== text) await write(configFile, configText, { mark });
    });
  } catch (error) {
    if (!(error instanceof EditBlocked)) throw error;
    throw new Failure(1, `The review was not saved: ${error.message}`, { reason: "edit_blocked" });
  }
}

async function readConfiguration({ configFile, entry }: Review): Promise<{ readonly text: string; readonly mark: boolean }> {
  const source = await readSource(configFile);
  const read = source.kind === "text" ? readEntries(source.text) : source;
  if (source.kind === "refused" || read.kind === "refused") {
    const issues = read.kind === "refused" ? read.issues : [];
    throw new Failure(2, "The configuration cannot be read, so nothing was changed", {
      reason: "config_invalid",
      lines: issues.map((issue) => issueLine(configFile, issue)),
      next: "Correct the file, then review again.",
    });
  }
  const now = read.entries.get(entry.alias);
  if (now?.launchDigest !== entry.launchDigest || policyDigest(now.policy) !== policyDigest(entry.policy)) {
    throw new Failure(1, `The entry of "${entry.alias}" was changed while it was reviewed, so nothing was written`, {
      reason: "conflict",
      next: `Look at it again: toolpool review ${entry.alias}`,
    });
  }
  return source;
}

async function readPins(lockFile: string): Promise<string | undefined> {
  const source = await readSource(lockFile, { maxBytes: LOCK_MAX_BYTES });
  if (source.kind === "refused" && source.absent) return undefined;
  const parsed = source.kind === "text" ? parseLock(source.text, lockFile) : source;
  if (source.kind === "text" && parsed.kind === "ok") return source.text;
  throw new Failure(2, "The lock file cannot be read, so nothing was changed", {
    reason: "lock_invalid",
    lines: parsed.kind === "refused" ? parsed.issues.map((issue) => issueLine(lockFile, issue)) : [],
    next: "Restore it from version control, or remove it and review every server again.",
  });
}

/** The result is read back: what is written must say exactly what was decided. */
function policyText(text: string, { entry, decisions }: Review): string {
  const edited = withPolicy(text, entry.alias, decisions);
  const read = readEntries(edited);
  const policy = read.kind === "read" ? read.entries.get(entry.alias)?.policy : undefined;
  const said = [...(policy ?? [])].map(([tool, { effect, as }]) => [tool, { effect, as }] as const);
  if (policy === undefined || canonicalJson(Object.fromEntries(said)) !== canonicalJson(Object.fromEntries(decisions)))
    throw new Error("the policy could not be written into the configuration");
  return edited;
}

const policyDigest = (policy: ReadonlyMap<string, ToolPolicy> | undefined): string =>
  policy === undefined ? "" : canonicalJson(Object.fromEntries(policy));

async function write(file: string, text: string, options: Parameters<typeof writeText>[2]): Promise<void> {
  try {
    await writeText(file, text, options);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Failure(1, `${file} cannot be written (${code})`, {
      reason: "not_written",
      next: "Give yourself the right to write it, and see that the disk has room.",
      cause: error,
    });
  }
}
