// What was reviewed and what was not: servers nobody has looked at, servers that are not as they were reviewed, servers without
// pins, and pins without a server. The one command for all of them is `toolpool review`.
import type { ServerSpec } from "../../daemon/contract/index.ts";
import { explainConnectFailure } from "../output/connect-failure.ts";
import type { ConfigurationFacts, DaemonFacts, Facts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { editAt, shellWord } from "./shell-word.ts";

export function checkReview(facts: Facts): readonly Finding[] {
  const configuration = seen(facts.configuration);
  if (configuration?.loaded.kind !== "ok") return [];
  const { servers } = configuration.loaded.config;
  const daemon = seen(facts.daemon);
  const findings = [...servers.values()].flatMap((server): readonly Finding[] => {
    const { alias } = server;
    if (server.kind === "invalid") return [];
    const { spec } = server;
    if (server.kind === "unreviewed") return spec.disabled ? [] : [unreviewed(alias)];
    const drift = spec.disabled ? undefined : drifted(spec, daemon);
    if (drift !== undefined) return [drift];
    return spec.pins === undefined && !spec.disabled ? [notPinned(alias)] : [];
  });
  const all = [...findings, ...leftovers(configuration)];
  if (all.length > 0 || servers.size === 0) return all;
  return [ok("unreviewed", configuration.file, "Every server is reviewed, and is as it was reviewed")];
}

const review = (alias: string): string => `toolpool review ${shellWord(alias)}`;

function unreviewed(alias: string): Finding {
  const sentence = `Nobody has reviewed ${alias}: no agent can connect it`;
  return { id: "unreviewed", level: "warning", about: alias, sentence, command: review(alias) };
}

function notPinned(alias: string): Finding {
  const sentence = `${alias} has a policy but no pins: a change of what its tools say would not be noticed`;
  return { id: "not_pinned", level: "warning", about: alias, sentence, command: review(alias) };
}

/** By the file, or by what the daemon saw when it last connected. */
function drifted({ alias, pins }: ServerSpec, daemon: DaemonFacts | undefined): Finding | undefined {
  const parts = pins?.launch ?? [];
  const base = { id: "drifted", level: "error", about: alias, command: review(alias) } as const;
  if (parts.length > 0) {
    const named = parts.map((part) => `"${part}"`).join(", ");
    return {
      ...base,
      sentence: `${alias} is not started: ${named} in the configuration ${parts.length === 1 ? "is" : "are"} not as reviewed`,
    };
  }
  const server = daemon?.kind === "running" ? daemon.servers.find((one) => one.alias === alias) : undefined;
  const failure = server?.state.kind === "failed" ? server.state.failure : undefined;
  if (failure?.code !== "definition_drift" && failure?.code !== "policy_mismatch") return undefined;
  const { lines } = explainConnectFailure(alias, failure.code, failure.details);
  return { ...base, sentence: `${alias} publishes other tools than those that were reviewed`, details: lines };
}

function leftovers({ loaded, lock, lockFile }: ConfigurationFacts): readonly Finding[] {
  if (loaded.kind !== "ok" || lock.kind !== "ok") return [];
  const left = [...lock.lock.keys()].filter((alias) => !loaded.config.servers.has(alias));
  if (left.length === 0) return [];
  const sentence = `The lock file has pins of ${left.length === 1 ? "a server" : "servers"} that the configuration does not name: ${left.join(", ")}`;
  return [{ id: "lock_leftover", level: "warning", about: lockFile, sentence, command: editAt(lockFile) }];
}
