// One entry of a host's configuration, in any of the shapes that hosts use, as a server that was found. Nothing is dropped in
// silence: what does not come along is a remark, what cannot be read makes the entry unusable and no other one.
import { posix, win32 } from "node:path";
import { isSecretName } from "../../config/secrets.ts";
import type { Member, ObjectValue, Value } from "../../config/document.ts";
import type { FoundLaunch, FoundServer } from "./found.ts";
import type { HostFile, World } from "./host-files.ts";
import { translate, type Input, type TextWorld } from "./variables.ts";

export interface EntryWorld {
  readonly world: World;
  readonly source: HostFile;
  readonly inputs: ReadonlyMap<string, Input>;
  /** Names that are turned off elsewhere in the file. */
  readonly off: ReadonlySet<string>;
}

const URLS = ["url", "httpUrl", "serverUrl"];
/** Read here, or without a meaning for us. */
const READ = new Set([
  "type",
  "transport",
  "source",
  "command",
  "args",
  "env",
  "environment",
  "env_vars",
  "cwd",
  "disabled",
  "enabled",
  "description",
  ...URLS,
]);
/** What the commands of shells and editors resolve: `~` alone or before a slash. */
const HOME = /^~(?=$|[/\\])/;

export function readEntry({ key: name, place, value }: Member, entry: EntryWorld): FoundServer {
  const { source, off } = entry;
  const common = { host: source.host, scope: source.scope, file: source.file, line: place.line, name };
  const unusable = (problem: string, remarks: readonly string[] = []): FoundServer => {
    return { ...common, kind: "unusable", disabled: off.has(name), remarks, problem };
  };
  if (value.kind !== "object") return unusable("it is no object");
  const field = fieldsOf(value);
  const disabled = off.has(name) || isTrue(field("disabled")) || isFalse(field("enabled"));
  const url = URLS.map((each) => textOf(field(each))).find((each) => each !== undefined && each !== "");
  const type = textOf(field("type")) ?? textOf(field("transport"));
  if (textOf(field("source")) === "extension")
    return unusable("an extension of the editor brings it: add the program it runs yourself");
  if (field("command") === undefined) {
    if (url === undefined) return unusable('it has no "command"');
    return { ...common, kind: "remote", disabled, remarks: [], type: type ?? "http", url };
  }
  const launch = new LaunchReader(entry).read(field);
  const left = value.members.map(({ key }) => key).filter((key) => !READ.has(key));
  const remarks = [...launch.remarks, ...(left.length === 0 ? [] : [`not carried over: ${left.join(", ")}`])];
  if (launch.kind === "failed") return unusable(launch.problem, remarks);
  return { ...common, kind: "stdio", disabled, remarks, launch: launch.launch, variables: launch.variables };
}

type Field = (key: string) => Value | undefined;
type Read = { readonly remarks: readonly string[] } & (
  | { readonly kind: "read"; readonly launch: FoundLaunch; readonly variables: readonly string[] }
  | { readonly kind: "failed"; readonly problem: string }
);

const fieldsOf =
  ({ members }: ObjectValue): Field =>
  (key) =>
    members.findLast((member) => member.key === key)?.value;
const textOf = (value: Value | undefined): string | undefined => (value?.kind === "string" ? value.value : undefined);
const isTrue = (value: Value | undefined): boolean => value?.kind === "boolean" && value.value;
const isFalse = (value: Value | undefined): boolean => value?.kind === "boolean" && !value.value;

class LaunchReader {
  readonly #entry: EntryWorld;
  readonly #path: typeof posix;
  readonly #texts: TextWorld;
  readonly #remarks: string[] = [];
  readonly #variables: string[] = [];
  readonly #problems: string[] = [];

  constructor(entry: EntryWorld) {
    this.#entry = entry;
    const { world, source, inputs } = entry;
    this.#path = world.platform === "win32" ? win32 : posix;
    this.#texts = {
      host: source.host,
      home: world.home,
      workspace: source.scope === "user" ? world.cwd : (source.base ?? world.cwd),
      workspaceGuessed: source.scope === "user",
      separator: this.#path.sep,
      inputs,
    };
  }

  read(field: Field): Read {
    const words = this.#words(field);
    const env = this.#env(field);
    const cwd = this.#cwd(field("cwd"));
    const command = this.#command(words[0] ?? "");
    const args = words.slice(1);
    const remarks = [...new Set(this.#remarks)];
    if (command.trim() === "") this.#problems.push('its "command" is empty');
    const [problem] = this.#problems;
    if (problem !== undefined) return { kind: "failed", remarks, problem };
    const where = cwd ?? this.#impliedFolder(words);
    const launch = { command, args, env, ...(where === undefined ? {} : { cwd: where }) };
    return { kind: "read", launch, variables: [...new Set(this.#variables)], remarks: [...new Set(this.#remarks)] };
  }

  /** `command` and `args`; OpenCode has both in one list, Zed once had them in one object. */
  #words(field: Field): readonly string[] {
    const command = field("command");
    const args = field("args");
    if (command?.kind === "object") {
      const inner = fieldsOf(command);
      return [this.#text(inner("path") ?? inner("command"), '"command"'), ...this.#list(inner("args"), "args")];
    }
    if (command?.kind === "array") return [...this.#list(command, "command"), ...this.#list(args, "args")];
    return [this.#text(command, '"command"'), ...this.#list(args, "args")];
  }

  #list(value: Value | undefined, key: string): readonly string[] {
    if (value === undefined || value.kind === "null") return [];
    if (value.kind === "array") return value.items.map((item, index) => this.#text(item, `${key} ${String(index + 1)}`));
    this.#problems.push(`its "${key}" is no list`);
    return [];
  }

  #env(field: Field): Readonly<Record<string, string>> {
    const command = field("command");
    const sources = [command?.kind === "object" ? fieldsOf(command)("env") : undefined, field("env"), field("environment")];
    const pairs = sources.flatMap((value): (readonly [string, string])[] => {
      if (value === undefined || value.kind === "null") return [];
      if (value.kind === "object") return value.members.flatMap((member) => this.#pair(member));
      this.#problems.push('its "env" is no object');
      return [];
    });
    return Object.fromEntries([...pairs, ...this.#passedOn(field("env_vars"))]);
  }

  #pair({ key, value }: Member): (readonly [string, string])[] {
    // VS Code takes a variable away with null; ours starts with none but the basic ones.
    if (value.kind === "null") return [];
    if (value.kind === "number" || value.kind === "boolean") return [[key, String(value.value)]];
    return [[key, this.#text(value, isSecretName(key) ? "a variable" : `the variable "${key}"`)]];
  }

  /** Codex: names of variables that the server gets from the environment, plain or as `{name, source}`. */
  #passedOn(value: Value | undefined): readonly (readonly [string, string])[] {
    if (value?.kind !== "array") return [];
    return value.items.flatMap((item): (readonly [string, string])[] => {
      const name = textOf(item.kind === "object" ? fieldsOf(item)("name") : item);
      if (name === undefined) return [];
      this.#variables.push(name);
      return [[name, `\${${name}}`]];
    });
  }

  #text(value: Value | undefined, what: string): string {
    const written = textOf(value);
    if (written === undefined) {
      this.#problems.push(`${what} is no text`);
      return "";
    }
    const { text, variables, remarks, problem } = translate(written, this.#texts);
    this.#variables.push(...variables);
    this.#remarks.push(...remarks);
    if (problem !== undefined) this.#problems.push(`${what}: ${problem}`);
    if (text.includes("\0")) this.#problems.push(`${what} holds a character that no program can be given`);
    return text;
  }

  /** Absolute when it is a path; a bare name is looked for in the PATH, there as here. */
  #command(written: string): string {
    const command = this.#fromHome(written);
    const isPath = command.includes("/") || (this.#path === win32 && command.includes("\\"));
    return isPath && !command.startsWith("${") ? this.#absolute(command, "its command") : command;
  }

  #cwd(value: Value | undefined): string | undefined {
    if (value === undefined || value.kind === "null") return undefined;
    const written = this.#fromHome(this.#text(value, '"cwd"'));
    if (written === "") return undefined;
    return written.startsWith("${") ? written : this.#absolute(written, "its cwd");
  }

  #absolute(path: string, what: string): string {
    if (this.#path.isAbsolute(path)) return path;
    const { source, world } = this.#entry;
    if (source.base === undefined) this.#remarks.push(`${what} is relative to wherever the host runs: taken to be this folder`);
    return this.#path.resolve(source.base ?? world.cwd, path);
  }

  #fromHome(path: string): string {
    return path.replace(HOME, () => this.#entry.world.home);
  }

  /** A project's server runs in the project; that has to be said here only where something is relative to it. */
  #impliedFolder(words: readonly string[]): string | undefined {
    const { base } = this.#entry.source;
    if (!words.slice(1).some((word) => RELATIVE.test(word))) return undefined;
    if (base === undefined) this.#remarks.push("an argument is relative to wherever the host runs: add a cwd");
    return base;
  }
}

/** `./x`, `..`, `dist/server.js`, `main.py`: a file seen from somewhere. */
const RELATIVE = /^\.{1,2}(?:[/\\]|$)|^[\w@][\w@./\\-]*\.(?:[mc]?[jt]s|py|rb|sh|jar|php|lua|json|toml|ya?ml|env|db)$/;
