// Reads everything the checks need, side by side, each part bounded in time and alone in its failure.
import type { Run } from "../commands/surroundings.ts";
import type { Facts } from "./facts.ts";
import { look, seen, type Look } from "./look.ts";
import { readAutostart } from "./read-autostart.ts";
import { readCommands } from "./read-commands.ts";
import { readConfiguration } from "./read-configuration.ts";
import { readDaemon } from "./read-daemon.ts";
import { readHosts } from "./read-hosts.ts";
import { readProcesses } from "./read-processes.ts";
import { readProgram } from "./read-program.ts";
import { readState } from "./read-state.ts";

/** For one part (ms): a busy machine is slow, a network disk that is gone answers never. */
const LOOK_MS = 10_000;

export async function gather(run: Run): Promise<Facts> {
  const one = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<Look<T>> => look(LOOK_MS, run.signal, work);
  const [program, state, daemon, configuration, processes, hosts, autostart] = await Promise.all([
    one((signal) => readProgram(run, signal)),
    one(() => readState(run)),
    one((signal) => readDaemon(run, signal)),
    one(() => readConfiguration(run)),
    one(() => readProcesses(run)),
    one(() => readHosts(run)),
    one(() => readAutostart(run)),
  ]);
  const commands = await one(() => readCommands(seen(configuration), seen(daemon), run.env.PATH));
  return { program, state, daemon, configuration, commands, processes, hosts, autostart, pid: process.pid };
}
