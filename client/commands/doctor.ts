// `toolpool doctor`: looks at the whole workstation and says what is wrong, each thing with the command that mends it. Starts
// nothing, unless it is told to with --start, and then only what is reviewed; changes nothing, unless it is told to with --fix, and
// then only what is safe. Exit code 1 when there is an error; warnings are none.
import { runChecks } from "../doctor/checks.ts";
import type { Finding } from "../doctor/finding.ts";
import { gather } from "../doctor/gather.ts";
import { mend, type Mended } from "../doctor/mend.ts";
import { report } from "../doctor/report.ts";
import { tryServers } from "../doctor/try-servers.ts";
import { visible } from "../output/visible.ts";
import type { Run } from "./surroundings.ts";

export interface DoctorOptions {
  readonly fix?: boolean;
  readonly start?: boolean;
}

interface Act {
  readonly finding: Finding;
  readonly mended: Mended;
}

export async function doctor(run: Run, { fix = false, start = false }: DoctorOptions): Promise<number> {
  run.screen.moving("Looking…");
  const look = async (): Promise<readonly Finding[]> => runChecks(await gather(run), run.env, Date.now());
  let findings = await look();
  const acts = fix ? await mendAll(run, findings) : [];
  if (acts.length > 0) findings = await look();
  const started = start ? await tryServers(run, await gather(run)) : [];
  if (started.length > 0) findings = await look();
  run.screen.settle();
  tell(run, findings, { acts, fix, started });
  return findings.some(({ level }) => level === "error") ? 1 : 0;
}

async function mendAll({ uid, signal }: Run, findings: readonly Finding[]): Promise<readonly Act[]> {
  const acts: Act[] = [];
  for (const finding of findings) {
    if (finding.fix === undefined) continue;
    signal.throwIfAborted();
    acts.push({ finding, mended: await mend(finding.fix, uid) });
  }
  return acts;
}

interface Told {
  readonly acts: readonly Act[];
  readonly fix: boolean;
  readonly started: readonly string[];
}

function tell({ screen }: Run, findings: readonly Finding[], { acts, fix, started }: Told): void {
  if (screen.json) {
    screen.value({
      ok: findings.every(({ level }) => level !== "error"),
      findings: findings.map(({ fix: act, ...finding }) => ({ ...finding, fixable: act !== undefined })),
      fixed: acts.map(({ finding: { id, about }, mended }) => ({ id, about, ...mended })),
      started,
    });
    return;
  }
  for (const { finding, mended } of acts) {
    const { green, yellow } = screen.colours;
    if (mended.kind === "done") screen.line(green(`Done: ${visible(mended.what)}`));
    else screen.line(yellow(`Left alone: ${visible(finding.about)}: ${mended.why}`));
  }
  if (acts.length > 0) screen.line();
  else if (fix) screen.line("There is nothing that is safe to mend here\n");
  report(screen, findings, fix);
}
