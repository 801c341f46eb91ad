// Bundles the programs into dist/: one file each with shared chunks beside them, so that a start reads few files and every
// module of ours finds its neighbours by `import.meta.dirname`. Native modules stay outside. A dynamic import becomes a chunk
// that is read when it is needed. Beside them what a package needs: type declarations (.build/declarations.mjs) and the
// licences of what is bundled (.build/third-party.mjs). Everything is made first and written then: a build that fails leaves
// dist/ as it was.
//   --keep      makes the programs only and leaves what stands in dist/: programs running from it go on, other builds may run
//               at the same time
//   --fixtures  also turns test/fixtures/ into JavaScript below .cache/fixtures/, file by file
//   --bench     also bundles test/bench/ into .cache/bench/
//   --journey   also bundles test/journey/run.ts into .cache/journey/
import { build } from "esbuild";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";

const root = import.meta.dirname;
const asked = new Set(process.argv.slice(2));
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const programs = {
  toolpool: "client/main.ts",
  daemon: "daemon/main.ts",
  demo: "client/demo.ts",
  index: "client/index.ts",
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
  // What is in `dependencies` is installed beside the package, everything else is inside it.
  external: Object.keys(dependencies),
  // The bundle names its parts by their paths: where node_modules is a link, they would be paths of this machine.
  preserveSymlinks: true,
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

/** What would be missing at the user's: neither bundled, nor of Node, nor installed with the package. */
function refuseMissing({ outputs }) {
  const outside = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  // `node:` first: a module that is only in newer lines of Node is no package either.
  const missing = outside.filter(({ path }) => !/^node:/.test(path) && !isBuiltin(path) && !Object.hasOwn(dependencies, path));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map(({ path }) => path))].join(", ");
  throw new Error(`The bundle leaves out ${names}: bundle it, or put it into the dependencies of package.json`);
}

async function buildPrograms() {
  const present = Object.fromEntries(Object.entries(programs).filter(([, file]) => existsSync(join(root, file))));
  const { outputFiles, metafile } = await build({
    ...bundled,
    entryPoints: present,
    outdir: "dist",
    metafile: true,
    write: false,
  });
  refuseMissing(metafile);
  const files = outputFiles.map(({ path, contents }) => ({ path, contents }));
  if (!asked.has("--keep")) {
    const { declarationsOf } = await import("./.build/declarations.mjs");
    const { thirdPartyLicences } = await import("./.build/third-party.mjs");
    files.push(...declarationsOf(root, programs.index, "dist/types"), {
      path: join(root, "dist/THIRD-PARTY-LICENSES.txt"),
      contents: thirdPartyLicences(root, metafile),
    });
    rmSync(join(root, "dist"), { recursive: true, force: true });
  }
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
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
if (asked.has("--journey")) {
  await build({ ...bundled, entryPoints: ["test/journey/run.ts"], outdir: ".cache/journey", outbase: "test/journey" });
}
