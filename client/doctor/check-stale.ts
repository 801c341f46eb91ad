// What a daemon or a writer that is gone has left. Only what is proven to be nobody's may be removed: nobody listens, nobody holds
// the journal, and the file is still the one that was looked at.
import { basename, join } from "node:path";
import type { Facts, FileFacts, ProcessFacts, StateFacts } from "./facts.ts";
import type { Finding, Fix, Seen } from "./finding.ts";
import { seen } from "./look.ts";
import { shellWord } from "./shell-word.ts";

/** proper-lockfile renews the lock of a living writer every 5 s; config/edit-lock.ts takes one over that is 10 s old. */
const LOCK_STALE_MS = 10_000;
/** A draft lives for milliseconds. */
const DRAFT_STALE_MS = 60_000;

export function checkStale(facts: Facts, now: number): readonly Finding[] {
  return [...leftOfDaemon(facts, now), ...leftOfWriter(facts, now)];
}

/** Nothing here belongs to a daemon that lives, starts or closes. Where the system does not tell, its processes have to. */
export function isAbandoned(state: StateFacts, processes: readonly ProcessFacts[] | undefined): boolean {
  if (state.lock.kind === "held") return false;
  if (state.lock.kind === "free") return true;
  const ours = ({ daemon }: ProcessFacts): boolean =>
    daemon !== undefined && (daemon.stateFolder === undefined || daemon.stateFolder === state.folder);
  return processes !== undefined && !processes.some(ours);
}

function leftOfDaemon(facts: Facts, now: number): readonly Finding[] {
  const state = seen(facts.state);
  const processes = seen(facts.processes);
  if (state === undefined || seen(facts.daemon)?.kind !== "absent" || !isAbandoned(state, processes)) return [];
  const findings: Finding[] = [];
  const file = state.files.find(({ path }) => path === join(state.folder, "daemon.json"));
  if (file !== undefined) {
    const pid = state.discovery?.pid;
    const stranger = pid !== undefined && processes?.some((one) => one.pid === pid) === true;
    const whose = stranger ? `; its pid ${String(pid)} belongs to another program now, which is left alone` : "";
    findings.push(stale("stale_discovery", file, `daemon.json names a daemon that is gone${whose}`, "discovery"));
  }
  const { socket, socketDead } = state;
  if (socket !== undefined && socketDead && (state.uid === undefined || socket.uid === state.uid)) {
    findings.push(stale("stale_socket", socket, "Nobody listens on the socket that a daemon left", "socket"));
  }
  const drafts = state.files.filter(
    ({ path, kind, modifiedMs }) =>
      kind === "file" && /^(daemon\.json|token)\.new$/.test(basename(path)) && now - modifiedMs > DRAFT_STALE_MS,
  );
  for (const draft of drafts) {
    findings.push(
      stale("leftover_draft", draft, `${basename(draft.path)} was left by a start that did not come to its end`, "draft"),
    );
  }
  return findings;
}

function stale(
  id: Finding["id"],
  file: FileFacts,
  sentence: string,
  what: Extract<Fix, { kind: "remove_file" }>["what"],
): Finding {
  const fix: Fix = { kind: "remove_file", seen: mark(file), what };
  return { id, level: "warning", about: file.path, sentence, command: `rm ${shellWord(file.path)}`, fix };
}

const mark = ({ path, inode, modifiedMs }: FileFacts): Seen => ({ path, inode, modifiedMs });

function leftOfWriter(facts: Facts, now: number): readonly Finding[] {
  const configuration = seen(facts.configuration);
  if (configuration === undefined) return [];
  const { editLock, drafts } = configuration;
  const old = editLock?.kind === "folder" && now - editLock.modifiedMs > LOCK_STALE_MS;
  return [
    ...(old
      ? [
          {
            id: "stale_lock" as const,
            level: "warning" as const,
            about: editLock.path,
            sentence: "A program that was changing the configuration has died and left its lock",
            command: `rmdir ${shellWord(editLock.path)}`,
            fix: { kind: "remove_lock" as const, seen: mark(editLock) },
          },
        ]
      : []),
    // It may hold a review that never reached the file: a person looks first.
    ...drafts
      .filter(({ modifiedMs }) => now - modifiedMs > DRAFT_STALE_MS)
      .map(({ path }) => ({
        id: "leftover_draft" as const,
        level: "warning" as const,
        about: path,
        sentence: `${basename(path)} is what a program that died was about to write: look whether you miss something in it`,
        command: `rm ${shellWord(path)}`,
      })),
  ];
}
