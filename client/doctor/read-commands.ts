// For every server that could be started: is its program there, for this shell and for the daemon. Looks, starts nothing.
import type { ServerSpec } from "../../daemon/contract/index.ts";
import type { CommandFacts, ConfigurationFacts, DaemonFacts } from "./facts.ts";
import { resolveCommand } from "./resolve-command.ts";

export async function readCommands(
  configuration: ConfigurationFacts | undefined,
  daemon: DaemonFacts | undefined,
  path: string | undefined,
): Promise<readonly CommandFacts[]> {
  const theirs = daemon?.kind === "running" ? daemon.path : undefined;
  return Promise.all(
    specsOf(configuration).map(async (spec) => ({
      spec,
      resolved: await resolveCommand(spec.launch, path),
      forDaemon: theirs === undefined || theirs === path ? undefined : await resolveCommand(spec.launch, theirs),
    })),
  );
}

/** Those whose entry is sound and not disabled, reviewed or not. */
export function specsOf(configuration: ConfigurationFacts | undefined): readonly ServerSpec[] {
  if (configuration?.loaded.kind !== "ok") return [];
  const servers = [...configuration.loaded.config.servers.values()];
  return servers.flatMap((server) => (server.kind === "invalid" || server.spec.disabled ? [] : [server.spec]));
}
