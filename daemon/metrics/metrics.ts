// The numbers of `GET /metrics`: Prometheus text, made by prom-client in a registry of our own, so that nothing outside it is
// touched. Gauges are read from the pool when they are asked for; counters are told.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export interface MetricsSources {
  registryVersion(): number;
  toolCount(): number;
  sessionCount(): number;
  /** State kind → number of servers. */
  serverStates(): ReadonlyMap<string, number>;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #calls: Counter<"code">;
  readonly #durations: Histogram;
  readonly #connections: Counter<"outcome">;
  readonly #noise: Counter<"alias">;

  constructor(sources: MetricsSources) {
    const registers = [this.#registry];
    const gauge = (name: string, help: string, read: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    };
    gauge("toolpool_registry_version", "Current version of the registry.", () => sources.registryVersion());
    gauge("toolpool_tools", "Remote tools exposed at the current version.", () => sources.toolCount());
    gauge("toolpool_sessions", "Open sessions.", () => sources.sessionCount());
    new Gauge({
      name: "toolpool_servers",
      help: "Configured servers by state.",
      labelNames: ["state"],
      registers,
      collect() {
        this.reset();
        for (const [state, count] of sources.serverStates()) this.set({ state }, count);
      },
    });
    this.#calls = new Counter({
      name: "toolpool_calls_total",
      help: "Tool calls by outcome code.",
      labelNames: ["code"],
      registers,
    });
    this.#durations = new Histogram({
      name: "toolpool_call_duration_seconds",
      help: "Time from dispatch to the answer of a tool call.",
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    });
    this.#connections = new Counter({
      name: "toolpool_connections_total",
      help: "Starts of servers by what came of them: connected, or the failure's code.",
      labelNames: ["outcome"],
      registers,
    });
    this.#noise = new Counter({
      name: "toolpool_stdout_noise_total",
      help: "Lines on a server's stdout that were no JSON-RPC message.",
      labelNames: ["alias"],
      registers,
    });
    collectDefaultMetrics({ register: this.#registry });
  }

  call(code: string, durationMs: number | null): void {
    this.#calls.inc({ code });
    if (durationMs !== null) this.#durations.observe(durationMs / 1_000);
  }

  connection(outcome: string): void {
    this.#connections.inc({ outcome });
  }

  noise(alias: string, count: number): void {
    this.#noise.inc({ alias }, count);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  close(): void {
    this.#registry.clear();
  }
}
