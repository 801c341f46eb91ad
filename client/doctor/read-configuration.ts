// The configuration and its lock file, read as the daemon and `toolpool check` read them, with the places a person has to go to.
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { memberAt, parseDocument, type Value } from "../../config/document.ts";
import { referencesIn } from "../../config/expand.ts";
import { readEntries } from "../../config/entry.ts";
import { checkFile, loadConfig, readLock } from "../../config/load.ts";
import { lockFileOf } from "../../config/lock.ts";
import { configFile } from "../../config/paths.ts";
import { readSource } from "../../config/source.ts";
import type { Run } from "../commands/surroundings.ts";
import type { ConfigurationFacts, FileFacts } from "./facts.ts";
import { fileFacts } from "./file-facts.ts";

/** As config/expand.ts takes it; of anything else the check says more than that it is not set. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export async function readConfiguration({ env }: Run): Promise<ConfigurationFacts> {
  const file = configFile(env);
  const [check, loaded, lock, source] = await Promise.all([
    checkFile(file, env),
    loadConfig(file, env),
    readLock(file),
    readSource(file),
  ]);
  const text = source.kind === "text" ? source.text : "";
  const read = readEntries(text);
  const entries: ConfigurationFacts["entries"] = read.kind === "read" ? read.entries : new Map();
  const lockFile = lockFileOf(file);
  const isUnset = (name: string): boolean => PLAIN_NAME.test(name) && env[name] === undefined;
  const paths = [file, lockFile, dirname(file)];
  const found = await Promise.all(paths.map((path) => fileFacts(path, { follow: true }).catch(() => undefined)));
  return {
    file,
    check,
    loaded,
    entries,
    lines: linesOf(text),
    lockFile,
    lock,
    unset: new Map([...entries.values()].map(({ alias, variables }) => [alias, variables.filter(isUnset)])),
    unsetPlaces: placesOf(text, isUnset),
    files: found.filter((one) => one !== undefined),
    editLock: await fileFacts(`${file}.lock`).catch(() => undefined),
    drafts: await draftsOf(file, lockFile),
  };
}

function linesOf(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const document = parseDocument(text);
  const servers = document.kind === "ok" ? memberAt(document.root, ["mcpServers"])?.value : undefined;
  for (const { key: alias, place, value } of servers?.kind === "object" ? servers.members : []) {
    lines.set(alias, place.line);
    for (const member of value.kind === "object" ? value.members : []) lines.set(`${alias}/${member.key}`, member.place.line);
  }
  return lines;
}

/** Texts that refer to a variable without a value. */
function placesOf(text: string, isUnset: (name: string) => boolean): ReadonlySet<string> {
  const places = new Set<string>();
  const walk = (value: Value): void => {
    if (value.kind === "object") for (const member of value.members) walk(member.value);
    if (value.kind === "array") for (const item of value.items) walk(item);
    if (value.kind !== "string") return;
    if (referencesIn(value).some(isUnset)) places.add(value.place.pointer);
  };
  const document = parseDocument(text);
  if (document.kind === "ok") walk(document.root);
  return places;
}

/** write-file-atomic names its draft after the file, with a number behind it. */
async function draftsOf(...files: readonly string[]): Promise<readonly FileFacts[]> {
  const folder = dirname(files[0] ?? "");
  const names = await readdir(folder).catch(() => []);
  const drafts = names.filter((name) => files.some((file) => name.startsWith(`${basename(file)}.`) && /\.\d+$/.test(name)));
  const found = await Promise.all(drafts.map((name) => fileFacts(join(folder, name)).catch(() => undefined)));
  return found.filter((one) => one !== undefined).filter(({ kind }) => kind === "file");
}
