// Bench `snapshot`: what reading the registry costs as the pool grows, and that a commit does not grow with it. A second server of
// ten tools is attached and detached again and again while the large one stands: two commits each, nothing else.
import { join } from "node:path";
import { startDaemonProcess, type DaemonProcess, type ServerEntry } from "./daemon-process.ts";
import { pssMiB } from "./processes.ts";
import { figure, median, table } from "./statistics.ts";

export interface SnapshotOptions {
  readonly sizes: readonly number[];
  readonly repeats: number;
}

const server = (count: number): ServerEntry => ({
  command: process.execPath,
  args: [join(import.meta.dirname, "tools-server.js"), String(count)],
  tools: Object.fromEntries(Array.from({ length: count }, (_, i) => [`tool_${String(i)}`, "read"])),
  startupTimeoutMs: 120_000,
});

async function timed(repeats: number, work: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 10; i++) await work();
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  return median(times);
}

async function measure(daemon: DaemonProcess, tools: number, repeats: number) {
  const client = daemon.client();
  const from = performance.now();
  const { sessionId } = await client.request("session.open", { attach: ["large"] });
  const connectMs = performance.now() - from;
  // Another session holds the small server, so that attaching to it starts and stops nothing.
  await client.request("session.open", { attach: ["small"] });
  const { version, digest } = await client.request("registry.snapshot", { sessionId });
  const text = await client.getText(`/v1/registry/versions/${String(version)}`);
  const unchangedMs = await timed(repeats, () => client.request("registry.snapshot", { sessionId, ifDigest: digest }));
  const fullMs = await timed(Math.min(repeats, 100), () => client.getText(`/v1/sessions/${sessionId}/snapshot`));
  const parsedMs = await timed(Math.min(repeats, 100), () => client.request("registry.snapshot", { sessionId }));
  const pairMs = await timed(repeats, async () => {
    await client.request("servers.connect", { alias: "small", sessionId });
    await client.request("servers.disconnect", { alias: "small", sessionId });
  });
  return {
    tools,
    connectMs,
    unchangedMs,
    fullMs,
    parsedMs,
    kiB: text.length / 1024,
    commitMs: pairMs / 2,
    pssMiB: pssMiB(daemon.pid),
  };
}

export async function benchSnapshot({
  sizes,
  repeats,
}: SnapshotOptions): Promise<{ readonly text: string; readonly result: unknown }> {
  const result = [];
  for (const size of sizes) {
    const daemon = await startDaemonProcess({ large: server(size), small: server(10) });
    try {
      result.push(await measure(daemon, size, repeats));
    } finally {
      await daemon.stop();
    }
  }
  const head = ["tools", "connect ms", "ifDigest ms", "full, text ms", "full, parsed ms", "KiB", "commit ms", "PSS MiB"];
  const rows = result.map((row) => [
    String(row.tools),
    ...[row.connectMs, row.unchangedMs, row.fullMs, row.parsedMs, row.kiB, row.commitMs, row.pssMiB].map(figure),
  ]);
  return { text: table(head, rows), result };
}
