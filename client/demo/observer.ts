// Looks at the daemon from outside while the agents run: before every model request it reads servers and sessions over REST and
// the processes from the system. It never tells the agents anything.
import type { ServerStatus, SessionInfo } from "../../daemon/contract/index.ts";
import type { Model, Models } from "../models/model.ts";
import type { PoolPort } from "../pool-port.ts";
import { markProcess, type ProcessMark } from "../process-end.ts";
import type { SeenConnection, SeenSession } from "./evidence.ts";
import { ALIASES } from "./names.ts";
import { commandLineOf } from "./system.ts";

export class Observer {
  readonly connections = new Map<string, SeenConnection>();
  readonly sessions = new Map<string, SeenSession>();
  /** Every process that was ever seen. */
  readonly processes = new Map<number, ProcessMark>();
  readonly #pool: PoolPort;

  constructor(pool: PoolPort) {
    this.#pool = pool;
  }

  async look(): Promise<void> {
    const [servers, sessions] = await Promise.all([
      this.#pool.get<readonly ServerStatus[]>("/v1/servers"),
      this.#pool.get<readonly SessionInfo[]>("/v1/sessions"),
    ]);
    for (const server of servers) this.#note(server);
    for (const { sessionId, role, label } of sessions) this.sessions.set(sessionId, { sessionId, role, label });
  }

  #note({ alias, connectionId, pid, protocolVersion, serverInfo, toolCount, state }: ServerStatus): void {
    const demo = ALIASES.find((name) => name === alias);
    if (demo === undefined || connectionId === undefined || pid === undefined || state.kind !== "connected") return;
    const mark = markProcess(pid);
    if (mark !== undefined) this.processes.set(pid, mark);
    if (this.connections.has(connectionId)) return;
    const commandLine = mark === undefined ? "" : commandLineOf(pid);
    const serverName = serverInfo?.name;
    this.connections.set(connectionId, { alias: demo, connectionId, pid, commandLine, protocolVersion, serverName, toolCount });
  }

  /** The same models, with a look before each request. */
  over(models: Models): Models {
    const observed = (model: Model): Model => ({
      name: model.name,
      reply: async (request) => {
        await this.look();
        return model.reply(request);
      },
    });
    return { forAgent: (agent) => observed(models.forAgent(agent)), close: () => models.close() };
  }
}
