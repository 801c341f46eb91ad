// What a person should know of a command before it runs for the first time: a shell that runs a text, a package that is downloaded in
// whatever version there is, a program that others can exchange, a container that is none. Read from the entry as written.
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { WrittenLaunch } from "../../daemon/contract/index.ts";
import { packageSpec } from "../doctor/package-spec.ts";
import { visible } from "../output/visible.ts";

export interface LaunchSurroundings {
  /** Of the configuration file: what paths in it start from. */
  readonly folder: string;
  /** Whether users other than its owner may change a file or the folder it lies in. */
  readonly othersMayWrite: (path: string) => boolean;
}

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh", "busybox"]);
const INLINE: Readonly<Record<string, RegExp>> = {
  node: /^(?:-e|-p|-pe|--eval|--print)$/,
  deno: /^eval$/,
  bun: /^(?:-e|--eval)$/,
  python: /^-c$/,
  python3: /^-c$/,
  perl: /^-[a-z]*e$/i,
  ruby: /^-e$/,
};
const ELEVATED = new Set(["sudo", "doas", "pkexec", "su"]);
const TEMPORARY = /^(?:\/tmp|\/var\/tmp|\/dev\/shm|\/private\/tmp|\/private\/var\/tmp)(?:\/|$)|^\$\{(?:TMPDIR|TEMP|TMP)\}/;

type Launch = Pick<WrittenLaunch, "command" | "args" | "cwd">;

/** One sentence each, made visible. */
export function launchWarnings(launch: Launch, surroundings: LaunchSurroundings): readonly string[] {
  const program = programOf(launch.command);
  const found = [
    ...shellWarnings(program, launch.args),
    ...(ELEVATED.has(program) ? ["it runs with the rights of another user"] : []),
    ...packageWarnings(program, launch.args),
    ...containerWarnings(program, launch.args),
    ...pathWarnings(launch, surroundings),
  ];
  return found.map(visible);
}

const programOf = (command: string): string =>
  (command.replaceAll("\\", "/").split("/").at(-1) ?? "").toLowerCase().replace(/\.(?:exe|cmd|bat|ps1)$/, "");

function shellWarnings(program: string, args: readonly string[]): readonly string[] {
  if (SHELLS.has(program)) return ["a shell runs it: read the whole script, it can start anything"];
  const inline = Object.hasOwn(INLINE, program) ? INLINE[program] : undefined;
  return inline !== undefined && args.some((arg) => inline.test(arg))
    ? ["its program stands in the arguments: read all of it, it can start anything"]
    : [];
}

function packageWarnings(program: string, args: readonly string[]): readonly string[] {
  const tool = program === "uv" && args[0] === "tool" && args[1] === "run";
  const spec = tool ? packageSpec("uvx", args.slice(2)) : packageSpec(program, args);
  if (spec === undefined || spec.pinned) return [];
  return ["the package has no version: every start may download and run a newer one; pin it, as in name@1.2.3"];
}

function containerWarnings(program: string, args: readonly string[]): readonly string[] {
  if (!["docker", "podman"].includes(program) || !args.includes("run")) return [];
  const plain = "a container runs it: it outlives its client unless it was started with --rm, and is as open as its mounts";
  const text = args.join(" ");
  const open = [
    [/--privileged\b/, "has all rights of the machine (--privileged)"],
    [/docker\.sock/, "can control the container service itself (docker.sock)"],
    [/(?:-v|--volume)[= ]\/:|source=\/,|src=\/,/, "sees the whole disk"],
    [/--(?:net|network)[= ]host\b/, "is on the network of this machine"],
    [/--pid[= ]host\b/, "sees the processes of this machine"],
  ] as const;
  const found = open.filter(([pattern]) => pattern.test(text)).map(([, what]) => `the container ${what}`);
  const fixed = args.some((arg) => /@sha256:[0-9a-f]{64}$/.test(arg) || /[^/]:v?[0-9]+\.[0-9]+[\w.-]*$/.test(arg));
  return [
    plain,
    ...found,
    ...(fixed ? [] : ["the image has no version: every start may run a newer one; name a tag with a version, or a digest"]),
  ];
}

/** Only what the person wrote as a whole path can be told to be temporary: where the file itself lies, they know. */
function pathWarnings({ command, args, cwd }: Launch, { folder, othersMayWrite }: LaunchSurroundings): readonly string[] {
  const base = resolve(folder, cwd);
  const paths = [command, ...args].filter((word) => /^(?:\.{0,2}\/|\$\{(?:TMP|TEMP))/.test(word));
  return [...new Set([...paths, cwd])].flatMap((word) => {
    if (TEMPORARY.test(word)) return [`${word} lies where others may write: it can be swapped after the review`];
    if (word.includes("${")) return [];
    return othersMayWrite(resolve(word === command || word === cwd ? folder : base, word))
      ? [`${word} may be changed by other users of this machine: it can be swapped after the review`]
      : [];
  });
}

/** By the mode of the file and of its folder; of what cannot be looked at, nothing is said. A sticky folder protects its files. */
export function othersMayWrite(path: string): boolean {
  const open = (place: string, sticky: boolean): boolean => {
    try {
      const { mode } = statSync(place);
      return (mode & 0o002) !== 0 && !(sticky && (mode & 0o1000) !== 0);
    } catch {
      return false;
    }
  };
  return open(path, false) || open(dirname(path), true);
}
