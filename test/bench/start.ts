// Bench `start`: from the spawn of the daemon to its word that it is ready, and the memory it takes with five servers connected,
// at rest and after work.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root, startDaemonProcess, type ServerEntry } from "./daemon-process.ts";
import { pssMiB } from "./processes.ts";
import { figure, median, table } from "./statistics.ts";

const SERVERS = ["one", "two", "three", "four", "five"];
const CALLS = 2_000;
/** Long enough for a collection after the work (ms). */
const REST_MS = 3_000;

const demo = (label: string): ServerEntry => ({
  command: process.execPath,
  args: [join(root, "dist/servers/demo.js"), "--label", label],
  tools: { lookup: "read", fail: "read", delay: "read", terminate: "external" },
});

export async function benchStart(starts: number): Promise<{ readonly text: string; readonly result: unknown }> {
  const servers = Object.fromEntries(SERVERS.map((alias) => [alias, demo(alias)]));
  const times: number[] = [];
  const empty: number[] = [];
  for (let i = 0; i < starts; i++) {
    const daemon = await startDaemonProcess(servers);
    times.push(daemon.readyMs);
    empty.push(pssMiB(daemon.pid));
    await daemon.stop();
  }
  const daemon = await startDaemonProcess(servers);
  try {
    const client = daemon.client();
    const from = performance.now();
    const { sessionId, attached = [] } = await client.request("session.open", { attach: SERVERS });
    const attachMs = performance.now() - from;
    if (attached.length !== SERVERS.length) throw new Error(`only ${attached.join(", ")} could be connected`);
    await pause(REST_MS);
    const connected = pssMiB(daemon.pid);
    const { version } = await client.request("registry.snapshot", { sessionId });
    for (let i = 0; i < CALLS; i++) {
      const name = `mcp__${SERVERS[i % SERVERS.length] ?? ""}__lookup`;
      await client.callTool({ sessionId, version, name, argumentsText: `{"query":"q${String(i)}"}` });
    }
    await pause(REST_MS);
    const result = {
      starts,
      readyMs: median(times),
      slowestMs: Math.max(...times),
      attachFiveMs: attachMs,
      pssMiB: { ready: median(empty), fiveServers: connected, afterCalls: pssMiB(daemon.pid) },
    };
    const rows = [
      [`ready after, median of ${String(starts)} starts`, `${figure(result.readyMs)} ms`],
      ["ready after, slowest", `${figure(result.slowestMs)} ms`],
      ["five servers attached after", `${figure(attachMs)} ms`],
      ["memory (PSS), ready", `${figure(result.pssMiB.ready)} MiB`],
      ["memory (PSS), five servers", `${figure(connected)} MiB`],
      [`memory (PSS), after ${String(CALLS)} calls`, `${figure(result.pssMiB.afterCalls)} MiB`],
    ];
    return { text: table(["start and memory", "figure"], rows), result };
  } finally {
    await daemon.stop();
  }
}
