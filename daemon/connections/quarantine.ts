// Servers that are started to be looked at: a link of its own, the list, the judgement, the end. Nothing is published, nothing can
// be called, and every one of them is stopped before the answer is given. Owns what runs so that a closing daemon ends it.
import { ConnectRefused, connectFailure, type Inspection, type ServerSpec } from "../contract/index.ts";
import type { UpstreamLink } from "../upstream/port.ts";
import type { ConnectionsPorts } from "./ports.ts";
import type { StartGates } from "./start-gate.ts";
import { startFailure, startLimitMs } from "./start-failure.ts";

export interface QuarantinePorts extends Pick<ConnectionsPorts, "link" | "ledger" | "onNoise" | "judge"> {
  readonly gates: StartGates;
}

export interface Inspected {
  readonly result:
    { readonly kind: "seen"; readonly inspection: Inspection } | { readonly kind: "refused"; readonly refused: ConnectRefused };
  readonly stderrTail: string;
}

export class Quarantine {
  readonly #ports: QuarantinePorts;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  readonly #links = new Set<UpstreamLink>();
  #closed = false;

  constructor(ports: QuarantinePorts) {
    this.#ports = ports;
  }

  /** Resolves when the server is stopped again. Rejects only for a fault of ours. */
  async inspect(spec: ServerSpec, connectionId: string, signal: AbortSignal): Promise<Inspected> {
    const ending = new AbortController();
    if (this.#closed) ending.abort();
    const work = this.#run(spec, connectionId, AbortSignal.any([signal, ending.signal]));
    this.#running.set(
      ending,
      work.catch(() => undefined),
    );
    try {
      return await work;
    } finally {
      this.#running.delete(ending);
    }
  }

  /** Resolves when nothing of it is left. */
  async close(how: "graceful" | "now"): Promise<void> {
    this.#closed = true;
    for (const ending of this.#running.keys()) ending.abort();
    if (how === "now") for (const link of this.#links) void link.destroy("closing");
    await Promise.all(this.#running.values());
  }

  async #run(spec: ServerSpec, connectionId: string, signal: AbortSignal): Promise<Inspected> {
    let leave: () => void;
    try {
      leave = await this.#ports.gates.enter(spec.runner, signal);
    } catch {
      return { result: { kind: "refused", refused: new ConnectRefused(connectFailure("cancelled")) }, stderrTail: "" };
    }
    const link = this.#ports.link(spec, connectionId, {
      onToolsChanged: () => undefined,
      onNoise: (count) => this.#ports.onNoise(spec.alias, count),
      onProcess: (process) => this.#ports.ledger.record(process, spec.alias, connectionId),
    });
    this.#links.add(link);
    let result: Inspected["result"];
    try {
      result = await this.#look(spec, link, signal);
    } finally {
      await link.close("inspected");
      this.#ports.ledger.forget(connectionId);
      this.#links.delete(link);
      leave();
    }
    const stderrTail = link.stderrTail();
    return {
      result: result.kind === "seen" ? { kind: "seen", inspection: { ...result.inspection, stderrTail } } : result,
      stderrTail,
    };
  }

  async #look(spec: ServerSpec, link: UpstreamLink, signal: AbortSignal): Promise<Inspected["result"]> {
    const limitMs = startLimitMs(spec);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), limitMs);
    const both = AbortSignal.any([signal, deadline.signal]);
    try {
      const { protocolVersion, serverInfo } = await link.connect(both);
      const published = await link.listToolsRaw(both);
      const judged = await this.#ports.judge({ alias: spec.alias, published, policy: spec.tools }, { signal: both });
      return { kind: "seen", inspection: { alias: spec.alias, protocolVersion, serverInfo, ...judged, stderrTail: "" } };
    } catch (error) {
      const failure = signal.aborted
        ? connectFailure("cancelled")
        : deadline.signal.aborted
          ? connectFailure("startup_timeout", { limitMs })
          : startFailure(error);
      return { kind: "refused", refused: new ConnectRefused(failure) };
    } finally {
      clearTimeout(timer);
    }
  }
}
