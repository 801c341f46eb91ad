// Reads one file of a host and finds the servers in it. Read only, whole and bounded; what is wrong with the file or with one
// entry is told with its place, and everything else is still found.
import type { ConfigIssue } from "../../daemon/contract/index.ts";
import { partsOfDocument, type DocumentPart, type DocumentParts } from "../../config/document-part.ts";
import type { Member, Value } from "../../config/document.ts";
import { readSource } from "../../config/source.ts";
import type { FoundServer } from "./found.ts";
import type { HostFile, World } from "./host-files.ts";
import { readEntry } from "./read-entry.ts";
import { partsOfToml } from "./toml-parts.ts";
import type { Input } from "./variables.ts";

export interface HostRead {
  readonly servers: readonly FoundServer[];
  readonly issues: readonly ConfigIssue[];
  /** There is no such file, or nothing of servers is in it. */
  readonly empty: boolean;
}

const MISSING = "there is no such file: see how its path is written";

/** Never throws for any content. */
export async function readHostFile(source: HostFile, world: World): Promise<HostRead> {
  const read = await readSource(source.file, { maxBytes: source.maxBytes, missing: MISSING });
  // A host that is not installed is no fault; a file that was named is.
  if (read.kind === "refused")
    return { servers: [], issues: read.absent && source.host !== "file" ? [] : read.issues, empty: read.absent };
  if (read.text.trim() === "") {
    const issues = source.host === "file" ? [{ pointer: "", message: "the file is empty: there are no servers in it" }] : [];
    return { servers: [], issues, empty: true };
  }
  const { containers, off = [], inputs } = source;
  const parts = partsOf(source, read.text, [...containers, ...off, ...(inputs === undefined ? [] : [inputs])]);
  if (parts.kind === "refused") return { servers: [], issues: parts.issues, empty: false };
  const within = (paths: readonly (readonly string[])[]): readonly DocumentPart[] =>
    parts.parts.filter(({ path }) => paths.includes(path));
  const found = within(containers).map(({ path, value }) => membersOf(path, value));
  const entry = {
    world,
    source,
    inputs: inputsIn(inputs === undefined ? [] : within([inputs])),
    off: new Set(within(off).flatMap(({ value }) => textsIn(value))),
  };
  return {
    servers: found.flatMap(({ members }) => members.map((member) => readEntry(member, entry))),
    issues: [...parts.issues, ...found.flatMap(({ issue }) => (issue === undefined ? [] : [issue]))],
    empty: parts.parts.length === 0,
  };
}

function partsOf({ format, file }: HostFile, text: string, paths: readonly (readonly string[])[]): DocumentParts {
  if (format === "toml" || (format === "any" && /\.toml$/i.test(file))) return partsOfToml(text, paths);
  const parts = partsOfDocument(text, paths);
  // A file without a telling name: what begins with a bracket may be a table of TOML.
  if (format !== "any" || parts.kind === "ok" || /^\s*(?:\{|\/[/*])/.test(text)) return parts;
  const toml = partsOfToml(text, paths);
  return toml.kind === "ok" ? toml : parts;
}

interface Container {
  readonly members: readonly Member[];
  readonly issue?: ConfigIssue;
}

function membersOf(path: readonly string[], value: Value): Container {
  const name = path.at(-1) ?? "";
  if (value.kind === "null") return { members: [] };
  if (value.kind !== "object") {
    return {
      members: [],
      issue: { ...value.place, message: `"${name}" holds no servers: it must be an object of names and servers` },
    };
  }
  // OpenCode's newer files have one step more; VS Code's settings keep servers and inputs side by side.
  const inner = name === "mcp" ? value.members.find(({ key, value: held }) => key === "servers" && !isServer(held)) : undefined;
  if (inner !== undefined) return membersOf([...path, "servers"], inner.value);
  return { members: lastOfEach(value.members) };
}

const isServer = (value: Value): boolean =>
  value.kind !== "object" ||
  value.members.some(({ key, value: held }) => ["type", "command", "url"].includes(key) && held.kind !== "object");

/** Of a name that stands twice the last one counts, as for every JSON parser. */
function lastOfEach(members: readonly Member[]): readonly Member[] {
  return [...new Map(members.map((member) => [member.key, member])).values()];
}

function textsIn(value: Value): readonly string[] {
  return value.kind === "array" ? value.items.flatMap((item) => (item.kind === "string" ? [item.value] : [])) : [];
}

function inputsIn(parts: readonly DocumentPart[]): ReadonlyMap<string, Input> {
  const items = parts.flatMap(({ value }) => (value.kind === "array" ? value.items : []));
  const inputs = items.flatMap((item): (readonly [string, Input])[] => {
    if (item.kind !== "object") return [];
    const text = (key: string): string | undefined => {
      const value = item.members.find((member) => member.key === key)?.value;
      return value?.kind === "string" ? value.value : undefined;
    };
    const id = text("id");
    const preset = text("default");
    // A default that holds a brace cannot stand in ours.
    return id === undefined ? [] : [[id, { id, ...(preset === undefined || /[{}]/.test(preset) ? {} : { preset }) }]];
  });
  return new Map(inputs);
}
