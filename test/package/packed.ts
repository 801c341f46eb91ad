// A copy of the checkout that can be packed while other tests run from the real one's dist/, and an empty folder in which its
// package is installed. Everything runs in an environment of its own: a PATH with node, npm, npx and sh and nothing else (no git,
// no compiler), an empty home, an empty npm cache, and no network.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import which from "which";
import { Running, type Ended } from "../commands/toolpool.ts";
import { tempFolder } from "../support/temp.ts";

export const ROOT = join(import.meta.dirname, "../..");
/** Not of a checkout: made in it, or another's. */
const MADE = new Set(["node_modules", "dist", ".cache", "coverage", ".git"]);

const tools = tempFolder();
const home = tempFolder();
const programs = {
  node: process.execPath,
  sh: "/bin/sh",
  npm: realpathSync(which.sync("npm")),
  npx: realpathSync(which.sync("npx")),
};
for (const [name, file] of Object.entries(programs)) symlinkSync(file, join(tools, name));

const ENVIRONMENT = {
  PATH: tools,
  HOME: home,
  npm_config_cache: join(home, "npm-cache"),
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
};

export interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs to its end. `words[0]` is one of the four programs. */
export async function run(words: readonly [keyof typeof programs, ...string[]], { cwd, env = {} }: Place): Promise<Ended> {
  const [program, ...args] = words;
  const child = spawn(join(tools, program), args, { cwd, env: { ...ENVIRONMENT, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  return new Running(child).ended;
}

/** Like `run`, for what must succeed: its stdout. */
export async function ok(words: Parameters<typeof run>[0], place: Place): Promise<string> {
  const { code, stdout, stderr } = await run(words, place);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${String(code)}: ${stdout}${stderr}`);
  return stdout;
}

/** Every file below, by its path there; `node_modules` is left out. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith("node_modules/"))
    .sort();
}

/** What every file is, `path digest` by line. */
export function fingerprint(folder: string): readonly string[] {
  const digest = (path: string): string =>
    createHash("sha256")
      .update(readFileSync(join(folder, path)))
      .digest("hex");
  return filesBelow(folder).map((path) => `${path} ${digest(path)}`);
}

/** The sources as they are here, with the packages of development of here. */
export function copyOfCheckout(): string {
  const folder = tempFolder();
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !MADE.has(relative(ROOT, path)) });
  symlinkSync(realpathSync(join(ROOT, "node_modules")), join(folder, "node_modules"));
  return folder;
}

/** The path of the tarball. */
export async function npmPack(folder: string): Promise<string> {
  const destination = tempFolder();
  await ok(["npm", "pack", "--pack-destination", destination], { cwd: folder });
  const [tarball, ...more] = readdirSync(destination);
  if (tarball === undefined || more.length > 0) throw new Error(`one tarball was expected in ${destination}`);
  return join(destination, tarball);
}

/**
 * better-sqlite3 as it is built here, with what it loads: compiling it again takes a minute and a network, and proves something
 * about better-sqlite3. That it is the package and version which the tarball asks for is for the test to show.
 */
async function builtDatabase(): Promise<string> {
  const folder = tempFolder();
  const modules = join(ROOT, "node_modules");
  const { name, version, main } = JSON.parse(readFileSync(join(modules, "better-sqlite3/package.json"), "utf8")) as Record<
    string,
    string
  >;
  const loaded = ["bindings", "file-uri-to-path"];
  const dependencies = Object.fromEntries(loaded.map((one) => [one, "*"]));
  const manifest = { name, version, main, license: "MIT", dependencies, bundleDependencies: loaded };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const addon = "build/Release/better_sqlite3.node";
  mkdirSync(join(folder, "build/Release"), { recursive: true });
  cpSync(join(modules, "better-sqlite3", addon), join(folder, addon));
  cpSync(join(modules, "better-sqlite3/lib"), join(folder, "lib"), { recursive: true });
  for (const one of loaded) cpSync(join(modules, one), join(folder, "node_modules", one), { recursive: true });
  return npmPack(folder);
}

/** An empty folder with the package installed in it; the folder of the package is `node_modules/toolpool`. */
export async function installed(tarball: string): Promise<string> {
  const folder = tempFolder();
  const overrides = { "better-sqlite3": `file:${await builtDatabase()}` };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module", overrides }));
  await ok(["npm", "install", tarball], { cwd: folder });
  return folder;
}
