// Which package a package runner would fetch and run, and whether its version is pinned. Reads the arguments as written, so that
// a variable stays a variable. Pure.
import { basename } from "node:path";
import semver from "semver";

export interface PackageSpec {
  readonly runner: string;
  readonly name: string;
  /** Only an exact one is pinned: a tag or a range is whatever is newest that day. */
  readonly pinned: boolean;
}

interface Runner {
  /** The words after which the package stands. */
  readonly verbs: readonly string[];
  /** Options that name the package. */
  readonly package: readonly string[];
  /** Further options that take a value. */
  readonly valued: readonly string[];
  readonly split: (spec: string) => { readonly name: string; readonly version: string };
}

const npmSplit: Runner["split"] = (spec) => {
  const at = spec.indexOf("@", 1);
  return at < 0 ? { name: spec, version: "" } : { name: spec.slice(0, at), version: spec.slice(at + 1) };
};

const pythonSplit: Runner["split"] = (spec) => {
  const [, name = spec, version = ""] = /^([\w.-]+(?:\[[\w,.-]+\])?)(?:==|@)(.+)$/.exec(spec) ?? [];
  return { name: name.replace(/\[.*$/, ""), version };
};

const npm = {
  package: ["-p", "--package"],
  valued: ["-c", "--call", "-w", "--workspace", "--registry", "--cache"],
  split: npmSplit,
};
const uv = {
  package: ["--from"],
  valued: ["-p", "--python", "--with", "--index-url", "--index", "--directory"],
  split: pythonSplit,
};

const RUNNERS: Readonly<Record<string, Runner>> = {
  npx: { ...npm, verbs: [] },
  npm: { ...npm, verbs: ["exec", "x"] },
  pnpx: { ...npm, verbs: [] },
  pnpm: { ...npm, verbs: ["dlx"] },
  yarn: { ...npm, verbs: ["dlx"] },
  bunx: { ...npm, verbs: [] },
  bun: { ...npm, verbs: ["x"] },
  uvx: { ...uv, verbs: [] },
  pipx: { package: ["--spec"], valued: ["--python", "--index-url"], split: pythonSplit, verbs: ["run"] },
};

/** Undefined where no package is fetched, or where it cannot be told which. */
export function packageSpec(command: string, args: readonly string[]): PackageSpec | undefined {
  const program = basename(command.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/\.(?:cmd|exe|ps1|bat)$/, "");
  const runner = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined;
  if (runner === undefined) return undefined;
  const spec = specOf(args, runner);
  // A folder, an archive or an address is what it is; a variable may hold anything.
  if (spec === undefined || /^[./~]|:\/\/|\$\{|^(git|file|github):|\.tgz$/.test(spec)) return undefined;
  const { name, version } = runner.split(spec);
  return { runner: program, name, pinned: isExact(version, runner.split === npmSplit) };
}

function specOf(args: readonly string[], { verbs, package: naming, valued }: Runner): string | undefined {
  let verbsLeft = verbs.length;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [option = "", value] = arg.split(/=(.*)/s);
    if (naming.includes(option)) return value ?? args[at + 1];
    if (valued.includes(arg)) at++;
    else if (arg.startsWith("-")) continue;
    else if (verbsLeft > 0) {
      if (!verbs.includes(arg)) return undefined;
      verbsLeft = 0;
    } else return arg;
  }
  return undefined;
}

function isExact(version: string, npmVersion: boolean): boolean {
  return npmVersion ? semver.valid(version) !== null : /^\d+(\.\d+)*([a-z.+-]\w*)*$/i.test(version);
}
