// Carries out the steps of a plan, one after the other, and stops at the first that fails: the ones behind it rest on it. The file
// is written whole or not at all, and only after the platform's own checker had nothing against it.
import { lstat, mkdir, mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import writeFileAtomic from "write-file-atomic";
import { Failure } from "../commands/failure.ts";
import type { Step } from "./plan.ts";
import type { RunProgram } from "./programs.ts";
import type { Supervisor, Verdict } from "./supervisor.ts";

const GONE_MS = 95_000;
const LOOK_MS = 100;

export interface Site {
  readonly supervisor: Supervisor;
  readonly run: RunProgram;
  readonly signal: AbortSignal;
}

/** What the checker said, where it was asked. Throws a Failure that names the step. */
export async function carryOut(steps: readonly Step[], site: Site): Promise<Verdict | undefined> {
  let verdict: Verdict | undefined;
  for (const step of steps) {
    site.signal.throwIfAborted();
    verdict = (await carry(step, site)) ?? verdict;
  }
  return verdict;
}

async function carry(step: Step, site: Site): Promise<Verdict | undefined> {
  const { supervisor, run } = site;
  switch (step.kind) {
    case "check":
      return check(step.text, site);
    case "write":
      await mkdir(dirname(supervisor.file), { recursive: true });
      await writeFileAtomic(supervisor.file, step.text, { mode: 0o644 });
      return undefined;
    case "run": {
      const ran = await run(step.program, step.args);
      if (step.mayFail !== true) refuseFailed([step.program, ...step.args].join(" "), ran);
      return undefined;
    }
    case "gone":
      await untilGone(site);
      return undefined;
    case "remove":
      await rm(supervisor.file, { force: true });
      return undefined;
    case "unlink":
      if (supervisor.link !== undefined) await removeLink(supervisor.link);
      return undefined;
  }
}

/** In a folder of its own and under its own name: the checkers look at both. */
async function check(text: string, { supervisor, run }: Site): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), "toolpool-"));
  try {
    const copy = join(folder, basename(supervisor.file));
    await writeFile(copy, text);
    const verdict = supervisor.verdict(await supervisor.check(run, copy, folder));
    if (verdict.kind === "invalid") {
      throw new Failure(1, `${supervisor.checker} refuses the file; nothing was written`, {
        reason: "file_invalid",
        next: "See the file: toolpool service install --print",
        lines: verdict.lines.map((line) => line.replaceAll(copy, basename(copy))),
      });
    }
    return verdict;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refuseFailed(command: string, ran: Awaited<ReturnType<RunProgram>>): void {
  if (ran.kind === "ended" && ran.code === 0) return;
  const lines = ran.kind === "missing" ? ["it is not on PATH"] : `${ran.stdout}\n${ran.stderr}`.split("\n");
  const unseen = lines.some((line) => /does not exist|not found/.test(line));
  throw new Failure(1, `${command} failed`, {
    reason: "command_failed",
    next: unseen
      ? "It may look elsewhere, as when XDG_CONFIG_HOME is set in this shell only: systemctl --user show --property=UnitPath"
      : "See how things are: toolpool service status",
    lines: lines.filter((line) => line.trim() !== ""),
  });
}

async function untilGone({ supervisor, run, signal }: Site): Promise<void> {
  for (const end = performance.now() + GONE_MS; performance.now() < end;) {
    const state = await supervisor.state(run);
    if (state.kind === "none" || !state.enabled) return;
    await pause(LOOK_MS, undefined, { signal });
  }
  throw new Failure(1, `The service is still stopping after ${String(GONE_MS / 1_000)} s`, {
    reason: "still_closing",
    next: "See what it waits for: toolpool logs",
  });
}

async function removeLink(link: string): Promise<void> {
  const facts = await lstat(link).catch(() => undefined);
  if (facts?.isSymbolicLink() === true) await unlink(link);
}
