// A program of its own around the list, under a real pseudo-terminal: rows from a file, the result as the last line.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Choice, Row } from "../../client/review/types.ts";
import { tempFolder } from "../support/temp.ts";
import { TestTerminal, type TerminalOptions } from "../support/terminal.ts";

const ROOT = join(import.meta.dirname, "../..");

const SOURCE = `
  import { readFileSync, writeFileSync } from "node:fs";
  import { coloursFor } from ${JSON.stringify(join(ROOT, "client/output/colours.ts"))};
  import { chooseEffects } from ${JSON.stringify(join(ROOT, "client/review/effect-list.ts"))};
  const { stdin: input, stderr: output, env } = process;
  const stop = new AbortController();
  writeFileSync(process.argv[2] + ".pid", String(process.pid));
  process.on("SIGTERM", () => stop.abort(new Error("stopped")));
  const rows = JSON.parse(readFileSync(process.argv[2], "utf8"));
  const onInterrupt = () => console.log("interrupted");
  const options = { input, output, signal: stop.signal, colours: coloursFor(output, env), title: "What may each tool do?", onInterrupt };
  const result = await chooseEffects(rows, options).catch((error) => ({ error: error.message }));
  const said = result instanceof Map ? Object.fromEntries(result) : (result ?? "left");
  console.log("raw mode " + input.isRaw);
  console.log("RESULT " + JSON.stringify(said));
`;

/** The program's file, bundled whole. */
export async function listProgram(): Promise<string> {
  const file = join(tempFolder(), "list.mjs");
  await build({
    stdin: { contents: SOURCE, loader: "ts", resolveDir: ROOT },
    ...{ outfile: file, bundle: true, platform: "node", format: "esm", logLevel: "warning", mainFields: ["module", "main"] },
    banner: { js: 'import { createRequire as __r } from "node:module"; const require = __r(import.meta.url);' },
  });
  return file;
}

export interface ListTerminal {
  readonly terminal: TestTerminal;
  /** Of the program itself. */
  readonly pid: number;
}

/** Opened once the list stands there. */
export async function openTerminal(program: string, rows: readonly Row[], options: TerminalOptions = {}): Promise<ListTerminal> {
  const file = join(tempFolder(), "rows.json");
  writeFileSync(file, JSON.stringify(rows));
  const env = { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...options.env };
  const terminal = new TestTerminal([process.execPath, program, file], { ...options, env });
  await terminal.until(/Enter done/);
  return { terminal, pid: Number(readFileSync(`${file}.pid`, "utf8")) };
}

export const F = Object.freeze({
  left: "\u001b[D",
  right: "\u001b[C",
  pageUp: "\u001b[5~",
  pageDown: "\u001b[6~",
  home: "\u001b[H",
  end: "\u001b[F",
  tab: "\t",
  ctrlD: "\u0004",
  ctrlZ: "\u001a",
});

/** What it came to, when it has ended. */
export async function resultOf(terminal: TestTerminal): Promise<unknown> {
  await terminal.ended;
  const [, json = "null"] = /RESULT (.*)/s.exec(terminal.text.replaceAll("\n", "")) ?? [];
  return JSON.parse(json) as Record<string, Choice> | string;
}
