// The documents themselves: what they name exists. Commands and options are looked up in the program's own definition, links on
// the disk, and a configuration in a block marked ```json config is read by the parser that reads the user's.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect } from "vitest";
import { Interrupts } from "../client/commands/interrupts.ts";
import { buildProgram } from "../client/commands/program.ts";
import { parseConfig } from "../config/parse.ts";
import { proves } from "./support/promise.ts";

const ROOT = join(import.meta.dirname, "..");

interface Doc {
  readonly name: string;
  readonly text: string;
}

const read = (path: string): Doc => ({ name: relative(ROOT, path), text: readFileSync(path, "utf8") });
const below = (folder: string, ending: string): Doc[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => read(join(ROOT, folder, name)));

const docs = [read(join(ROOT, "README.md")), ...below("docs", ".md")];

interface Block {
  readonly info: string;
  readonly text: string;
}

/** Fenced blocks, also indented ones. */
const blocksOf = ({ text }: Doc): Block[] =>
  [...text.matchAll(/^( *)```([^\n`]*)\n([\s\S]*?)^\1```$/gm)].map(([, , info = "", body = ""]) => ({
    info: info.trim(),
    text: body,
  }));

/** Code: the lines of fenced blocks, a line that goes on with `\` in one piece, and what stands between backticks. */
function codeOf(doc: Doc): string[] {
  const lines = blocksOf(doc).flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, "").split("\n"));
  const prose = doc.text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "");
  return [...lines, ...[...prose.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)];
}

/** `toolpool <command> <words>`, up to the end of that command. */
const usesIn = (code: string): { command: string; options: string[] }[] =>
  [...code.matchAll(/(?<![\w./:-])toolpool (?!toolpool\b)([a-z]+)\b([^|;&#)]*)/g)].map(([, command = "", words = ""]) => ({
    command,
    options: [...words.replaceAll(/'[^']*'|"[^"]*"/g, "").matchAll(/(?<=\s)--[a-z-]+/g)].map(([option]) => option),
  }));

function knownCommands(): ReadonlyMap<string, ReadonlySet<string>> {
  const interrupts = new Interrupts(() => undefined);
  interrupts.release();
  const begin = (): never => {
    throw new Error("nothing is run here");
  };
  const { commands } = buildProgram({ begin, interrupts, finish: () => undefined });
  return new Map(commands.map((one) => [one.name(), new Set(["--help", ...one.options.map(({ long }) => long ?? "")])]));
}

/** As a link names a heading. */
const anchorsOf = ({ text }: Doc): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

proves("REAL-7", "every command and option of toolpool that a document names is one", () => {
  const known = knownCommands();
  const uses = docs.flatMap((doc) => codeOf(doc).flatMap((code) => usesIn(code).map((use) => ({ doc: doc.name, ...use }))));
  expect(uses.filter(({ command }) => !known.has(command))).toEqual([]);
  expect(uses.filter(({ command, options }) => options.some((option) => known.get(command)?.has(option) === false))).toEqual([]);
  // The other way round: no command is left without a word.
  const named = new Set(uses.map(({ command }) => command));
  expect([...known.keys()].filter((command) => !named.has(command))).toEqual([]);
});

proves("REAL-7", "every script of npm that a document names is in package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
  const named = docs.flatMap(({ name, text }) =>
    [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, script = ""]) => ({ name, script })),
  );
  expect(named.filter(({ script }) => scripts[script] === undefined)).toEqual([]);
});

proves("REAL-7", "every relative link leads to a file, and to a heading of it", () => {
  const broken = docs.flatMap((doc) => {
    const links = [...doc.text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = ""]) => target);
    return links.filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? join(ROOT, doc.name) : join(ROOT, dirname(doc.name), path);
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor));
    });
  });
  expect(broken).toEqual([]);
  const reachable = docs.flatMap(({ text }) =>
    [...text.matchAll(/\]\((?:docs\/)?([A-Za-z-]+\.md)/g)].map(([, name]) => `docs/${name ?? ""}`),
  );
  expect(docs.map(({ name }) => name).filter((name) => name !== "README.md" && !reachable.includes(name))).toEqual([]);
});

proves("REAL-7", "every configuration that is shown or shipped is sound", () => {
  const shown = docs.flatMap((doc) =>
    blocksOf(doc)
      .filter(({ info }) => info === "json config")
      .map(({ text }) => ({ name: doc.name, text })),
  );
  expect(new Set(shown.map(({ name }) => name))).toContain("docs/servers.md");
  const shipped = [read(join(ROOT, "config/example.json")), ...below("config/examples", ".json")];
  for (const { name, text } of [...shown, ...shipped]) {
    const env = Object.fromEntries([...text.matchAll(/\$\{(\w+)/g)].map(([, variable = ""]) => [variable, "set"]));
    const loaded = parseConfig(text, join(ROOT, name), env);
    if (loaded.kind === "refused") throw new Error(`${name}: ${JSON.stringify(loaded.issues)}`);
    expect([...loaded.config.servers.values()].filter(({ kind }) => kind === "invalid")).toEqual([]);
  }
});
