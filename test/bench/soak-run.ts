// The soak: sessions call at random while their servers crash, come back and change their lists. Afterwards every call must be
// accounted for three times over: the answer its caller got, its row in the journal, and the record of the server that ran it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { PoolClient } from "../../client/pool-client.ts";
import type { CallRecord, Outcome, ServerStatus, SessionInfo } from "../../daemon/contract/index.ts";
import { root, startDaemonProcess } from "./daemon-process.ts";
import { pssMiB } from "./processes.ts";
import { runLane, type Sent } from "./soak-lane.ts";

export interface SoakOptions {
  readonly calls: number;
  readonly sessions: number;
  readonly lanes: number;
  readonly seed: number;
  /** Rest before memory is read (ms); 0 = it is not read. It is judged from 50,000 calls on. */
  readonly restMs: number;
}

export interface SoakReport {
  readonly calls: number;
  readonly seconds: number;
  /** Outcome code → count. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly versions: number;
  readonly connects: number;
  readonly pssMiB: { readonly afterWarmUp: number; readonly end: number };
  /** The first of them; empty when all is well. */
  readonly faults: readonly string[];
}

const ALIASES = ["north", "east", "south", "west"];
const PAGE = 1_000;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), "tps-"));
  const server = (label: string, index: number) => ({
    command: process.execPath,
    args: [join(root, ".cache/fixtures/soak-server.js"), label, folder],
    tools: { read: "read", write: "write", reshape: "external" },
    reconnect: index % 2 === 0 ? "backoff" : "manual",
    graceMs: 200,
  });
  const daemon = await startDaemonProcess(Object.fromEntries(ALIASES.map((alias, i) => [alias, server(alias, i)])), {
    versionsInMemory: 64,
  });
  try {
    const sent = new Map<string, Sent>();
    const faults: string[] = [];
    const work = (calls: number, part: string): Promise<void> =>
      workOnce(
        () => daemon.client(),
        { ...options, calls },
        part,
        sent,
        (fault) => faults.push(fault),
      );
    const from = performance.now();
    await work(Math.ceil(options.calls / 5), "a");
    const afterWarmUp = await memory(daemon.pid, options.restMs);
    await work(options.calls - Math.ceil(options.calls / 5), "b");
    const seconds = (performance.now() - from - options.restMs) / 1_000;
    const control = daemon.client();
    faults.push(...(await baselineFaults(control)), ...(await journalFaults(control, sent)), ...recordFaults(folder, sent));
    const end = await memory(daemon.pid, options.restMs);
    // Before some 10,000 calls the heap is still on its way to its level, so that short runs say nothing about memory.
    if (options.calls >= 50_000 && end > afterWarmUp * 1.25 + 8)
      faults.push(`memory went from ${String(afterWarmUp)} to ${String(end)} MiB`);
    const { version } = await control.get<{ version: number }>("/v1/registry");
    const servers = await control.get<readonly ServerStatus[]>("/v1/servers");
    const connects = servers.reduce((sum, { stats }) => sum + stats.connects, 0);
    const outcomes = count([...sent.values()].map(({ outcome }) => codeOf(outcome)));
    const code = await daemon.stop();
    if (code !== 0) faults.push(`the daemon ended with ${String(code)}`);
    return {
      calls: sent.size,
      seconds,
      outcomes,
      versions: version,
      connects,
      pssMiB: { afterWarmUp, end },
      faults: faults.slice(0, 40),
    };
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function workOnce(
  newClient: () => PoolClient,
  { calls, sessions, lanes, seed }: SoakOptions,
  part: string,
  sent: Map<string, Sent>,
  onFault: (fault: string) => void,
): Promise<void> {
  const seat = async (_: unknown, number: number): Promise<void> => {
    const client = newClient();
    const { sessionId } = await client.request("session.open", { label: `soak ${String(number)}`, attach: ALIASES });
    const lane = (_lane: unknown, index: number): Promise<void> => {
      const name = `${part}${String(number)}.${String(index)}`;
      return runLane({
        ...{ client, sessionId, aliases: ALIASES, name, onFault },
        seed: seed * 7_919 + (part === "a" ? 0 : 1_000) + number * 31 + index,
        calls: Math.ceil(calls / sessions / lanes),
        onSent: (one) => sent.set(one.callId, one),
      });
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await client.request("session.close", { sessionId });
    await client.close();
  };
  await Promise.all(Array.from({ length: sessions }, seat));
}

async function memory(pid: number, restMs: number): Promise<number> {
  if (restMs === 0) return Number.NaN;
  await pause(restMs);
  return pssMiB(pid);
}

/** No session, no connection and no tool is left when all sessions are closed. */
async function baselineFaults(client: PoolClient): Promise<readonly string[]> {
  const sessions = await client.get<readonly SessionInfo[]>("/v1/sessions");
  const { toolCount } = await client.get<{ toolCount: number }>("/v1/registry");
  const servers = await client.get<readonly ServerStatus[]>("/v1/servers");
  const held = servers.filter(({ state, attachedSessions }) => attachedSessions.length > 0 || state.kind === "connected");
  return [
    ...(sessions.length === 0 ? [] : [`${String(sessions.length)} sessions are left`]),
    ...(toolCount === 0 ? [] : [`${String(toolCount)} tools are left`]),
    ...held.map(({ alias, state }) => `${alias} is ${state.kind} although no session is left`),
  ];
}

/** Every call has one row, ended as its caller was told; no row belongs to a call nobody made. */
async function journalFaults(client: PoolClient, sent: ReadonlyMap<string, Sent>): Promise<readonly string[]> {
  const faults: string[] = [];
  const seen = new Set<string>();
  let before: number | undefined;
  for (;;) {
    const query = before === undefined ? "" : `&before=${String(before)}`;
    const rows = await client.get<readonly CallRecord[]>(`/v1/calls?limit=${String(PAGE)}${query}`);
    for (const row of rows) {
      const callId = row.callId ?? "";
      const outcome = sent.get(callId)?.outcome;
      if (outcome === undefined) faults.push(`row ${String(row.id)} belongs to no call (${callId})`);
      else if (seen.has(callId)) faults.push(`${callId} has two rows`);
      else if (row.code !== codeOf(outcome))
        faults.push(`${callId} came to ${codeOf(outcome)}, its row says ${String(row.code)}`);
      else if (row.mayHaveRun !== mayHaveRun(outcome)) faults.push(`${callId}: its row has another mayHaveRun than its outcome`);
      seen.add(callId);
    }
    before = rows.at(-1)?.id;
    if (rows.length < PAGE || before === undefined) break;
  }
  for (const callId of sent.keys()) if (!seen.has(callId)) faults.push(`${callId} has no row`);
  return faults.slice(0, 20);
}

/** Nothing ran twice; what was answered did run; what is said not to have run, and is no read, did not. */
function recordFaults(folder: string, sent: ReadonlyMap<string, Sent>): readonly string[] {
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
  const ran = new Map<string, number>();
  for (const token of lines) if (token !== "") ran.set(token, (ran.get(token) ?? 0) + 1);
  const faults: string[] = [];
  for (const [token, times] of ran) {
    if (times > 1) faults.push(`${token} ran ${String(times)} times`);
    if (!sent.has(token)) faults.push(`${token} ran, but nobody asked for it`);
  }
  for (const { token, outcome } of sent.values()) {
    if (token === undefined) continue;
    if (outcome.status === "ok" && !ran.has(token)) faults.push(`${token} was answered but did not run`);
    if (codeOf(outcome) === "unknown_tool" && ran.has(token)) faults.push(`${token} was refused but ran`);
  }
  return faults.slice(0, 20);
}

const codeOf = (outcome: Outcome): string => (outcome.status === "ok" ? "ok" : outcome.error.code);
const mayHaveRun = (outcome: Outcome): boolean => outcome.status === "error" && outcome.error.may_have_run === true;

function count(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
