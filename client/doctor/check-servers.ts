// Servers that do not start, by what the daemon knows: the reason, what was found, and the end of what the server wrote to stderr.
import { CONNECT_FAILURE_MESSAGES, type ConnectFailure, type ServerStatus } from "../../daemon/contract/index.ts";
import { explainConnectFailure } from "../output/connect-failure.ts";
import { localTime } from "../output/times.ts";
import type { ConfigurationFacts, Facts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { specsOf } from "./read-commands.ts";
import { redact, secretsOf } from "./redact.ts";
import { editAt, shellWord } from "./shell-word.ts";

const STDERR_LINES = 8;

export function checkServers(facts: Facts): readonly Finding[] {
  const daemon = seen(facts.daemon);
  if (daemon?.kind !== "running") return [];
  const configuration = seen(facts.configuration);
  const findings = daemon.servers.flatMap((server): readonly Finding[] => {
    const { state } = server;
    if (state.kind === "needs_auth") return [needsLogin(server)];
    const failure = state.kind === "failed" || state.kind === "pending" ? state.failure : undefined;
    // What the configuration or a review says of it has its own finding.
    if (failure === undefined || isElsewhere(failure)) return [];
    return [failed(server, failure, configuration)];
  });
  const elsewhere = daemon.servers.filter(({ state }) => state.kind === "failed").length;
  if (findings.length > 0 || daemon.servers.length === 0 || elsewhere > 0) return findings;
  const connected = daemon.servers.filter(({ state }) => state.kind === "connected").length;
  return [
    ok("server_failed", "servers", `No server has failed (${String(connected)} of ${String(daemon.servers.length)} connected)`),
  ];
}

const isElsewhere = ({ code }: ConnectFailure): boolean =>
  code === "config_invalid" || code === "definition_drift" || code === "policy_mismatch" || code === "disabled";

function needsLogin({ alias }: ServerStatus): Finding {
  const sentence = `${alias} needs a login`;
  return { id: "server_failed", level: "error", about: alias, sentence, command: `toolpool servers ${shellWord(alias)}` };
}

function failed(server: ServerStatus, failure: ConnectFailure, configuration: ConfigurationFacts | undefined): Finding {
  const { alias, stderrTail = "", lastFailure } = server;
  const { lines } = explainConnectFailure(alias, failure.code, failure.details);
  const spec = specsOf(configuration).find((one) => one.alias === alias);
  // Without its launch nobody knows which of the words are secrets.
  const words = spec === undefined ? "" : redact(stderrTail, secretsOf(spec));
  const said = words
    .trimEnd()
    .split("\n")
    .slice(-STDERR_LINES)
    .filter((line) => line.trim() !== "");
  const when = lastFailure === undefined ? "" : ` (${localTime(lastFailure.at)})`;
  return {
    id: "server_failed",
    level: "error",
    about: alias,
    sentence: `${alias} failed${when}: ${CONNECT_FAILURE_MESSAGES[failure.code]}`,
    details: [...lines, ...said.map((line) => `stderr: ${line}`)],
    command: commandFor(alias, failure, configuration),
  };
}

function commandFor(alias: string, { code }: ConnectFailure, configuration: ConfigurationFacts | undefined): string {
  const again = `toolpool restart ${shellWord(alias)}`;
  const edited = ["spawn_failed", "schema_rejected", "name_rejected", "name_collision"].includes(code);
  if (!edited || configuration === undefined) return again;
  const member = code === "spawn_failed" ? "command" : "tools";
  const line = configuration.lines.get(`${alias}/${member}`) ?? configuration.lines.get(alias);
  return `${editAt(configuration.file, line)} && toolpool reload && ${again}`;
}
