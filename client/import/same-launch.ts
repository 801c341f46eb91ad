// Whether a server that was found is one that is configured already: the same command, arguments, variables and folder. A secret
// that stands inline there and as a variable here is the same. Pure.
import { dirname, resolve } from "node:path";
import { memberAt, parseDocument, type Value } from "../../config/document.ts";
import { secretsInArgs, secretsInVariable, type NamedRange } from "../../config/secrets.ts";
import type { FoundLaunch } from "./found.ts";

/** Every alias that is taken, with its launch where it is one. The text must parse; `file` is where it stands. */
export function configuredLaunches(text: string, file: string): ReadonlyMap<string, FoundLaunch | undefined> {
  const document = parseDocument(text);
  const servers = document.kind === "ok" ? memberAt(document.root, ["mcpServers"])?.value : undefined;
  const members = servers?.kind === "object" ? servers.members : [];
  return new Map(members.map(({ key, value }) => [key, launchOf(value, dirname(file))]));
}

export function sameLaunch(found: FoundLaunch, configured: FoundLaunch): boolean {
  const words = [found.command, ...found.args];
  const theirs = [configured.command, ...configured.args];
  if (words.length !== theirs.length || found.cwd !== configured.cwd) return false;
  const names = Object.keys(found.env);
  if (names.length !== Object.keys(configured.env).length || !names.every((name) => Object.hasOwn(configured.env, name)))
    return false;
  const secrets = secretsInArgs(words);
  return (
    words.every((word, at) =>
      same(
        word,
        secrets.filter(({ index }) => index === at),
        theirs[at] ?? "",
      ),
    ) &&
    names.every((name) => {
      const value = found.env[name] ?? "";
      return same(value, wholeOrPart(name, value), configured.env[name] ?? "");
    })
  );
}

/** A variable is kept whole also where only a part of it is secret. */
function wholeOrPart(name: string, value: string): readonly NamedRange[] {
  return secretsInVariable(name, value).length === 0 ? [] : [{ start: 0, end: value.length }];
}

function same(found: string, secrets: readonly NamedRange[], configured: string): boolean {
  if (found === configured) return true;
  if (secrets.length === 0) return false;
  let pattern = "";
  let at = 0;
  for (const { start, end } of secrets) {
    pattern += `${literal(found.slice(at, start))}(?:${literal(found.slice(start, end))}|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\})`;
    at = end;
  }
  return new RegExp(`^${pattern}${literal(found.slice(at))}$`).test(configured);
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

function launchOf(entry: Value, folder: string): FoundLaunch | undefined {
  if (entry.kind !== "object") return undefined;
  const field = (key: string): Value | undefined => entry.members.find((member) => member.key === key)?.value;
  const text = (value: Value | undefined): string | undefined => (value?.kind === "string" ? value.value : undefined);
  const command = text(field("command"));
  const args = field("args");
  const env = field("env");
  const cwd = text(field("cwd"));
  if (command === undefined) return undefined;
  return {
    command: command.includes("/") && !command.startsWith("${") ? resolve(folder, command) : command,
    args: args?.kind === "array" ? args.items.map((item) => text(item) ?? "") : [],
    env: Object.fromEntries(env?.kind === "object" ? env.members.map(({ key, value }) => [key, text(value) ?? ""]) : []),
    ...(cwd === undefined ? {} : { cwd: cwd.startsWith("${") ? cwd : resolve(folder, cwd) }),
  };
}
