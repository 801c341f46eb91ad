// The configuration file: everything `toolpool check` says of it, who may write it, and whether the running daemon has the same.
import { dirname } from "node:path";
import type { ConfigIssue, ServerStatus } from "../../daemon/contract/index.ts";
import type { ConfigurationFacts, DaemonFacts, Facts, FileFacts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { editAt, shellWord } from "./shell-word.ts";

const RESTART = "toolpool down && toolpool up";

export function checkConfiguration(facts: Facts): readonly Finding[] {
  const configuration = seen(facts.configuration);
  if (configuration === undefined) return [];
  const daemon = seen(facts.daemon);
  return [
    ...whole(configuration),
    ...configuration.files.flatMap((file) => writers(file, configuration)),
    ...perServer(configuration),
    ...(daemon?.kind === "running" ? compared(configuration, daemon) : []),
  ];
}

function whole({ file, check, lock, lockFile, files }: ConfigurationFacts): readonly Finding[] {
  if (check.kind === "checked") {
    const count = check.servers.length;
    return [ok("config_file", file, `${file} names ${String(count)} ${count === 1 ? "server" : "servers"}`)];
  }
  const ofLock = lock.kind === "refused" ? lock.issues : [];
  const there = files.some(({ path }) => path === file);
  const remedy = ({ line }: ConfigIssue): string =>
    !there ? "toolpool init" : line === undefined ? "toolpool check" : editAt(file, line);
  const ofFile = check.issues.filter((issue) => issue.file !== lockFile);
  return [
    ...ofLock.map((issue) => refusedLock(lockFile, issue)),
    ...ofFile.map((issue) => refusedFile(file, issue, remedy(issue))),
  ];
}

function refusedLock(lockFile: string, issue: ConfigIssue): Finding {
  return {
    id: "lock_file",
    level: "error",
    about: lockFile,
    sentence: `The lock file refuses the whole configuration: ${issue.message}`,
    details: [placeOf(lockFile, issue)],
    command: editAt(lockFile, issue.line),
  };
}

function refusedFile(file: string, issue: ConfigIssue, command: string): Finding {
  return {
    id: "config_file",
    level: "error",
    about: file,
    sentence: `The configuration is refused as a whole: ${issue.message}`,
    details: [placeOf(file, issue)],
    command,
  };
}

function placeOf(file: string, { file: named = file, pointer, line, column }: ConfigIssue): string {
  const place = line === undefined ? named : `${named}:${String(line)}:${String(column ?? 1)}`;
  return pointer === "" ? place : `${place} ${pointer}`;
}

/** Whoever may write the file decides what is started as you; so does whoever may replace it in its folder. */
function writers({ path, kind, mode, uid }: FileFacts, { file }: ConfigurationFacts): readonly Finding[] {
  // In a sticky folder (/tmp) others may not replace what is not theirs.
  const sticky = kind === "folder" && (mode & 0o1000) !== 0;
  if ((mode & 0o002) === 0 || sticky)
    return path === file ? [ok("config_mode", path, "No stranger may write the configuration")] : [];
  const fixed = mode & 0o777 & ~0o002;
  return [
    {
      id: "config_mode",
      level: "error",
      about: path,
      sentence: `Everybody on this machine may write ${path}, and so decide what is started as you (uid ${String(uid)})`,
      command: `chmod o-w ${shellWord(path)}`,
      fix: { kind: "chmod", path, mode: fixed },
    },
  ];
}

function perServer(configuration: ConfigurationFacts): readonly Finding[] {
  const { check, unset, unsetPlaces } = configuration;
  if (check.kind === "refused") return [];
  return check.servers.flatMap(({ alias, issues, warnings }): readonly Finding[] => {
    const names = unset.get(alias) ?? [];
    const real = issues.filter((issue) => !isMissingPolicy(alias, issue) && !unsetPlaces.has(issue.pointer));
    return [
      ...names.map((name) => unsetVariable(alias, name)),
      ...real.map((issue) => serverIssue(configuration, alias, issue)),
      ...warnings
        // What differs from its pins is told by check-review.ts.
        .filter(({ pointer }) => pointer.startsWith(`/mcpServers/${alias}/tools/`))
        .map((issue) => ({
          id: "config_warning" as const,
          level: "warning" as const,
          about: alias,
          sentence: issue.message,
          details: [placeOf(configuration.file, issue)],
          command: editAt(configuration.file, issue.line),
        })),
    ];
  });
}

/** An unreviewed server is no fault of the file. */
const isMissingPolicy = (alias: string, { pointer }: ConfigIssue): boolean => pointer === `/mcpServers/${alias}/tools`;

function unsetVariable(alias: string, name: string): Finding {
  const sentence = `${alias} needs the variable ${name}, which is not set here`;
  return { id: "unset_variable", level: "error", about: alias, sentence, command: `export ${shellWord(name)}=… && ${RESTART}` };
}

function serverIssue({ file }: ConfigurationFacts, alias: string, issue: ConfigIssue): Finding {
  return {
    id: "config_server",
    level: "error",
    about: alias,
    sentence: `${alias} cannot be used: ${issue.message}`,
    details: [placeOf(file, issue)],
    // Only the pins are elsewhere, and they are written by a review.
    command: issue.file === undefined ? editAt(file, issue.line) : `toolpool review ${shellWord(alias)}`,
  };
}

function compared(configuration: ConfigurationFacts, daemon: Extract<DaemonFacts, { kind: "running" }>): readonly Finding[] {
  const { file, loaded, unset } = configuration;
  const theirs = daemon.discovery?.configFile;
  if (theirs !== undefined && theirs !== file) {
    const sentence = `The daemon runs with another configuration: ${theirs}`;
    const command = `export TOOLPOOL_CONFIG=${shellWord(theirs)}`;
    return [{ id: "config_other", level: "warning", about: file, sentence, command, details: [`here it would be ${file}`] }];
  }
  if (loaded.kind === "refused") return [];
  const findings: Finding[] = [];
  const known = new Map(daemon.servers.map((server) => [server.alias, server]));
  const missing = [...loaded.config.servers.keys()].filter((alias) => !known.has(alias));
  const gone = [...known.keys()].filter((alias) => !loaded.config.servers.has(alias));
  if (missing.length + gone.length > 0) {
    const parts = [
      ...(missing.length === 0 ? [] : [`it does not know ${missing.join(", ")}`]),
      ...(gone.length === 0 ? [] : [`it still has ${gone.join(", ")}`]),
    ];
    const sentence = `The daemon has not read the file as it is now: ${parts.join("; ")}`;
    findings.push({ id: "config_not_loaded", level: "warning", about: file, sentence, command: "toolpool reload" });
  }
  for (const [alias, server] of loaded.config.servers) {
    const status = known.get(alias);
    if (server.kind !== "valid" || status === undefined || !isInvalid(status)) continue;
    const variables = configuration.entries.get(alias)?.variables ?? [];
    const lacks = variables.length > 0 && (unset.get(alias) ?? []).length === 0;
    findings.push(
      lacks
        ? {
            id: "daemon_environment",
            level: "error",
            about: alias,
            sentence: `${alias} is sound here, but the daemon was started where ${variables.join(", ")} ${variables.length === 1 ? "was" : "were"} not set`,
            command: RESTART,
          }
        : {
            id: "config_not_loaded",
            level: "warning",
            about: alias,
            sentence: `${alias} was corrected, but the daemon has not read it`,
            command: "toolpool reload",
          },
    );
  }
  return findings.length > 0 ? findings : [ok("config_not_loaded", dirname(file), "The daemon has read the file as it is now")];
}

const isInvalid = ({ state }: ServerStatus): boolean => state.kind === "failed" && state.failure.code === "config_invalid";
