// Bundles the programs into dist/: one file each with shared chunks, native modules left out. `node build.mjs --fixtures`
// also turns the test fixture programs into JavaScript under .cache/fixtures/. `--keep` leaves what stands in dist/, so that
// programs running from it go on.
import { build } from "esbuild";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = import.meta.dirname;
const common = {
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "warning",
  sourcemap: false,
};

const entries = {
  toolpool: "client/main.ts",
  daemon: "daemon/main.ts",
  demo: "client/demo.ts",
  "servers/demo": "servers/demo.ts",
};

async function buildPrograms() {
  if (!process.argv.includes("--keep")) rmSync(join(root, "dist"), { recursive: true, force: true });
  const present = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(join(root, file))));
  await build({
    ...common,
    entryPoints: present,
    absWorkingDir: root,
    outdir: "dist",
    bundle: true,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    external: ["better-sqlite3"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    minifySyntax: true,
    legalComments: "none",
  });
}

async function buildFixtures() {
  const folder = join(root, "test/fixtures");
  if (!existsSync(folder)) return;
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
  await build({
    ...common,
    entryPoints: files,
    absWorkingDir: root,
    outdir: ".cache/fixtures",
    outbase: "test/fixtures",
    bundle: false,
  });
}

try {
  await buildPrograms();
} catch (error) {
  if (process.env.TOOLPOOL_DEV !== "1") throw error;
}
if (process.argv.includes("--fixtures")) await buildFixtures();
