// Bundles the programs into dist/: one file each with shared chunks beside them, so that a start reads few files and every
// module of ours finds its neighbours by `import.meta.dirname`. Native modules stay outside. A dynamic import becomes a chunk
// that is read when it is needed.
//   --keep      leaves what stands in dist/: programs running from it go on, other builds may run at the same time
//   --fixtures  also turns test/fixtures/ into JavaScript below .cache/fixtures/, file by file
//   --bench     also bundles test/bench/ into .cache/bench/
import { build } from "esbuild";
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = import.meta.dirname;
const asked = new Set(process.argv.slice(2));

const programs = {
  toolpool: "client/main.ts",
  daemon: "daemon/main.ts",
  demo: "client/demo.ts",
  "servers/demo": "servers/demo.ts",
};

const common = {
  absWorkingDir: root,
  platform: "node",
  target: "node20.19",
  format: "esm",
  logLevel: "warning",
};

const bundled = {
  ...common,
  bundle: true,
  splitting: true,
  chunkNames: "chunk-[hash]",
  external: ["better-sqlite3"],
  // Some packages' CommonJS form finds its own parts only at run time; their module form is whole.
  mainFields: ["module", "main"],
  // CommonJS packages inside an ES module bundle call `require` for Node's own modules; one names its temporary files by its own.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url); const __filename = import.meta.filename;',
  },
  minifySyntax: true,
  // The engine keeps a program's text in memory: without white space the daemon is 9 MB smaller.
  minifyWhitespace: true,
  legalComments: "linked",
};

const sourcesBelow = (folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true })
        .map((name) => join(folder, String(name)))
        .filter((name) => name.endsWith(".ts"))
    : [];

async function buildPrograms() {
  if (!asked.has("--keep")) rmSync(join(root, "dist"), { recursive: true, force: true });
  const present = Object.fromEntries(Object.entries(programs).filter(([, file]) => existsSync(join(root, file))));
  await build({ ...bundled, entryPoints: present, outdir: "dist" });
  if (present.toolpool !== undefined) chmodSync(join(root, "dist/toolpool.js"), 0o755);
}

await buildPrograms();
if (asked.has("--fixtures")) {
  const entryPoints = sourcesBelow("test/fixtures");
  await build({ ...common, entryPoints, outdir: ".cache/fixtures", outbase: "test/fixtures", bundle: false });
}
if (asked.has("--bench")) {
  const entryPoints = sourcesBelow("test/bench");
  await build({ ...bundled, entryPoints, outdir: ".cache/bench", outbase: "test/bench" });
}
