// Variables and paths: what a child is started with, and that nothing of it is told to anybody else.
import { expect } from "vitest";
import { checkConfig } from "../../config/check.ts";
import { parseConfig } from "../../config/parse.ts";
import { proves } from "../support/promise.ts";
import { faults, FILE, server, servers, spec } from "./support.ts";

const expanded = (text: string, env: Readonly<Record<string, string>> = {}): string | undefined =>
  spec({ args: [text] }, env).launch.args[0];

proves("CFG-8", "a variable, and a default where it is not set, expand in every field", () => {
  const env = { NAME: "node", DIR: "/srv", KEY: "k", EMPTY: "" };
  const { launch } = spec(
    { command: "${NAME}", args: ["--${KEY}=${KEY}", "${NONE:-d}"], env: { KEY: "${KEY}", D: "${NONE:-}" }, cwd: "${DIR}/x" },
    env,
  );
  expect(launch).toEqual({ command: "node", args: ["--k=k", "d"], env: { KEY: "k", D: "" }, cwd: "/srv/x" });
  expect(expanded("a${EMPTY}b${EMPTY:-c}", env)).toBe("ab");
  expect(expanded("${NONE:-a:-b $c}")).toBe("a:-b $c");
  expect(expanded("${ProgramFiles(x86)}", { "ProgramFiles(x86)": "C:/P" })).toBe("C:/P");
});

proves("CFG-8", "$VAR, %VAR%, ~ and lone signs stay as they are", () => {
  const text = "$HOME %HOME% ~ ~/x $ { } $$ $(x) }{ $ {HOME}";
  expect(expanded(text, { HOME: "/home/x" })).toBe(text);
});

proves("CFG-8", "what a variable holds is not expanded again", () => {
  const env = { A: "${B}", B: "${A}", C: "$", D: "{B}" };
  expect(expanded("${A} ${B} ${C}{B} ${C}${D}", env)).toBe("${B} ${A} ${B} ${B}");
});

proves("CFG-8", "a variable that is not set makes only that server invalid, naming each variable and its place", () => {
  const found = servers({
    alpha: { command: "${NO_COMMAND}", args: ["${NO_A} ${NO_B}"], env: { K: "${NO_ENV}" }, cwd: "${NO_CWD}", tools: {} },
    beta: { command: "node", tools: {} },
  });
  expect(found.get("beta")?.kind).toBe("valid");
  const alpha = found.get("alpha");
  expect(
    (alpha?.kind === "invalid" ? alpha.issues : []).map(({ pointer, message }) => `${pointer} ${message.slice(0, 30)}`),
  ).toEqual([
    "/mcpServers/alpha/command the variable NO_COMMAND is not",
    "/mcpServers/alpha/args/0 the variable NO_A is not set: ",
    "/mcpServers/alpha/args/0 the variable NO_B is not set: ",
    "/mcpServers/alpha/env/K the variable NO_ENV is not set",
    "/mcpServers/alpha/cwd the variable NO_CWD is not set",
  ]);
});

proves("CFG-8", "inherited members of the environment are not variables", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(faults({ args: [`\${${name}}`] })).toEqual([expect.stringContaining(`the variable ${name} is not set`)]);
  }
});

proves("CFG-8", "what opens like a variable and is none is told, never passed on", () => {
  expect(faults({ args: ["${OPEN"] })).toEqual([expect.stringContaining("not closed")]);
  expect(faults({ args: ["${}"] })).toEqual([expect.stringContaining("no name of a variable")]);
  expect(faults({ args: ["${input:token}"] })).toEqual([expect.stringContaining('"input:token" is no name of a variable')]);
  expect(faults({ args: ["${A:-${B}}"] }, { A: "a", B: "b" })).toEqual([expect.stringContaining("a default is plain text")]);
});

proves("CFG-10", "a command with a slash and a relative cwd start at the file's folder; a bare name stays a name", () => {
  const launch = (members: Readonly<Record<string, unknown>>) => spec(members, { BIN: "./tools" }).launch;
  expect(launch({ command: "./run" }).command).toBe("/etc/pool/run");
  expect(launch({ command: "bin/run", cwd: "/srv" }).command).toBe("/etc/pool/bin/run");
  expect(launch({ command: "../run" }).command).toBe("/etc/run");
  expect(launch({ command: "/bin/run" }).command).toBe("/bin/run");
  expect(launch({ command: "${BIN}/run" }).command).toBe("/etc/pool/tools/run");
  expect(launch({ command: "npx" }).command).toBe("npx");
  expect(launch({}).cwd).toBe("/etc/pool");
  expect(launch({ cwd: "." }).cwd).toBe("/etc/pool");
  expect(launch({ cwd: "work/x" }).cwd).toBe("/etc/pool/work/x");
  expect(launch({ cwd: "/srv" }).cwd).toBe("/srv");
});

proves("CFG-10", "arguments are passed as they are", () => {
  const args = ["./x", "a b", "", '"q"', "*.ts", "--x=./y", "\n", "%PATH%", "&& rm"];
  expect(spec({ args }).launch.args).toEqual(args);
});

proves("CFG-10", "a NUL character, which no program can be given, is a fault and not a failed start", () => {
  for (const members of [{ command: "a\0b" }, { args: ["a\0"] }, { env: { A: "\0" } }, { cwd: "a\0" }, { env: { "A\0": "x" } }]) {
    expect(faults(members)).toHaveLength(1);
  }
});

proves("CFG-14", "no canary is in any issue, check or listing, whatever else is wrong", () => {
  const env = { TOKEN: "canary-env", ALSO: "canary\0also" };
  const members = {
    args: ["--key=canary-argument", "${TOKEN}", "${TOKEN}${UNSET}", "${ALSO}", "${canary-open"],
    env: { A: "canary-value", B: "${TOKEN", C: 5, D: "${UNSET}canary-rest" },
    cwd: "${TOKEN}\0",
    url: "https://canary-user:canary-password@example.org",
    headers: { Authorization: "canary-header" },
    tools: { t: "red" },
  };
  const faulty = server(members, env);
  expect(faulty.kind).toBe("invalid");
  expect(JSON.stringify(faulty)).not.toContain("canary");
  const text = JSON.stringify({
    mcpServers: { alpha: { command: "node", ...members }, beta: { command: "${TOKEN}", tools: {} } },
  });
  expect(JSON.stringify(checkConfig(text, FILE, env))).not.toContain("canary");
  for (let cut = 0; cut < text.length; cut += 7) {
    const loaded = parseConfig(text.slice(0, cut), FILE, env);
    expect(loaded.kind).toBe("refused");
    expect(JSON.stringify(loaded)).not.toContain("canary");
  }
});
