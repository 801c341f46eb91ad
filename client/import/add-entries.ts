// Puts new servers into our configuration: read, decided and written under one lock, whole or not at all, everything else as it
// stood. They get no policy, so no agent can connect them before they are reviewed. A file that is not there is made.
import { commentAbove } from "../../config/edit-comment.ts";
import { EditBlocked, withEditLock } from "../../config/edit-lock.ts";
import { setAt } from "../../config/edit.ts";
import { memberAt, parseDocument, type Value } from "../../config/document.ts";
import { readSource } from "../../config/source.ts";
import { emptyConfiguration } from "../../config/starter.ts";
import { writeText } from "../../config/write.ts";
import type { ConfigIssue, JsonObject } from "../../daemon/contract/index.ts";
import { Failure } from "../commands/failure.ts";
import { issueLine } from "../output/issue-line.ts";
import { sameLaunch, configuredLaunches } from "./same-launch.ts";
import type { FoundLaunch } from "./found.ts";

export interface Addition {
  readonly alias: string;
  readonly launch: FoundLaunch;
  readonly disabled: boolean;
  /** One line above the entry: where it came from. */
  readonly comment: string;
}

export interface OwnFile {
  readonly text: string;
  /** It begins with a byte order mark, which is not in `text`. */
  readonly mark: boolean;
  readonly absent: boolean;
}

/** Rejects with a Failure when the file is there and cannot be added to. */
export async function readOwnFile(file: string): Promise<OwnFile> {
  const source = await readSource(file);
  if (source.kind === "refused") {
    if (source.absent) return { text: emptyConfiguration(), mark: false, absent: true };
    throw unreadable(file, source.issues);
  }
  const document = parseDocument(source.text);
  if (document.kind === "refused") throw unreadable(file, document.issues);
  const servers = memberAt(document.root, ["mcpServers"])?.value;
  const wrong =
    document.root.kind !== "object" ? document.root : servers !== undefined && servers.kind !== "object" ? servers : undefined;
  if (wrong !== undefined)
    throw unreadable(file, [{ ...wrong.place, message: 'servers can only be added to an object: {"mcpServers": {…}}' }]);
  return { text: source.text, mark: source.mark, absent: false };
}

/** The text with the additions in it. Pure; the aliases must be free. */
export function withAdditions(text: string, additions: readonly Addition[]): string {
  const added = additions.reduce((before, { alias, launch, disabled, comment }) => {
    const path = ["mcpServers", alias] as const;
    return commentAbove(setAt(before, path, entryOf(launch, disabled)), path, comment);
  }, text);
  verify(text, added, additions);
  return added;
}

function entryOf({ command, args, env, cwd }: FoundLaunch, disabled: boolean): JsonObject {
  return {
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(Object.keys(env).length === 0 ? {} : { env: { ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(disabled ? { disabled: true } : {}),
  };
}

/** What is written must hold everything that was there, and the new entries as they were decided. */
function verify(before: string, after: string, additions: readonly Addition[]): void {
  const was = serversIn(before);
  const is = serversIn(after);
  const aliases = [...was.keys(), ...additions.map(({ alias }) => alias)];
  const kept = [...was].every(([alias, content]) => is.get(alias) === content);
  if (!kept || is.size !== new Set(aliases).size || !additions.every(({ alias }) => is.has(alias)))
    throw new Error("the servers could not be written into the configuration");
}

function serversIn(text: string): ReadonlyMap<string, string> {
  const document = parseDocument(text);
  const servers = document.kind === "ok" ? memberAt(document.root, ["mcpServers"])?.value : undefined;
  return new Map(servers?.kind === "object" ? servers.members.map(({ key, value }) => [key, contentOf(value)]) : []);
}

/** A value without its places. */
function contentOf(value: Value): string {
  return JSON.stringify(value, (key, held: unknown) => (key === "place" ? undefined : held));
}

export interface Stored {
  readonly added: readonly Addition[];
  /** Somebody else added the very same in the meantime. */
  readonly present: readonly Addition[];
  /** The file was made. */
  readonly created: boolean;
}

/** Rejects with a Failure, and nothing is written then. */
export async function storeAdditions(file: string, additions: readonly Addition[]): Promise<Stored> {
  try {
    return await withEditLock(file, async () => {
      // Read again: what was shown to a person may have changed since.
      const { text, mark, absent } = await readOwnFile(file);
      const taken = configuredLaunches(text, file);
      const present = additions.filter(({ alias, launch }) => isSame(taken.get(alias), launch));
      const added = additions.filter((addition) => !present.includes(addition));
      const clash = added.find(({ alias }) => taken.has(alias));
      if (clash !== undefined) {
        throw new Failure(1, `"${clash.alias}" was added to ${file} by somebody else meanwhile, so nothing was written`, {
          reason: "conflict",
          next: "Import again: toolpool import",
        });
      }
      if (added.length > 0) await write(file, withAdditions(text, added), mark);
      return { added, present, created: absent && added.length > 0 };
    });
  } catch (error) {
    if (!(error instanceof EditBlocked)) throw error;
    throw new Failure(1, `Nothing was added: ${error.message}`, { reason: "edit_blocked" });
  }
}

const isSame = (configured: FoundLaunch | undefined, launch: FoundLaunch): boolean =>
  configured !== undefined && sameLaunch(launch, configured);

async function write(file: string, text: string, mark: boolean): Promise<void> {
  try {
    await writeText(file, text, { mark });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Failure(1, `${file} cannot be written (${code}); it is as it was`, {
      reason: "not_written",
      next: "Give yourself the right to write it, and see that the disk has room.",
      cause: error,
    });
  }
}

function unreadable(file: string, issues: readonly ConfigIssue[]): Failure {
  return new Failure(2, "The configuration cannot be read, so nothing was added to it", {
    reason: "config_invalid",
    lines: issues.map((issue) => issueLine(file, issue)),
    next: "Correct the file (toolpool check), then import again.",
  });
}
