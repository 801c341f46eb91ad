// The daemon that answers here, and other daemons of this user. Nothing is ended: whose they are, the person knows.
import semver from "semver";
import { CONTRACT_VERSION } from "../../daemon/contract/index.ts";
import { PROGRAM } from "../../config/program.ts";
import type { DaemonFacts, Facts, ProcessFacts, StateFacts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { shellWord } from "./shell-word.ts";

const RESTART = "toolpool down && toolpool up";

export function checkDaemon(facts: Facts): readonly Finding[] {
  const daemon = seen(facts.daemon);
  const state = seen(facts.state);
  const processes = seen(facts.processes) ?? [];
  return [
    ...(daemon === undefined ? [] : answers(daemon, state)),
    ...(daemon === undefined || state === undefined ? [] : others(daemon, state, processes)),
  ];
}

function answers(daemon: DaemonFacts, state: StateFacts | undefined): readonly Finding[] {
  const about = "daemon";
  switch (daemon.kind) {
    case "absent": {
      const { lock } = state ?? {};
      if (lock?.kind === "held") {
        const sentence = `A process (pid ${String(lock.pid)}) holds the journal, but no daemon answers: it starts, closes or hangs`;
        return [{ id: "daemon_silent", level: "error", about, sentence, command: "toolpool logs" }];
      }
      const command = "toolpool up";
      return [{ id: "daemon_absent", level: "warning", about, sentence: "No daemon is running", command }];
    }
    case "silent": {
      const sentence = "Something answers on the socket, but not as a daemon does";
      const command = state === undefined ? "toolpool logs" : `fuser -v ${shellWord(state.socketPath)}`;
      return [{ id: "daemon_silent", level: "error", about, sentence, command, details: [daemon.message] }];
    }
    case "foreign":
      return [
        {
          id: "daemon_silent",
          level: "error",
          about,
          sentence: daemon.message,
          command: 'export TOOLPOOL_STATE="$HOME/.toolpool"',
        },
      ];
    case "mismatch": {
      const { discovery } = daemon;
      const theirs =
        discovery === undefined
          ? "another one"
          : `${String(discovery.contractVersion)} (pid ${String(discovery.pid)}, version ${discovery.version})`;
      const sentence = `This toolpool (version ${PROGRAM.version}) speaks contract ${String(CONTRACT_VERSION)}, the daemon ${theirs}`;
      return [{ id: "daemon_contract", level: "error", about, sentence, command: RESTART }];
    }
    case "running":
      return [...version(daemon), ...replaced(daemon)];
  }
}

function version({ hello }: Extract<DaemonFacts, { kind: "running" }>): readonly Finding[] {
  const { program, pid } = hello;
  const about = "daemon";
  if (program.version === PROGRAM.version) {
    return [ok("daemon_version", about, `The daemon runs (pid ${String(pid)}, version ${program.version})`)];
  }
  const known = semver.valid(program.version) !== null;
  const how = !known ? "of another version" : semver.lt(program.version, PROGRAM.version) ? "older" : "newer";
  const sentence = `The daemon (pid ${String(pid)}, version ${program.version}) is ${how} than this toolpool (version ${PROGRAM.version})`;
  return [{ id: "daemon_version", level: "warning", about, sentence, command: RESTART }];
}

function replaced(daemon: Extract<DaemonFacts, { kind: "running" }>): readonly Finding[] {
  if (!daemon.replaced) return [];
  const sentence = "The Node.js that the daemon runs on was removed or replaced since it started";
  return [{ id: "daemon_replaced", level: "warning", about: "daemon", sentence, command: RESTART }];
}

/** Of the daemon that this state folder belongs to, whether it answers or not. */
function ownPid(daemon: DaemonFacts, { lock }: StateFacts): number | undefined {
  if (daemon.kind === "running") return daemon.hello.pid;
  if (lock.kind === "held") return lock.pid;
  return daemon.kind === "mismatch" ? daemon.discovery?.pid : undefined;
}

function others(daemon: DaemonFacts, state: StateFacts, processes: readonly ProcessFacts[]): readonly Finding[] {
  const mine = ownPid(daemon, state);
  const found = processes.filter((one) => one.daemon !== undefined && one.pid !== mine);
  if (found.length === 0) return [ok("several_daemons", "daemon", "No other daemon of yours is running")];
  return found.map(({ pid, daemon: { stateFolder, stateThere } = { stateFolder: undefined, stateThere: false } }) => {
    const about = `pid ${String(pid)}`;
    if (stateFolder !== undefined && stateThere && stateFolder !== state.folder) {
      const sentence = `Another daemon of yours runs (pid ${String(pid)}) with the state folder ${stateFolder}`;
      const command = `TOOLPOOL_STATE=${shellWord(stateFolder)} toolpool down`;
      return { id: "several_daemons", level: "warning", about, sentence, command };
    }
    const where =
      stateFolder === undefined
        ? "whose state folder the system does not tell"
        : stateThere
          ? "that works in this state folder but is not the one that answers"
          : `whose state folder is gone (${stateFolder})`;
    const sentence = `Another daemon of yours runs (pid ${String(pid)}), ${where}`;
    return { id: "several_daemons", level: "warning", about, sentence, command: `kill ${String(pid)}` };
  });
}
