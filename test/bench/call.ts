// Bench `call`: what one tool call costs on each road, one after another and 64 at once. Rounds alternate over the targets within
// one run, every answer is checked, and ratios are taken within a round, so that a noisy minute hits all of them alike.
import { join } from "node:path";
import { openTargets, type Target } from "./call-targets.ts";
import { cpuNs, pssMiB } from "./processes.ts";
import { figure, median, percentile, table } from "./statistics.ts";

export interface CallOptions {
  readonly rounds: number;
  readonly sequential: number;
  readonly parallel: number;
  /** The server without the SDK. */
  readonly raw: boolean;
}

const IN_FLIGHT = 64;

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  readonly busyP99Ms: number;
  /** Microseconds of CPU a call at 64 in flight. */
  readonly gatewayCpuUs: number;
  readonly serverCpuUs: number;
}

let sent = 0;
async function timed(target: Target): Promise<number> {
  const text = `text ${String(++sent)}`;
  const from = performance.now();
  const back = await target.call(text);
  const took = performance.now() - from;
  if (back !== text) throw new Error(`${target.name} answered "${back}" to "${text}"`);
  return took;
}

async function burst(target: Target, calls: number): Promise<readonly number[]> {
  const times: number[] = [];
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left-- > 0) times.push(await timed(target));
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return times;
}

async function measure(target: Target, { sequential, parallel }: CallOptions): Promise<Round> {
  const times: number[] = [];
  for (let i = 0; i < sequential; i++) times.push(await timed(target));
  const cpu = (pid: number | undefined): number => (pid === undefined ? Number.NaN : cpuNs(pid));
  const before = { gateway: cpu(target.gatewayPid), server: cpu(target.serverPid), at: performance.now() };
  const busy = await burst(target, parallel);
  const seconds = (performance.now() - before.at) / 1_000;
  return {
    p50Ms: median(times),
    p99Ms: percentile(times, 0.99),
    perSecond: parallel / seconds,
    busyP99Ms: percentile(busy, 0.99),
    gatewayCpuUs: (cpu(target.gatewayPid) - before.gateway) / parallel / 1_000,
    serverCpuUs: (cpu(target.serverPid) - before.server) / parallel / 1_000,
  };
}

export async function benchCall(options: CallOptions): Promise<{ readonly text: string; readonly result: unknown }> {
  const serverFile = join(import.meta.dirname, options.raw ? "raw-server.js" : "echo-server.js");
  const { targets, close } = await openTargets(serverFile);
  try {
    const rounds = targets.map((): Round[] => []);
    for (const target of targets) await burst(target, Math.min(2_000, options.parallel));
    for (let round = 0; round < options.rounds; round++) {
      for (let place = 0; place < targets.length; place++) {
        const index = (place + round) % targets.length;
        const target = targets[index];
        if (target !== undefined) rounds[index]?.push(await measure(target, options));
      }
    }
    const memory = targets.map(({ gatewayPid }) => (gatewayPid === undefined ? Number.NaN : pssMiB(gatewayPid)));
    const result = targets.map(({ name }, index) => summary(name, rounds, index, memory[index] ?? Number.NaN));
    const head = [
      "target",
      "p50 ms",
      "p99 ms",
      "p50 ÷ direct",
      "p50 ÷ pass-through",
      "64: /s",
      "64: p99 ms",
      "64 ÷ pass-through",
      "CPU µs",
      "server CPU µs",
      "PSS MiB",
    ];
    const rows = result.map((row) => [
      row.name,
      ...[row.p50Ms, row.p99Ms, row.toDirect, row.toPassThrough, row.perSecond, row.busyP99Ms].map(figure),
      ...[row.perSecondToPassThrough, row.gatewayCpuUs, row.serverCpuUs, row.pssMiB].map(figure),
    ]);
    return { text: table(head, rows), result };
  } finally {
    await close();
  }
}

function summary(name: string, rounds: readonly (readonly Round[])[], index: number, pss: number) {
  const own = rounds[index] ?? [];
  // Targets come as direct, then socket and TCP of each gateway: the pass-through of the same kind stands at 1 or 2.
  const peer = rounds[index === 0 ? 1 : 2 - (index % 2)] ?? [];
  const over = (pick: (round: Round) => number): number => median(own.map(pick));
  const ratio = (base: readonly Round[], pick: (round: Round) => number): number =>
    median(own.map((round, i) => pick(round) / pick(base[i] ?? round)));
  return {
    name,
    p50Ms: over((round) => round.p50Ms),
    p99Ms: over((round) => round.p99Ms),
    toDirect: ratio(rounds[0] ?? [], (round) => round.p50Ms),
    toPassThrough: ratio(peer, (round) => round.p50Ms),
    perSecond: over((round) => round.perSecond),
    perSecondToPassThrough: ratio(peer, (round) => round.perSecond),
    busyP99Ms: over((round) => round.busyP99Ms),
    gatewayCpuUs: over((round) => round.gatewayCpuUs),
    serverCpuUs: over((round) => round.serverCpuUs),
    pssMiB: pss,
  };
}
