// All checks over one set of facts. A part that could not be looked at is a finding of its own; the others go on.
import { checkAutostart } from "./check-autostart.ts";
import { checkCommands } from "./check-commands.ts";
import { checkConfiguration } from "./check-configuration.ts";
import { checkDaemon } from "./check-daemon.ts";
import { checkHosts } from "./check-hosts.ts";
import { checkProcesses } from "./check-processes.ts";
import { checkProgram } from "./check-program.ts";
import { checkReview } from "./check-review.ts";
import { checkServers } from "./check-servers.ts";
import { checkStale } from "./check-stale.ts";
import { checkState } from "./check-state.ts";
import type { Facts } from "./facts.ts";
import { FINDING_GROUPS, GROUPS, type Finding } from "./finding.ts";

const PARTS = {
  program: "this installation",
  state: "the state folder",
  daemon: "the daemon",
  configuration: "the configuration",
  commands: "the commands of the servers",
  processes: "your processes",
  hosts: "the settings of other programs",
  autostart: "the service",
} as const satisfies Readonly<Record<Exclude<keyof Facts, "pid">, string>>;

const LEVELS = ["error", "warning", "ok"] as const;

/** Grouped, and in each group the worst first. */
export function runChecks(facts: Facts, env: NodeJS.ProcessEnv, now: number): readonly Finding[] {
  const findings = [
    ...failedLooks(facts),
    ...checkProgram(facts, env),
    ...checkDaemon(facts),
    ...checkState(facts),
    ...checkStale(facts, now),
    ...checkConfiguration(facts),
    ...checkCommands(facts),
    ...checkServers(facts),
    ...checkReview(facts),
    ...checkProcesses(facts),
    ...checkHosts(facts),
    ...checkAutostart(facts),
  ];
  const rank = ({ id, level }: Finding): number => GROUPS.indexOf(FINDING_GROUPS[id]) * LEVELS.length + LEVELS.indexOf(level);
  return findings.toSorted((a, b) => rank(a) - rank(b));
}

function failedLooks(facts: Facts): readonly Finding[] {
  return Object.entries(PARTS).flatMap(([part, named]): readonly Finding[] => {
    const found = facts[part as keyof typeof PARTS];
    if (found.kind === "seen") return [];
    const sentence = `Could not look at ${named}: ${found.why}`;
    return [{ id: "look_failed", level: "warning", about: part, sentence, command: "TOOLPOOL_DEBUG=1 toolpool doctor" }];
  });
}
