// The daemon's HTTP side: puts door, routes and listeners together behind one thing that listens and closes. Fastify routes what
// the door let through; how a connection begins and ends is the listeners' business.
import { createApp } from "./app.ts";
import { Faults } from "./answers.ts";
import { Callers } from "./callers.ts";
import { tokenCheck } from "./gate.ts";
import { Listeners, type Patience } from "./listeners.ts";
import type { HttpLog, HttpPorts } from "./ports.ts";
import { restRoutes } from "./rest.ts";
import { Rpc } from "./rpc.ts";
import { Watches } from "./watches.ts";

export interface HttpOptions {
  /** The secret that TCP callers must send. */
  readonly token: string;
  readonly programVersion: string;
  readonly log: HttpLog;
  /** Largest request body (bytes); default 4 MiB. */
  readonly bodyLimit?: number;
  /** Between the heartbeats of a watch (ms); default 15,000. */
  readonly heartbeatMs?: number;
  readonly patience?: Patience;
}

export interface HttpServers {
  /**
   * Binds 127.0.0.1:`port` (0: any free one) and the Unix socket. Rejects with PortInUse or SocketInUse; nothing is left
   * listening then.
   */
  listen(where: { readonly socketPath: string; readonly port: number }): Promise<{ readonly url: string; readonly port: number }>;
  /**
   * Stops accepting, ends watches with `closing` and idle connections at once, busy connections after their answers or at the
   * deadline (ms). The first call counts.
   */
  close(deadlineMs: number): Promise<void>;
  /** Ends every connection now. */
  destroy(): Promise<void>;
  /** What is open at this moment. */
  counts(): { readonly connections: number; readonly requests: number; readonly watches: number };
}

const BODY_LIMIT = 4 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;
const PATIENCE: Patience = { headersMs: 15_000, requestMs: 60_000, keepAliveMs: 60_000, checkEveryMs: 5_000 };

export function createHttp(ports: HttpPorts, options: HttpOptions): HttpServers {
  const { token, programVersion, log, bodyLimit = BODY_LIMIT, heartbeatMs = HEARTBEAT_MS, patience = PATIENCE } = options;
  const faults = new Faults(log);
  const callers = new Callers();
  const watches = new Watches(ports.registry, faults, heartbeatMs);
  const rest = restRoutes(ports, programVersion);
  const app = createApp({ rest, rpc: new Rpc(ports, faults), watches, callers, faults, bodyLimit });
  const route = app.routing.bind(app);
  const listeners = new Listeners({ route, callers, token: tokenCheck(token), bodyLimit, patience, log });

  let closing: Promise<void> | undefined;
  const end = async (deadlineMs: number): Promise<void> => {
    watches.close();
    await listeners.close(deadlineMs);
    await app.close();
  };
  const close = (deadlineMs: number): Promise<void> => (closing ??= end(deadlineMs));
  return {
    async listen({ socketPath, port }) {
      await app.ready();
      const bound = await listeners.listen(socketPath, port);
      return { url: `http://127.0.0.1:${String(bound)}`, port: bound };
    },
    close,
    async destroy() {
      const closed = close(0);
      callers.destroy();
      await closed;
    },
    counts: () => ({ connections: callers.connections, requests: callers.requests, watches: watches.size }),
  };
}
