// The tree is the architecture: the import table of .dependency-cruiser.cjs holds over the sources, it bites where it should,
// and a few rules that no import shows (who ends the process, how a file opens, how long it is) hold as text.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from "dependency-cruiser";
import { expect } from "vitest";
import { proves } from "./support/promise.ts";
import { tempFolder } from "./support/temp.ts";

const root = join(import.meta.dirname, "..");
const product = ["daemon", "client", "config", "servers"];
const config = createRequire(import.meta.url)("../.dependency-cruiser.cjs") as {
  readonly forbidden: IForbiddenRuleType[];
  readonly options: ICruiseOptions;
};

/** `rule: from → to` for every violation below `baseDir`. */
async function violations(baseDir: string, folders: readonly string[]): Promise<readonly string[]> {
  const present = folders.filter((folder) => existsSync(join(baseDir, folder)));
  const { output } = await cruise(present, {
    ...config.options,
    baseDir,
    validate: true,
    ruleSet: { forbidden: config.forbidden },
  });
  if (typeof output === "string") throw new TypeError("a result object was expected");
  const { summary }: ICruiseResult = output;
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

/** A small tree of its own, with stand-ins for the packages it imports. */
function tree(files: Readonly<Record<string, string>>, packages: readonly string[] = []): string {
  const folder = tempFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const dependencies = Object.fromEntries(packages.map((name) => [name, "1.0.0"]));
  write("package.json", JSON.stringify({ name: "tree", type: "module", dependencies }));
  write("tsconfig.json", readFileSync(join(root, "tsconfig.json"), "utf8"));
  for (const name of packages) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", main: "index.js" }));
    write(`node_modules/${name}/index.js`, "module.exports = {};");
  }
  for (const [path, text] of Object.entries(files)) write(path, text);
  return folder;
}

/** TypeScript sources of the product, as paths from the root. */
const sources = product
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((path) => path.endsWith(".ts")),
  );
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

proves("PRJ-2", "no import of the product breaks the table", async () => {
  expect(sources.length).toBeGreaterThan(30);
  expect(await violations(root, product)).toEqual([]);
});

const thing = "export const thing = 1;";
const importing = (...specifiers: readonly string[]): string => specifiers.map((from) => `import "${from}";`).join("\n");

proves("PRJ-2", "a forbidden import between folders is reported with its rule", async () => {
  const folder = tree({
    "daemon/contract/index.ts": thing,
    "daemon/upstream/port.ts": thing,
    "daemon/connections/queue.ts": importing("../contract/index.ts", "../upstream/port.ts"),
    "daemon/calls/path.ts": importing("../connections/queue.ts"),
    "daemon/registry/registry.ts": importing("../http/routes.ts", "../contract/index.ts"),
    "daemon/http/routes.ts": importing("../upstream/port.ts"),
    "daemon/unlisted/new.ts": importing("../contract/index.ts"),
    "client/loop.ts": importing("../daemon/contract/index.ts", "../daemon/http/routes.ts"),
    "servers/demo.ts": importing("../daemon/contract/index.ts"),
    "daemon/daemon.ts": importing("./http/routes.ts", "./calls/path.ts", "../client/loop.ts", "../test/support.ts"),
    "test/support.ts": thing,
  });
  expect([...(await violations(folder, [...product, "test"]))].sort()).toEqual([
    "a folder without a row: daemon/unlisted/new.ts → daemon/contract/index.ts",
    "client: modules: client/loop.ts → daemon/http/routes.ts",
    "daemon root: modules: daemon/daemon.ts → client/loop.ts",
    "daemon root: modules: daemon/daemon.ts → test/support.ts",
    "daemon/calls: modules: daemon/calls/path.ts → daemon/connections/queue.ts",
    "daemon/http: modules: daemon/http/routes.ts → daemon/upstream/port.ts",
    "daemon/registry: modules: daemon/registry/registry.ts → daemon/http/routes.ts",
    "no test code in the product: daemon/daemon.ts → test/support.ts",
    "servers: modules: servers/demo.ts → daemon/contract/index.ts",
  ]);
});

proves("PRJ-2", "a package outside its one folder is reported, and so is input or output in the pure parts", async () => {
  const folder = tree(
    {
      "daemon/upstream/link.ts": importing("@modelcontextprotocol/sdk", "node:child_process"),
      "daemon/http/server.ts": importing("fastify", "ajv"),
      "daemon/journal/file.ts": importing("better-sqlite3"),
      "daemon/calls/a.ts": importing("fastify"),
      "daemon/connections/b.ts": importing("@modelcontextprotocol/sdk"),
      "daemon/sessions/c.ts": importing("better-sqlite3", "node:fs"),
      "daemon/registry/d.ts": importing("node:crypto", "node:net", "ajv"),
      "daemon/contract/e.ts": importing("node:crypto"),
      "config/f.ts": importing("nowhere"),
    },
    ["@modelcontextprotocol/sdk", "fastify", "ajv", "better-sqlite3"],
  );
  const found = (await violations(folder, product)).map((line) => line.replace(/node_modules\/(.*)\/index\.js$/, "$1"));
  expect([...found].sort()).toEqual([
    "daemon/calls: packages: daemon/calls/a.ts → fastify",
    "daemon/connections: packages: daemon/connections/b.ts → @modelcontextprotocol/sdk",
    "daemon/contract: node: daemon/contract/e.ts → crypto",
    "daemon/registry: node: daemon/registry/d.ts → net",
    "daemon/registry: packages: daemon/registry/d.ts → ajv",
    "daemon/sessions: node: daemon/sessions/c.ts → fs",
    "daemon/sessions: packages: daemon/sessions/c.ts → better-sqlite3",
    "nothing unresolved: config/f.ts → nowhere",
  ]);
});

proves("PRJ-2", "a circle of imports is reported, of types too", async () => {
  const folder = tree({
    "daemon/registry/a.ts": 'import type { B } from "./b.ts"; export type A = B;',
    "daemon/registry/b.ts": 'import type { A } from "./a.ts"; export type B = A;',
  });
  expect([...(await violations(folder, product))].sort()).toEqual(["no cycles: daemon/registry/a.ts → daemon/registry/b.ts"]);
});

proves("PRJ-3", "only the entry programs end the process", () => {
  const allowed = /^(daemon\/main|client\/main|client\/demo)\.ts$|^servers\//;
  const ending = sources.filter((path) => /\bprocess\.(exit|abort|reallyExit)\s*\(/.test(textOf(path)));
  expect(ending.filter((path) => !allowed.test(path))).toEqual([]);
});

proves("PRJ-4", "every file opens with what it is, is at most 300 lines long, and bears the name of a concept", () => {
  const opens = (text: string): boolean => /^(#![^\n]*\n)?\/\/ \S/.test(text);
  expect(sources.filter((path) => !opens(textOf(path)))).toEqual([]);
  expect(sources.filter((path) => textOf(path).split("\n").length > 301)).toEqual([]);
  expect(sources.filter((path) => /\b(manager|helpers?|utils?|service|handler|revision|generation)\b/.test(path))).toEqual([]);
});
