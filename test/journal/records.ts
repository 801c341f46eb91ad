// What the journal's tests record: small versions, toolsets as admission writes them, calls.
import { canonicalJson } from "../../daemon/contract/index.ts";
import { openJournal as openAt, type JournalOptions } from "../../daemon/journal/journal.ts";
import type { CallEnd, CallStart, Journal, JournalToolset, JournalVersion } from "../../daemon/journal/port.ts";

export const AT = "2026-01-01T00:00:00.000Z";

/** On the day of the records: nothing is too old. */
export const openJournal = (file: string, options: JournalOptions = {}): Journal =>
  openAt(file, { now: () => new Date(AT), ...options });

export function toolset(connectionId: string, names: readonly string[], owner?: string | null): JournalToolset {
  const alias = connectionId.slice(0, connectionId.indexOf("#"));
  const tools = names.map((name) =>
    canonicalJson({ name, description: "", effect: "read", source: { kind: "mcp", alias, tool: name, connectionId } }),
  );
  return { connectionId, alias, owner, digest: names.join(), tools };
}

export function record(
  journal: Journal,
  version: number,
  toolsets: readonly JournalToolset[] = [],
  { at = AT, ...more }: Partial<JournalVersion> & { readonly at?: string } = {},
): void {
  const row = { version, at, cause: `step ${version}`, added: [], removed: [], changed: [], digest: `d${version}` };
  const management = { digest: "m", tools: ['{"name":"connect_mcp","source":{"kind":"management"}}'] };
  journal.recordVersion({ row, toolsets, management, attached: [], detached: [], ...more });
}

export const START: CallStart = {
  at: AT,
  sessionId: "s1",
  callId: "c1",
  version: 3,
  tool: "mcp__alpha__a",
  alias: "alpha",
  connectionId: "alpha#1",
  effect: "write",
  definitionDigest: "dd",
  decision: "allow",
  argumentsDigest: "ad",
  argumentsBytes: 2,
};
export const END: CallEnd = {
  status: "ok",
  code: "ok",
  reason: null,
  mayHaveRun: false,
  queuedMs: 0.5,
  durationMs: 1.5,
  decision: "allow",
  resultDigest: "rd",
  resultBytes: 9,
};
