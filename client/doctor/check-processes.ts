// Servers of the configuration that run without the pool: left by a daemon that died, or started once more by another program.
// Nothing is ended here: a command line is no identity. No command line is shown, as it may hold secrets.
import { basename } from "node:path";
import type { Facts, ProcessFacts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { specsOf } from "./read-commands.ts";
import { isCopyOf } from "./same-server.ts";

export function checkProcesses(facts: Facts): readonly Finding[] {
  const processes = seen(facts.processes);
  const specs = specsOf(seen(facts.configuration));
  if (processes === undefined || processes.length === 0 || specs.length === 0) return [];
  const table = new Map(processes.map((one) => [one.pid, one]));
  const running = seen(facts.daemon)?.kind === "running";
  const taken = new Set<number>();
  const findings = specs.flatMap(({ alias, launch }): readonly Finding[] => {
    const copies = processes.filter((one) => !taken.has(one.pid) && isCopyOf(launch, one) && !isOwned(one, table, facts.pid));
    for (const { pid } of copies) taken.add(pid);
    // A wrapper and what it started are one copy.
    const pids = new Set(copies.map(({ pid }) => pid));
    const tops = copies.filter((one) => !ancestors(one, table).some(({ pid }) => pids.has(pid)));
    const orphans = tops.filter((one) => one.group === one.pid && isAdopted(one, table));
    const others = tops.filter((one) => !orphans.includes(one));
    return [
      ...(orphans.length === 0 ? [] : [orphaned(alias, orphans, processes, running)]),
      ...(others.length === 0 ? [] : [copied(alias, others, processes, table)]),
    ];
  });
  return findings.length > 0 ? findings : [ok("running_copy", "servers", "No server of the configuration runs outside the pool")];
}

function orphaned(alias: string, left: readonly ProcessFacts[], all: readonly ProcessFacts[], running: boolean): Finding {
  const sentence = `${alias} may have been left by an earlier daemon: ${told(left, all)}`;
  // A start ends those that its own records prove. What is left beside a running daemon is for the person to judge.
  const command = running ? `kill ${left.map(({ pid }) => `-- -${String(pid)}`).join(" ")}` : "toolpool up";
  return { id: "orphan_process", level: "warning", about: alias, sentence, command };
}

function copied(
  alias: string,
  copies: readonly ProcessFacts[],
  all: readonly ProcessFacts[],
  table: ReadonlyMap<number, ProcessFacts>,
): Finding {
  const starters = new Set(copies.map((one) => starterOf(one, table)));
  const sentence = `${alias} runs outside the pool as well: ${told(copies, all)}, started by ${[...starters].join(", ")}`;
  const command = `ps -fp ${copies.map(({ pid }) => String(pid)).join(",")}`;
  return { id: "running_copy", level: "warning", about: alias, sentence, command };
}

function told(some: readonly ProcessFacts[], all: readonly ProcessFacts[]): string {
  const pids = some.map(({ pid }) => String(pid));
  const bytes = some.reduce((sum, one) => sum + treeBytes(one, all), 0);
  return `pid ${pids.join(", ")} (${String(Math.round(bytes / 1024 / 1024))} MiB)`;
}

function treeBytes(top: ProcessFacts, all: readonly ProcessFacts[]): number {
  const below = all.filter(({ parent, pid }) => parent === top.pid && pid !== top.pid);
  return below.reduce((sum, one) => sum + treeBytes(one, all), top.bytes);
}

/** Ours, or a child of a daemon: this pool's or another's. */
function isOwned(one: ProcessFacts, table: ReadonlyMap<number, ProcessFacts>, self: number): boolean {
  return [one, ...ancestors(one, table)].some(({ pid, daemon }) => pid === self || daemon !== undefined);
}

function ancestors(one: ProcessFacts, table: ReadonlyMap<number, ProcessFacts>): readonly ProcessFacts[] {
  const found: ProcessFacts[] = [];
  for (let at = table.get(one.parent); at !== undefined && !found.includes(at); at = table.get(at.parent)) found.push(at);
  return found;
}

const REAPERS = /^(?:\S*\/)?(?:systemd|init|launchd|tini|dumb-init|docker-init)(?: |$)/;

/** Its own parent is gone. */
function isAdopted({ parent }: ProcessFacts, table: ReadonlyMap<number, ProcessFacts>): boolean {
  return parent === 1 || REAPERS.test(table.get(parent)?.line ?? "");
}

/** The program behind the shells and runners in between. */
function starterOf(one: ProcessFacts, table: ReadonlyMap<number, ProcessFacts>): string {
  const [first, ...rest] = ancestors(one, table).map((each) => ({ pid: each.pid, name: nameOf(each.line) }));
  const real = [...(first === undefined ? [] : [first]), ...rest].find(
    ({ name }) => !/^(sh|bash|dash|zsh|npm|npx|env)$/.test(name),
  );
  return real === undefined ? "a program that cannot be seen" : `${real.name} (pid ${String(real.pid)})`;
}

function nameOf(line: string): string {
  const [program = "", file = ""] = line.split(" ");
  const name = basename(program);
  return /^(node|bun|deno|python[\d.]*)$/.test(name) && file !== "" && !file.startsWith("-") ? basename(file) : name;
}
