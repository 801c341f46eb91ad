// What starts a stdio server: command, arguments, added environment, working folder, with variables expanded and paths absolute.
// The values may be secrets from here on; an issue names the field and the variable and shows nothing else.
import { dirname, resolve } from "node:path";
import { compareCodeUnits, type StdioLaunch, type WrittenLaunch } from "../daemon/contract/index.ts";
import { memberAt, type ObjectValue, type Value } from "./document.ts";
import { expand } from "./expand.ts";
import { quoted, textOf, type Fields, type Issues } from "./fields.ts";
import { maskArgs } from "./secrets.ts";

/** What a file is read with. */
export interface Surroundings {
  /** Absolute path of the configuration file. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Undefined when something is wrong, which is then reported. */
export function readLaunch(fields: Fields, surroundings: Surroundings, issues: Issues): StdioLaunch | undefined {
  const folder = dirname(surroundings.file);
  const text = (value: Value, what: string): string | undefined => expandedText(value, what, surroundings.env, issues);
  const command = readCommand(fields, folder, text, issues);
  const args = readArgs(fields, text, issues);
  const env = readEnv(fields, text, issues);
  const cwd = fields.member("cwd");
  const place = cwd === undefined ? "" : text(cwd.value, '"cwd"');
  if (command === undefined || args === undefined || env === undefined || place === undefined) return undefined;
  return { command, args, env, cwd: resolve(folder, place) };
}

/** The same as it stands in the file, of an entry whose launch was read. */
export function writtenLaunch(entry: ObjectValue): WrittenLaunch {
  const value = (key: string): Value | undefined => memberAt(entry, [key])?.value;
  const text = (written: Value | undefined): string | undefined => (written?.kind === "string" ? written.value : undefined);
  const args = value("args");
  const env = value("env");
  return {
    type: "stdio",
    command: text(value("command")) ?? "",
    args: maskArgs(args?.kind === "array" ? args.items.map((item) => text(item) ?? "") : []),
    env: env?.kind === "object" ? env.members.map(({ key }) => key).toSorted(compareCodeUnits) : [],
    cwd: text(value("cwd")) ?? ".",
  };
}

type ReadText = (value: Value, what: string) => string | undefined;

/** With a slash it is a path; without, a name to be looked for in the PATH of the child. */
function readCommand(fields: Fields, folder: string, text: ReadText, issues: Issues): string | undefined {
  const member = fields.member("command");
  if (member === undefined) {
    fields.missing("command", '"command" is missing: the program that is the server, its arguments in "args"');
    return undefined;
  }
  const command = text(member.value, '"command"');
  if (command === undefined) return undefined;
  if (command.trim() === "") {
    issues.report(member.value.place, '"command" is empty: name the program that is the server');
    return undefined;
  }
  const path = command.includes("/") || (process.platform === "win32" && command.includes("\\"));
  return path ? resolve(folder, command) : command;
}

function readArgs(fields: Fields, text: ReadText, issues: Issues): readonly string[] | undefined {
  const member = fields.member("args");
  if (member === undefined) return [];
  if (member.value.kind !== "array") {
    issues.report(member.value.place, '"args" must be an array of strings, one for each argument');
    return undefined;
  }
  const args = member.value.items.map((item, index) => text(item, `argument ${index + 1}`));
  return args.every((arg) => arg !== undefined) ? args : undefined;
}

function readEnv(fields: Fields, text: ReadText, issues: Issues): Readonly<Record<string, string>> | undefined {
  const member = fields.member("env");
  if (member === undefined) return {};
  const object = fields.object("env", "names of variables and their values");
  if (object === undefined) return undefined;
  let sound = true;
  const entries: [string, string][] = [];
  for (const { key, place, value } of object.members) {
    const named = key !== "" && !/[=\0]/.test(key);
    if (!named) issues.report(place, `${quoted(key)} cannot be the name of a variable`);
    const held = text(value, `the variable ${quoted(key)}`);
    if (named && held !== undefined) entries.push([key, held]);
    else sound = false;
  }
  // `fromEntries` defines members, so that `__proto__` is one more variable and not the object's prototype.
  return sound ? Object.fromEntries(entries) : undefined;
}

function expandedText(value: Value, what: string, env: NodeJS.ProcessEnv, issues: Issues): string | undefined {
  const written = textOf(value, what, issues);
  if (written === undefined) return undefined;
  const expansion = expand(written, env);
  if (expansion.kind === "failed") {
    for (const message of expansion.messages) issues.report(value.place, message);
    return undefined;
  }
  if (!expansion.text.includes("\0")) return expansion.text;
  issues.report(value.place, `${what} holds a NUL character, which no program can be given`);
  return undefined;
}
