// What a person should know of a command before it runs for the first time: a shell that runs a text, a package that is downloaded in
// whatever version there is, a program that others can exchange, a container that is none. Read from the entry as written.
import { isAbsolute, resolve } from "node:path";
import { packageRunner } from "../../config/package-runner.ts";
import type { WrittenLaunch } from "../../daemon/contract/index.ts";

export interface LaunchSurroundings {
  /** Of the configuration file: what paths in it start from. */
  readonly folder: string;
  /** Whether users other than its owner may change a file or the folder it lies in. */
  readonly othersMayWrite: (path: string) => boolean;
}

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh", "busybox"]);
const SHELL_TEXT = /^(?:-[a-z]*c[a-z]*|\/c|\/k|-command|-encodedcommand|-e|-enc)$/i;
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
const TEMPORARY = /^(?:\/tmp|\/var\/tmp|\/dev\/shm|\/private\/tmp|\/private\/var\/tmp)(?:\/|$)|\$\{(?:TMPDIR|TEMP|TMP)\}/;

export function launchWarnings(launch: WrittenLaunch, surroundings: LaunchSurroundings): readonly string[] {
  const program = programOf(launch.command);
  return [
    ...shellWarnings(program, launch.args),
    ...(ELEVATED.has(program) ? ["It runs with the rights of another user."] : []),
    ...packageWarnings(program, launch),
    ...containerWarnings(program, launch.args),
    ...pathWarnings(launch, surroundings),
  ];
}

const programOf = (command: string): string =>
  (command.replaceAll("\\", "/").split("/").at(-1) ?? "").toLowerCase().replace(/\.(?:exe|cmd|bat|ps1)$/, "");

function shellWarnings(program: string, args: readonly string[]): readonly string[] {
  const texts = args.some((arg) => SHELL_TEXT.test(arg));
  if (SHELLS.has(program) && texts) return ["A shell runs a text: read all of it, it may do anything."];
  const inline = Object.hasOwn(INLINE, program) ? INLINE[program] : undefined;
  return inline !== undefined && args.some((arg) => inline.test(arg))
    ? ["A program text stands in the arguments: read all of it."]
    : [];
}

function packageWarnings(program: string, launch: WrittenLaunch): readonly string[] {
  const runner = packageRunner(launch);
  if (runner === undefined || ["docker", "podman"].includes(program)) return [];
  const named = packageOf(program, launch.args);
  if (named === undefined) return [`It is started by a package runner (${program}), which may download what it runs.`];
  if (isFixed(named)) return [];
  return [
    `"${named}" is downloaded in whatever version there is at a start: name one, for example "${named.replace(/@[^@/]*$/, "")}@1.2.3".`,
  ];
}

const TAKES_VALUE = /^(?:--from|-p|--package|--python|--with|--index-url|--registry|-c|--call)$/;
const VERBS = new Set(["exec", "x", "dlx", "run", "tool"]);

function packageOf(program: string, args: readonly string[]): string | undefined {
  const words = [...args];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [option, value] = word.split("=", 2);
    if (option === "--package" || option === "-p" || option === "--from") return value ?? words[at + 1];
    if (TAKES_VALUE.test(word)) at += 1;
    else if (!word.startsWith("-") && !(VERBS.has(word) && !["npx", "uvx", "bunx", "pnpx"].includes(program))) return word;
  }
  return undefined;
}

/** A version with digits, a digest, a file of this machine; `@latest` and ranges are none. */
function isFixed(named: string): boolean {
  if (/^(?:\.{0,2}\/|~\/|file:)/.test(named)) return true;
  return /(?:@|==)v?[0-9]+\.[0-9]+[0-9A-Za-z.+-]*$/.test(named) || /#[0-9a-f]{7,64}$/.test(named);
}

function containerWarnings(program: string, args: readonly string[]): readonly string[] {
  if (!["docker", "podman"].includes(program) || !args.includes("run")) return [];
  const text = args.join(" ");
  const open = [
    [/--privileged\b/, "has all rights of the machine (--privileged)"],
    [/docker\.sock/, "can control the container service itself (docker.sock)"],
    [/(?:-v|--volume)[= ]\/:|source=\/,|src=\/,/, "sees the whole disk"],
    [/--(?:net|network)[= ]host\b/, "is on the network of this machine"],
    [/--pid[= ]host\b/, "sees the processes of this machine"],
  ] as const;
  const found = open.filter(([pattern]) => pattern.test(text)).map(([, what]) => `The container ${what}.`);
  const fixed = args.some((arg) => /@sha256:[0-9a-f]{64}$/.test(arg) || /[^/]:v?[0-9]+\.[0-9]+[\w.-]*$/.test(arg));
  return fixed
    ? found
    : [...found, "The image is taken in whatever version there is at a start: name a tag with a version, or a digest."];
}

function pathWarnings({ command, args, cwd }: WrittenLaunch, { folder, othersMayWrite }: LaunchSurroundings): readonly string[] {
  const base = resolve(folder, cwd);
  const paths = [command, ...args].filter((word) => /^(?:\.{0,2}\/|\$\{TM|\$\{TEMP)/.test(word));
  return [...new Set([...paths, cwd])].flatMap((word) => {
    if (TEMPORARY.test(isAbsolute(word) || word.startsWith("$") ? word : resolve(base, word)))
      return [`"${word}" lies in a temporary folder: others may put something else there.`];
    if (word.includes("${")) return [];
    return othersMayWrite(resolve(word === command || word === cwd ? folder : base, word))
      ? [`"${word}" may be changed by other users of this machine.`]
      : [];
  });
}
