// The tree is the architecture: who may import whom, in one table (docs/ARCHITECTURE.md shows it as a picture). A folder may
// always import itself. `ours` are path patterns, `npm` package names, `node` built-in modules ("any" = all of them). A package named
// here is bundled into dist/ and therefore a development package; build.mjs refuses a bundle that needs one which is neither
// bundled nor installed with ours.
// test/architecture.test.ts runs this over the sources and shows that each kind of rule bites.

const pure = ["crypto", "util"];

const table = {
  "daemon/contract": { ours: [], npm: [], node: [] },
  "daemon/registry": { ours: ["daemon/contract/"], npm: [], node: pure },
  "daemon/admission": {
    ours: ["daemon/contract/", "daemon/registry/(types|toolset)\\.ts$"],
    npm: ["ajv", "ajv-formats", "re2js", "lossless-json"],
    node: pure,
  },
  "daemon/upstream": {
    ours: ["daemon/contract/"],
    npm: ["@modelcontextprotocol/sdk", "lossless-json", "which", "zod"],
    node: "any",
  },
  "daemon/connections": {
    ours: ["daemon/contract/", "daemon/admission/", "daemon/upstream/"],
    npm: [],
    node: [...pure, "events", "perf_hooks", "timers", "timers/promises"],
  },
  "daemon/sessions": {
    ours: ["daemon/contract/", "daemon/registry/"],
    npm: [],
    node: [...pure, "events", "perf_hooks", "timers", "timers/promises"],
  },
  "daemon/calls": {
    ours: ["daemon/contract/", "daemon/registry/", "daemon/sessions/"],
    npm: ["lossless-json"],
    node: [...pure, "events", "perf_hooks", "timers", "timers/promises"],
  },
  "daemon/journal": { ours: ["daemon/contract/"], npm: ["better-sqlite3", "lossless-json"], node: "any" },
  "daemon/lifecycle": { ours: ["daemon/contract/"], npm: ["env-paths"], node: "any" },
  "daemon/http": {
    ours: ["daemon/contract/"],
    npm: ["fastify", "ajv", "ajv-formats", "lossless-json"],
    node: "any",
  },
  "daemon/metrics": { ours: ["daemon/contract/"], npm: ["prom-client"], node: "any" },
  config: {
    ours: ["daemon/contract/"],
    npm: ["env-paths", "fastest-levenshtein", "jsonc-parser", "proper-lockfile", "write-file-atomic"],
    node: "any",
  },
  client: {
    ours: ["daemon/contract/", "config/"],
    npm: [
      ...["@inquirer/core", "@inquirer/prompts", "cli-table3", "commander", "diff", "env-paths", "gpt-tokenizer", "jsonc-parser"],
      ...[
        "log-update",
        "lossless-json",
        "openai",
        "picocolors",
        "plist",
        "semver",
        "smol-toml",
        "string-width",
        "undici",
        "which",
      ],
      "write-file-atomic",
    ],
    node: "any",
  },
  servers: { ours: [], npm: ["@modelcontextprotocol/sdk", "zod"], node: "any" },
};

// The composition root: the only place that may see all of the daemon.
const root = { ours: ["daemon/", "config/"], npm: ["pino"], node: "any" };

const escape = (name) => name.replaceAll("/", "\\/").replaceAll("-", "\\-");
const anyOf = (patterns) => `^(${patterns.join("|")})`;
const OURS = "^(daemon|client|config|servers|test)/";
const NPM = ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown", "npm-bundled"];

/** Three rules for one row: our own modules, npm packages, Node's modules. */
function rules(name, from, self, row) {
  const packages = row.npm.length === 0 ? "^$" : `(^|/)node_modules/(${row.npm.map(escape).join("|")})/`;
  const own = [...(self === undefined ? [] : [self]), ...row.ours];
  return [
    {
      name: `${name}: modules`,
      severity: "error",
      comment: `${name} may import ${row.ours.join(", ") || "nothing else of ours"}`,
      from,
      to: { path: OURS, ...(own.length === 0 ? {} : { pathNot: anyOf(own) }) },
    },
    {
      name: `${name}: packages`,
      severity: "error",
      comment: `${name} may import ${row.npm.join(", ") || "no package"}`,
      from,
      to: { dependencyTypes: NPM, pathNot: packages },
    },
    ...(row.node === "any"
      ? []
      : [
          {
            name: `${name}: node`,
            severity: "error",
            comment: `${name} may import ${row.node.map((module) => `node:${module}`).join(", ") || "nothing of Node's"}`,
            from,
            to: { dependencyTypes: ["core"], pathNot: `^(node:)?(${["", ...row.node].map(escape).join("|")})$` },
          },
        ]),
  ];
}

const folders = Object.keys(table);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...folders.flatMap((folder) => rules(folder, { path: `^${folder}/` }, `${folder}/`, table[folder])),
    ...rules("daemon root", { path: "^daemon/[^/]+\\.ts$" }, undefined, root),
    {
      name: "a folder without a row",
      severity: "error",
      comment: "a new folder below daemon/ needs its row in the table above",
      from: { path: "^daemon/[^/]+/", pathNot: anyOf(folders.map((folder) => `${folder}/`)) },
      to: {},
    },
    {
      name: "no cycles",
      severity: "error",
      comment: "two files that need each other are one concept, or a third is missing",
      from: {},
      to: { circular: true },
    },
    {
      name: "nothing unresolved",
      severity: "error",
      comment: "an import must lead to a file",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no test code in the product",
      severity: "error",
      comment: "tests know the product, never the other way round",
      from: { path: "^(daemon|client|config|servers)/" },
      to: { path: "^test/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".json", ".d.ts"],
    },
  },
};
