// The demo as a person starts it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "vitest";
import { Checks, type Finding } from "../../client/demo/finding.ts";
import { finding3, finding4, finding6 } from "../../client/demo/findings-offer.ts";
import { finding7, finding9 } from "../../client/demo/findings-safety.ts";
import type { Evidence } from "../../client/demo/evidence.ts";
import { toolsOf } from "../../client/demo/names.ts";
import { processesMarked } from "../../client/demo/system.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const DEMO = join(import.meta.dirname, "../../dist/demo.js");

interface Started {
  readonly temp: string;
  readonly child: ReturnType<typeof spawn>;
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<number | null>;
}

function start(args: readonly string[], more: NodeJS.ProcessEnv = {}): Started {
  const temp = join(tempFolder(), "t");
  mkdirSync(temp);
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, OPENAI_MODEL: _model, OPENAI_API: _api, ...env } = process.env;
  const child = spawn(process.execPath, [DEMO, ...args], {
    env: { ...env, TMPDIR: temp, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (piece: Buffer) => (stdout += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { temp, child, ended, output: () => ({ stdout, stderr }) };
}

proves(
  "LEAD-22",
  "nine findings, each with its proof, as JSON on stdout; the timeline beside it; nothing left",
  async () => {
    const { temp, ended, output } = start(["--json"]);
    expect(await ended, output().stderr).toBe(0);
    const { findings } = JSON.parse(output().stdout) as { findings: readonly Finding[] };
    expect(findings.map(({ number, result }) => `${String(number)} ${result}`)).toEqual(
      Array.from({ length: 9 }, (_, at) => `${String(at + 1)} holds`),
    );
    for (const { proof } of findings) expect(proof.length).toBeGreaterThan(0);
    const timeline = output().stderr;
    expect(timeline).toMatch(/lead · request 1 → version \d+: connect_mcp, disconnect_mcp, and 8 built in/);
    expect(timeline).toMatch(/→ mcp__demo_beta__lookup \{"query":"needle"\} {2}\[r3c2, read, version \d+\]/);
    expect(timeline).toMatch(/registry · version \d+: connect demo_alpha#1, \+4 −0 tools/);
    expect(timeline).toContain("9 of 9 findings proved");
    expect(timeline).not.toContain("Warning");
    expect(readdirSync(temp)).toEqual([]);
  },
  60_000,
);

const interrupted = (times: number) => async (): Promise<void> => {
  const { temp, child, ended, output } = start(["--json"]);
  // The second one does not wait for the first to have cleaned up.
  let interrupts = 0;
  child.stderr?.on("data", () => {
    if (interrupts < times && output().stderr.includes("request 2 →")) child.kill(interrupts++ === 0 ? "SIGINT" : "SIGTERM");
  });
  expect(await ended).toBe(130);
  expect(output().stdout).toBe("");
  expect(readdirSync(temp)).toEqual([]);
  // What was ended the hard way a moment ago is given a few turns to be gone.
  const left = (): readonly unknown[] => processesMarked(`TOOLPOOL_DEMO_RUN=${temp}`);
  for (let turns = 0; turns < 1_000 && left().length > 0; turns++) await turn();
  expect(left()).toEqual([]);
};

proves("LEAD-22", "Ctrl-C in the middle ends it with 130 and leaves no process and no file", interrupted(1), 60_000);
proves("LEAD-22", "a second Ctrl-C ends it at once, and leaves nothing either", interrupted(2), 60_000);

proves("LEAD-22", "--live without its settings names all of them and starts nothing", async () => {
  const { temp, ended, output } = start(["--live"]);
  expect(await ended).toBe(2);
  for (const name of ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API"]) expect(output().stderr).toContain(name);
  expect(readdirSync(temp)).toEqual([]);
});

const nothing: Evidence = {
  live: false,
  passes: [
    { api: "x", events: [], seen: [], end: { kind: "done", text: "", requests: 0, usage: { inputTokens: 0, outputTokens: 0 } } },
  ],
  rows: [],
  connections: [],
  sessions: [],
  calls: [],
  idleDeath: undefined,
  afterwards: { processes: [], listening: [], stateFiles: ["daemon.log", "pool.db", "token"], files: [], looked: 3 },
};

proves("LEAD-22", "a finding is drawn from what happened: without evidence it is not observed, against it it fails", () => {
  for (const finding of [finding3, finding4, finding6, finding7]) expect(finding(nothing).result).toBe("not_observed");
  expect(finding9(nothing).result).toBe("holds");
  const { afterwards } = nothing;
  for (const left of [
    { processes: ["7 x"] },
    { listening: ["socket"] },
    { files: ["/x"] },
    { stateFiles: ["daemon.json", "token"] },
  ]) {
    expect(finding9({ ...nothing, afterwards: { ...afterwards, ...left } }).result).toBe("fails");
  }
  const row = {
    version: 2,
    at: "",
    cause: "connect",
    added: toolsOf("demo_alpha").slice(1),
    removed: [],
    changed: [],
    digest: "",
  };
  expect(finding3({ ...nothing, rows: [row] }).result).toBe("fails");
  const leak = {
    kind: "outcome",
    agent: "lead",
    request: 1,
    callId: "c",
    name: "n",
    ok: false,
    code: "x",
    text: "PRIVATE-alpha",
    durationMs: 1,
  } as const;
  const [pass] = nothing.passes;
  expect(pass && finding7({ ...nothing, passes: [{ ...pass, events: [leak] }] }).result).toBe("fails");
  const checks = new Checks();
  checks.check(true, "a", "b");
  checks.notObserved("c");
  expect(checks.finding(1, "t")).toEqual({
    number: 1,
    title: "t",
    result: "not_observed",
    proof: ["b"],
    missing: ["not observed: c"],
  });
});
