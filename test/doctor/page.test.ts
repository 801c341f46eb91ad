// What a person sees and a program gets, secrets everywhere, and everything broken at once.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { Screen } from "../../client/output/screen.ts";
import { report } from "../../client/doctor/report.ts";
import { TOOLPOOL } from "../commands/toolpool.ts";
import { proves } from "../support/promise.ts";
import { TestTerminal } from "../support/terminal.ts";
import { clinic, has } from "./clinic.ts";

proves(
  "DOC-1",
  "on a terminal: groups, a symbol and its colour, the command below, a summary; NO_COLOR takes the colours",
  async () => {
    const place = clinic({ fresh: { command: "true" } });
    // Node.js itself warns of both together.
    const { NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
    const env = { ...inherited, ...place.surroundings, TOOLPOOL_STATE: place.state, TOOLPOOL_CONFIG: place.configFile };
    const shown = async (more: NodeJS.ProcessEnv): Promise<{ text: string; raw: string; code: number | null }> => {
      const terminal = new TestTerminal([process.execPath, TOOLPOOL, "doctor"], { env: { ...env, ...more }, cwd: place.folder });
      const code = await terminal.ended;
      const { text, raw } = terminal;
      await terminal.close();
      return { text, raw, code };
    };
    const coloured = await shown({});
    expect(coloured.code).toBe(0);
    expect(coloured.text).toMatch(
      /^Program\n {2}✓ Node\.js [^]*\nServers\n {2}! Nobody has reviewed fresh[^]*\n {6}toolpool review fresh\n/,
    );
    expect(coloured.text).toMatch(/\n\n\d+ warnings?$/);
    expect(coloured.text).not.toContain("Looking…");
    expect(coloured.raw).toMatch(/\u001b\[33m!\u001b\[39m/);
    const plain = await shown({ NO_COLOR: "1" });
    expect(plain.raw).not.toMatch(/\u001b\[3\dm/);
    expect(plain.text).toContain("! Nobody has reviewed fresh");
  },
);

proves("DOC-1", "words of servers and files are made visible, and with nothing wrong that is said", () => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  const screen = new Screen({ stdout: stream, stderr: stream, env: {}, json: false });
  report(
    screen,
    [{ id: "server_failed", level: "error", about: "a", sentence: "a \u001b[2J", details: ["stderr: \u0007"], command: "x\ny" }],
    false,
  );
  expect(written.join("")).toBe("Servers\n  ✗ a \\u001b[2J\n      stderr: \\u0007\n      x\\ny\n\n1 error\n");
  written.length = 0;
  report(screen, [{ id: "token", level: "ok", about: "t", sentence: "The token is sound" }], false);
  expect(written.join("")).toBe("State\n  ✓ The token is sound\n\nNothing is wrong\n");
});

proves("DOC-1", "--fix says each thing it did, or that there is nothing to do; help and JSON as everywhere", async () => {
  const place = clinic();
  mkdirSync(place.state, { mode: 0o755 });
  expect((await place.run([])).stdout).toMatch(/can be mended by: toolpool doctor --fix\n$/);
  const { stdout } = await place.run(["--fix"]);
  expect(stdout).toMatch(new RegExp(`^Done: set the mode of ${place.state} to 0700\n\nProgram\n`));
  expect((await place.run(["--fix"])).stdout).toMatch(/^There is nothing that is safe to mend here\n\nProgram/);
  expect((await place.run(["--help"])).stdout).toContain("--fix");
  expect((await place.run(["--what"])).code).toBe(2);
});

const CANARIES = ["argument", "environment", "variable", "stderr", "path", "folder", "broken"].map(
  (where) => `lefT${where}9f3a/righT77b1`,
);
const [argument, environment, variable, stderr, path, folder, broken] = CANARIES as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

proves(
  "DOC-13",
  "canaries in every field, in what servers write, in a file that does not parse: no output holds a part of one",
  async () => {
    const place = clinic({
      fails: {
        command: process.execPath,
        args: [
          "-e",
          "console.error(process.env.CANARY, process.env.FROM, process.argv[1]); process.exit(1)",
          "${DOCTOR_ARGUMENT}",
        ],
        env: { CANARY: environment, FROM: "${DOCTOR_VARIABLE}", ENCODED: stderr },
        tools: {},
      },
      lost: { command: "${DOCTOR_ARGUMENT}", env: { PATH: `/nowhere/${path}` }, tools: {} },
      away: { command: "true", cwd: "${DOCTOR_FOLDER}", tools: {} },
      wrong: { command: "true", args: [5], env: { A: environment }, comand: broken, tools: {} },
      // Not reviewed: it is looked at, never started.
      runs: { command: "npx", args: ["-y", "${DOCTOR_ARGUMENT}"] },
    });
    const env = { DOCTOR_ARGUMENT: argument, DOCTOR_VARIABLE: variable, DOCTOR_FOLDER: `/nowhere/${folder}` };
    expect((await place.toolpool(["up", "--port", "0"], { env })).code).toBe(0);
    const texts: string[] = [];
    const look = async (): Promise<void> => {
      for (const words of [[], ["--json"], ["--fix"], ["--start", "--json"]]) {
        const { stdout, stderr: said } = await place.run(words, env);
        texts.push(stdout, said);
      }
    };
    await look();
    has((await place.look([], env)).findings, "server_failed", { about: "fails" });
    place.write(`{"mcpServers": {"x": {"command": "${broken}", "y": ${broken}`);
    await look();
    const all = texts.join("\n");
    expect(all.length).toBeGreaterThan(5_000);
    for (const part of CANARIES.flatMap((canary) => canary.split("/"))) expect(all).not.toContain(part);
    for (const canary of CANARIES) expect(all).not.toContain(Buffer.from(canary).toString("base64").slice(4, -4));
  },
);

proves(
  "DOC-15",
  "state a file, configuration in UTF-16, lock file broken, home unreadable: all of it is said, in one run",
  async () => {
    const place = clinic();
    writeFileSync(place.state, "");
    writeFileSync(place.configFile, Buffer.from("\ufeff{}", "utf16le"));
    writeFileSync(join(place.folder, "toolpool.lock.json"), "[");
    const { findings, code } = await place.look(["--fix", "--start"], { HOME: join(place.folder, "nowhere") });
    expect(code).toBe(1);
    has(findings, "state_folder", { sentence: /is in the way/ });
    has(findings, "daemon_absent");
    has(findings, "config_file", { sentence: /UTF-16/ });
    has(findings, "lock_file", { level: "error" });
    expect(readFileSync(place.state, "utf8")).toBe("");
  },
);
