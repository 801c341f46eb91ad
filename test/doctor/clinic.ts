// A workstation of its own for the doctor: home, configuration and state in a temporary folder, the real program, the real daemon.
// `has` and `lacks` are what the tests say of a finding; test/doctor/coverage.test.ts looks whether each id is in both.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import type { FindingId, Level } from "../../client/doctor/finding.ts";
import { Workplace, type Ended } from "../commands/toolpool.ts";
import { alive } from "../support/pool.ts";

export interface Shown {
  readonly id: FindingId;
  readonly level: Level;
  readonly about: string;
  readonly sentence: string;
  readonly details?: readonly string[];
  readonly command?: string;
  readonly fixable: boolean;
}

export interface Answer {
  readonly code: number | null;
  readonly ok: boolean;
  readonly findings: readonly Shown[];
  readonly fixed: readonly { readonly id: string; readonly about: string; readonly kind: string; readonly what?: string }[];
  readonly started: readonly string[];
}

export class Clinic extends Workplace {
  readonly home: string;

  constructor(servers: Readonly<Record<string, unknown>> = {}, env: NodeJS.ProcessEnv = {}) {
    // The environment is needed before there is a folder: `run` adds what depends on it.
    super(servers, env);
    this.home = join(this.folder, "home");
    mkdirSync(this.home);
  }

  get surroundings(): Record<string, string> {
    const config = join(this.home, ".config");
    const data = join(this.home, ".local/share");
    return {
      HOME: this.home,
      XDG_CONFIG_HOME: config,
      XDG_DATA_HOME: data,
      XDG_STATE_HOME: "",
      XDG_RUNTIME_DIR: "",
      CLAUDE_CONFIG_DIR: "",
      CODEX_HOME: "",
    };
  }

  run(words: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = this.folder): Promise<Ended> {
    return this.toolpool(["doctor", ...words], { env: { ...this.surroundings, ...env }, cwd });
  }

  async look(words: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { code, stdout, stderr } = await this.run([...words, "--json"], env);
    expect(stderr).toBe("");
    const answer = JSON.parse(stdout) as Omit<Answer, "code">;
    for (const { level, sentence, command } of answer.findings) {
      expect(sentence).not.toBe("");
      if (level !== "ok") expect(command ?? "", sentence).not.toBe("");
    }
    expect([code, answer.ok]).toEqual(answer.findings.some(({ level }) => level === "error") ? [1, false] : [0, true]);
    return { code, ...answer };
  }

  /** The text of the configuration file, whatever it is. */
  write(text: string): void {
    writeFileSync(this.configFile, text);
  }
}

const clinics: Clinic[] = [];
const processes: ChildProcess[] = [];

export function clinic(...given: ConstructorParameters<typeof Clinic>): Clinic {
  const place = new Clinic(...given);
  clinics.push(place);
  return place;
}

/** A process of somebody else. */
export function outsider(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], env });
  processes.push(child);
  return child;
}

export async function killed(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  while (alive(pid)) await new Promise((resolve) => setImmediate(resolve));
}

afterEach(async () => {
  for (const child of processes.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  for (const place of clinics.splice(0)) await place.close();
});

interface Wanted {
  readonly about?: string | RegExp;
  readonly level?: Level;
  readonly sentence?: RegExp;
  readonly command?: string | RegExp;
  readonly fixable?: boolean;
}

type Some = Pick<Shown, "id" | "level" | "about" | "sentence" | "command" | "details">;

const fits = (text: string | undefined, wanted: string | RegExp | undefined): boolean =>
  wanted === undefined || (typeof wanted === "string" ? text === wanted : wanted.test(text ?? ""));

/** There is one, and it is as wanted. */
export function has<T extends Some>(findings: readonly T[], id: FindingId, wanted: Wanted = {}): T {
  const found = findings.filter(
    (one) => one.id === id && one.level !== "ok" && fits(one.about, wanted.about) && fits(one.sentence, wanted.sentence),
  );
  expect(found, `${id} ${String(wanted.about ?? "")} in ${JSON.stringify(findings, null, 1)}`).not.toEqual([]);
  const [one] = found;
  if (one === undefined) throw new Error("unreachable");
  if (wanted.level !== undefined) expect(one.level).toBe(wanted.level);
  if (wanted.command !== undefined) expect(one.command).toMatch(wanted.command);
  if (wanted.fixable !== undefined && "fixable" in one) expect(one.fixable).toBe(wanted.fixable);
  return one;
}

/** Nothing of that kind is wrong. */
export function lacks(findings: readonly Some[], id: FindingId, about?: string): void {
  const found = findings.filter((one) => one.id === id && one.level !== "ok" && (about === undefined || one.about === about));
  expect(found).toEqual([]);
}
