// The package as a user gets it: packed from a copy of the checkout, installed in an empty folder, looked through, and run.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, posix } from "node:path";
import { isBuiltin } from "node:module";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect } from "vitest";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { alive } from "../upstream/links.ts";
import { copyOfCheckout, filesBelow, fingerprint, installed, npmPack, ok, ROOT, run } from "./packed.ts";

/** Packing, installing and starting are a few seconds each on an idle machine. */
const PATIENCE_MS = 240_000;

const checkout = copyOfCheckout();
// What may lie about in a checkout and must not travel.
const litter = ["dist/old-chunk.js", "dist/toolpool.js.map", ".cache/fixtures/x.js", "coverage/index.html", "notes.txt"];
for (const path of litter) {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), "//# sourceMappingURL=toolpool.js.map\n");
}
const state = join(tempFolder(), "state");
let before: readonly string[] = [];
let tarball = "";
let consumer = "";
let product = "";
let contents: readonly string[] = [];

const textOf = (path: string): string => readFileSync(join(product, path), "utf8");
const manifestOf = (): Readonly<Record<string, unknown>> => JSON.parse(textOf("package.json")) as Record<string, unknown>;
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string } | undefined>>;
}
const notBuilt = (lines: readonly string[]): readonly string[] => lines.filter((line) => !line.startsWith("dist/"));

beforeAll(async () => {
  before = fingerprint(checkout);
  tarball = await npmPack(checkout);
  consumer = await installed(tarball);
  product = join(consumer, "node_modules/toolpool");
  contents = filesBelow(product);
}, PATIENCE_MS);

/** In the consumer's folder, as a person would type it. */
const place = () => ({ cwd: consumer, env: { TOOLPOOL_STATE: state } });
const toolpool = (...words: string[]): Promise<string> => ok(["npx", "--no", "--", "toolpool", ...words], place());

/** With everything strict, and the declarations of the libraries checked too. Emits JavaScript beside it. */
async function typeCheck(file: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  const compilerOptions = {
    ...settings,
    typeRoots: [join(ROOT, "node_modules/@types")],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    noUnusedLocals: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
  };
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  await ok(["node", join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "."], { cwd: consumer });
}

afterAll(async () => {
  await run(["npx", "--no", "--", "toolpool", "down"], place());
}, PATIENCE_MS);

proves(
  "PKG-1",
  "a pack touches nothing but dist/, and one that fails not even that",
  async () => {
    const after = fingerprint(checkout);
    expect(notBuilt(after)).toEqual(notBuilt(before));
    const entry = join(checkout, "client/index.ts");
    const sound = readFileSync(entry);
    for (const fault of ['import "./nowhere.ts";', 'import "left-out";', 'export const wrong: number = "text";']) {
      appendFileSync(entry, fault);
      const broken = fingerprint(checkout);
      const { code } = await run(["npm", "pack"], { cwd: checkout });
      expect(code, fault).not.toBe(0);
      expect(fingerprint(checkout), fault).toEqual(broken);
      writeFileSync(entry, sound);
    }
    expect(fingerprint(checkout)).toEqual(after);
  },
  PATIENCE_MS,
);

proves("PKG-2", "only programs, declarations, documents and examples are in it", () => {
  const kinds = [
    /^dist\/(toolpool|daemon|demo|index|servers\/demo|chunk-[A-Z0-9]+)\.js(\.LEGAL\.txt)?$/,
    /^dist\/types\/(client|daemon\/contract|config)\/[a-z/-]+\.d\.ts$/,
    /^dist\/THIRD-PARTY-LICENSES\.txt$/,
    /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
    /^docs\/[\w-]+\.md$/,
    /^config\/(examples\/)?[\w-]+\.json$/,
  ];
  expect(contents.filter((path) => !kinds.some((kind) => kind.test(path)))).toEqual([]);
  for (const needed of ["dist/servers/demo.js", "dist/THIRD-PARTY-LICENSES.txt", "LICENSE", "docs/publishing.md"]) {
    expect(contents).toContain(needed);
  }
});

proves("PKG-2", "nothing in it tells where it was made, and no source map is named", () => {
  const machine = [
    checkout,
    ROOT,
    realpathSync(join(ROOT, "node_modules")),
    `${homedir()}/`,
    tempFolder().replace(/[^/]+$/, "tp-"),
  ];
  for (const path of contents.filter((one) => one.startsWith("dist/") || one === "package.json")) {
    const text = textOf(path);
    expect(
      machine.filter((folder) => text.includes(folder)),
      path,
    ).toEqual([]);
    expect(text, path).not.toMatch(/\.\.\/[^"\s]*node_modules|sourceMappingURL=(?!["'`$])/);
  }
});

proves("PKG-2", "every relative link of its documents leads to a file of it", () => {
  const broken = contents
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) =>
      [...textOf(path).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
        .map(([, target = ""]) => posix.join(posix.dirname(path), target))
        .filter((target) => !contents.includes(target)),
    );
  expect(broken).toEqual([]);
});

proves(
  "PKG-3",
  "what it asks for is better-sqlite3 at the version tested here, and nothing that its code needs is missing",
  async () => {
    const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock;
    const manifest = manifestOf();
    expect(manifest.dependencies).toEqual({ "better-sqlite3": lock.packages["node_modules/better-sqlite3"]?.version });
    expect([manifest.private, manifest.optionalDependencies, manifest.peerDependencies]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const names = readdirSync(join(consumer, "node_modules")).filter((name) => !name.startsWith("."));
    expect(names.sort()).toEqual(["better-sqlite3", "toolpool"]);

    const entryPoints = contents.filter((path) => path.endsWith(".js")).map((path) => join(product, path));
    const common = { bundle: true, write: false, metafile: true, outdir: tempFolder(), logLevel: "silent" } as const;
    const { metafile } = await build({ ...common, entryPoints, platform: "node", format: "esm", packages: "external" });
    const outside = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
    const packages = outside.map(({ path }) => path).filter((path) => !path.startsWith("node:") && !isBuiltin(path));
    expect([...new Set(packages)]).toEqual(["better-sqlite3"]);
  },
);

proves("PKG-3", "the licence of every bundled package is in it", () => {
  const licences = textOf("dist/THIRD-PARTY-LICENSES.txt");
  const listed = new Set([...licences.matchAll(/^-{78}\n\n(.+)@[^@\n]+ \(.+\)$/gm)].map(([, name = ""]) => name));
  // The bundle itself names the CommonJS modules in it by their paths.
  const named = contents
    .filter((path) => path.endsWith(".js"))
    .flatMap((path) => [...textOf(path).matchAll(/"(?:[^"\s]*\/)?node_modules\/((?:@[^/"\s]+\/)?[^/"\s]+)\/[^"\s]*"\(/g)])
    .map(([, name = ""]) => name);
  expect(new Set(named).size).toBeGreaterThan(20);
  expect(
    [...new Set([...named, "openai", "zod", "commander", "@modelcontextprotocol/sdk"])].filter((name) => !listed.has(name)),
  ).toEqual([]);
  expect(licences).toMatch(/^openai@.*\n\n[^]*?Apache License/m);
  expect(licences).not.toMatch(/\(undefined\)|\(UNLICENSED\)/);
});

proves("PKG-4", "no error, no warning, no suggestion", async () => {
  const bytes = readFileSync(tarball);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: file } });
  expect(messages.map((message) => `${message.type} ${message.code}: ${formatMessage(message, pkg) ?? ""}`)).toEqual([]);
});

proves(
  "PKG-5",
  "npx starts it by its link, shows it and stops it",
  async () => {
    const { version } = manifestOf();
    expect(await ok(["npx", "toolpool", "--version"], place())).toBe(`${String(version)}\n`);
    const configFile = join(tempFolder(), "toolpool.json");
    writeFileSync(configFile, '{"mcpServers": {}}');
    const up = JSON.parse(await toolpool("up", "--config", configFile, "--port", "0", "--json")) as {
      pid: number;
      version: string;
    };
    expect(up.version).toBe(version);
    expect(await toolpool("status")).toContain(`pid ${String(up.pid)}`);
    expect(await toolpool("down")).toContain("stopped");
    expect(alive(up.pid)).toBe(false);
    expect(readdirSync(state).filter((name) => /sock|daemon\.json/.test(name))).toEqual([]);
  },
  PATIENCE_MS,
);

proves(
  "PKG-6",
  "the documented program passes strict settings with the libraries checked, and prints what is documented",
  async () => {
    const page = readFileSync(join(ROOT, "docs/publishing.md"), "utf8");
    const block = (info: string): string => new RegExp(`^\`\`\`${info}\\n([^]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";
    writeFileSync(join(consumer, "toolpool.json"), block("json config"));
    writeFileSync(join(consumer, "lookup.ts"), block("ts program"));
    await typeCheck("lookup.ts", { module: "nodenext", lib: ["es2023"], types: ["node"], target: "es2023" });
    const printed = block("console").replace(/^\$.*\n/, "");
    expect(printed.split("\n").length).toBeGreaterThan(5);
    expect(await ok(["node", "lookup.js"], place())).toBe(printed);
    await toolpool("down");
  },
  PATIENCE_MS,
);

proves(
  "PKG-6",
  "the declarations need no types of Node and an old library, and they are no `any`",
  async () => {
    const program = `
    import { type ConnectOptions, PoolClient, PoolError, type Outcome, type ServerStatus } from "toolpool";
    export const open = (socketPath: string): PoolClient => new PoolClient({ kind: "socket", socketPath });
    export async function states(client: PoolClient): Promise<readonly string[]> {
      const servers: readonly ServerStatus[] = await client.request("servers.list", {});
      return servers.map(({ alias, state }) => alias + state.kind);
    }
    export const reason = (error: unknown): string | undefined => (error instanceof PoolError ? error.reason : undefined);
    export const status = ({ status }: Outcome): "ok" | "error" => status;
    export const where = ({ place }: ConnectOptions): string => place.stateFolder;
    // @ts-expect-error: there is no such method
    void open("").request("servers.forget", {});
    // @ts-expect-error: an alias is a text
    void open("").request("servers.get", { alias: 1 });
    // @ts-expect-error: an address has a kind
    void new PoolClient({ socketPath: "" });
  `;
    writeFileSync(join(consumer, "plain.ts"), program);
    const old = { lib: ["es2018", "dom"], types: [], target: "es2018" };
    await typeCheck("plain.ts", { ...old, module: "nodenext" });
    await typeCheck("plain.ts", { ...old, module: "esnext", moduleResolution: "bundler" });
  },
  PATIENCE_MS,
);

proves("PKG-6", "what is not public cannot be imported", async () => {
  const names = 'import * as all from "toolpool"; console.log(Object.keys(all).sort().join(" "));';
  expect(await ok(["node", "--input-type=module", "--eval", names], place())).toBe(
    "CONTRACT_VERSION DaemonUnavailable ERROR_TABLE PoolClient PoolError PoolUnreachable connectToPool ownPool\n",
  );
  const refused = 'import("toolpool/dist/daemon.js").catch((error) => console.log(error.code));';
  expect(await ok(["node", "--eval", refused], place())).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
  const manifest = 'console.log(require("toolpool/package.json").name);';
  expect(await ok(["node", "--eval", manifest], place())).toBe("toolpool\n");
});

proves(
  "PKG-7",
  "without the native part of better-sqlite3, and with one that does not load",
  async () => {
    const addon = join(consumer, "node_modules/better-sqlite3/build/Release/better_sqlite3.node");
    const sound = readFileSync(addon);
    const configFile = join(tempFolder(), "toolpool.json");
    writeFileSync(configFile, '{"mcpServers": {}}');
    for (const fault of ["absent", "foreign"]) {
      if (fault === "absent") rmSync(addon);
      else writeFileSync(addon, "not for this Node.js");
      const { code, stderr } = await run(["npx", "toolpool", "up", "--config", configFile, "--port", "0"], place());
      expect([code, stderr], fault).toEqual([3, expect.stringContaining("run npm rebuild better-sqlite3")]);
    }
    writeFileSync(addon, sound);
    expect(existsSync(join(state, "daemon.json"))).toBe(false);
  },
  PATIENCE_MS,
);
