// What the page about the pool is made of: one reading of everything the daemon tells about itself. The parts are read at the same
// time and may be of neighbouring versions; a page is for looking, not for deciding.
import type {
  ConfigStatus,
  Discovery,
  RegistrySummary,
  ServerStatus,
  SessionInfo,
  VersionRow,
} from "../../daemon/contract/index.ts";
import { configFile } from "../../config/paths.ts";
import type { Connected } from "../connector.ts";

export interface DaemonFacts extends Discovery {
  readonly program: { readonly name: string; readonly version: string };
  readonly stateFolder: string;
}

export interface PoolFacts {
  readonly daemon: DaemonFacts;
  readonly registry: RegistrySummary;
  /** The configuration in force, and whether the file on disk is another one that was not taken. */
  readonly config: ConfigStatus;
  readonly servers: readonly ServerStatus[];
  readonly sessions: readonly SessionInfo[];
  /** Newest first. */
  readonly versions: readonly VersionRow[];
}

export interface FactsOptions {
  readonly stateFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export const LAST_VERSIONS = 5;

export async function readFacts(
  { client, hello, discovery }: Pick<Connected, "client" | "hello" | "discovery">,
  { stateFolder, env, signal }: FactsOptions,
): Promise<PoolFacts> {
  const [registry, config, servers, sessions, versions] = await Promise.all([
    client.get<RegistrySummary>("/v1/registry", { signal }),
    client.get<ConfigStatus>("/v1/config", { signal }),
    client.get<readonly ServerStatus[]>("/v1/servers?memory=1", { signal }),
    client.get<readonly SessionInfo[]>("/v1/sessions", { signal }),
    client.get<readonly VersionRow[]>(`/v1/registry/versions?limit=${String(LAST_VERSIONS)}`, { signal }),
  ]);
  const daemon = { configFile: configFile(env), ...discovery, program: hello.program, stateFolder };
  return { daemon, registry, config, servers, sessions, versions };
}

/** As a program gets it. */
export const factsForPrograms = (facts: PoolFacts): object => ({ running: true, ...facts });
