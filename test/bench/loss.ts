// Bench `loss`: from the death of an idle server's process to the version without its tools, as a watcher of the registry sees it.
// The kill, the event's way over the socket and its reading are in the figure.
import { join } from "node:path";
import type { VersionRow } from "../../daemon/contract/index.ts";
import { root, startDaemonProcess } from "./daemon-process.ts";
import { figure, median, percentile, table } from "./statistics.ts";

const ALIAS = "idle";

export async function benchLoss(deaths: number): Promise<{ readonly text: string; readonly result: unknown }> {
  const daemon = await startDaemonProcess({
    [ALIAS]: {
      command: process.execPath,
      args: [join(root, "dist/servers/demo.js"), "--label", ALIAS],
      tools: { lookup: "read", fail: "read", delay: "read", terminate: "external" },
    },
  });
  try {
    const client = daemon.client();
    const times: number[] = [];
    for (let i = 0; i < deaths; i++) {
      const { version } = await client.request("servers.connect", { alias: ALIAS });
      const { pid } = await client.request("servers.get", { alias: ALIAS });
      if (pid === undefined) throw new Error("the server has no process");
      const stop = new AbortController();
      const events = client.watch(version, { signal: stop.signal })[Symbol.asyncIterator]();
      const next = events.next();
      // Something is asked after the watch was: when it is answered, the watch is there.
      await client.request("servers.get", { alias: ALIAS });
      const from = performance.now();
      process.kill(pid, "SIGKILL");
      const event = await next;
      times.push(performance.now() - from);
      const row = JSON.parse(event.done === true ? "{}" : event.value.data) as Partial<VersionRow>;
      if (row.removed?.length !== 4) throw new Error("the version after the death is not the withdrawal");
      stop.abort();
    }
    const result = { deaths, medianMs: median(times), p95Ms: percentile(times, 0.95), slowestMs: Math.max(...times) };
    const rows = [
      [`withdrawn after, median of ${String(deaths)} deaths`, `${figure(result.medianMs)} ms`],
      ["withdrawn after, 95th percentile", `${figure(result.p95Ms)} ms`],
      ["withdrawn after, slowest", `${figure(result.slowestMs)} ms`],
    ];
    return { text: table(["death of an idle server", "figure"], rows), result };
  } finally {
    await daemon.stop();
  }
}
