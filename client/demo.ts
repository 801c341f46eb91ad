// `npm run demo`: the first thing a person sees of Toolpool, and a test of it. Needs no key and no network; with --live it does
// the same with the model of the OPENAI_* settings. Exit code 0 only if every finding was proved.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { asFailure } from "./commands/failure.ts";
import { Interrupts } from "./commands/interrupts.ts";
import { runDemo } from "./demo/demo-run.ts";
import type { Finding } from "./demo/finding.ts";
import { Show } from "./demo/show.ts";
import { readModelSettings, type ModelSettings } from "./models/settings.ts";
import { Screen } from "./output/screen.ts";

const USAGE = "Usage: npm run demo [-- [--live] [--json]]";
const { stdout, stderr, env } = process;

async function main(): Promise<number> {
  const { live: wantsLive, json } = readOptions();
  const show = new Show(new Screen({ stdout, stderr, env, json }));
  const live = wantsLive ? liveSettings() : undefined;
  if (live === "incomplete") return 2;
  const interrupts = new Interrupts(() => process.exit(130));
  const { signal } = interrupts;
  try {
    const begun = performance.now();
    const programs = { daemon: join(import.meta.dirname, "daemon.js"), demoServer: join(import.meta.dirname, "servers/demo.js") };
    const findings = await runDemo({ programs, live, env, signal, show });
    show.findings(findings);
    const proved = findings.filter(({ result }) => result === "holds").length;
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    show.line(`\n${String(proved)} of ${String(findings.length)} findings proved in ${seconds} s`);
    return exitCode(findings, live !== undefined);
  } catch (error) {
    if (signal.aborted) return 130;
    const { message, lines, next } = asFailure(error);
    stderr.write(`${[message, ...lines, ...(next === undefined ? [] : [next])].join("\n")}\n`);
    return 1;
  } finally {
    interrupts.release();
  }
}

/** A real model may not do what it was asked to: that proves nothing, and refutes nothing. */
function exitCode(findings: readonly Finding[], live: boolean): number {
  return findings.some(({ result }) => result === "fails" || (result === "not_observed" && !live)) ? 1 : 0;
}

function readOptions(): { readonly live: boolean; readonly json: boolean } {
  try {
    const { values } = parseArgs({ options: { live: { type: "boolean" }, json: { type: "boolean" } } });
    return { live: values.live === true, json: values.json === true };
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exit(2);
  }
}

function liveSettings(): ModelSettings | "incomplete" {
  const reading = readModelSettings(env, process.cwd());
  if (reading.kind === "complete") return reading.settings;
  stderr.write(`${["The model's settings are not complete:", ...reading.problems].join("\n")}\n`);
  return "incomplete";
}

process.exitCode = await main();
