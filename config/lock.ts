// The lock file beside the configuration: what a person has reviewed. It is read strictly and fails closed: what cannot be
// understood refuses the configuration (or, inside one server's entry, that server), as a pin that is not read is a pin that does
// not hold. One line a tool, sorted, so that its changes read well in version control.
import { dirname, join } from "node:path";
import {
  compareCodeUnits,
  deepFreeze,
  isJsonObject,
  type ConfigIssue,
  type JsonObject,
  type JsonValue,
  type ServerPins,
  type ToolPin,
  type WrittenLaunch,
} from "../daemon/contract/index.ts";
import { memberAt, parseDocument } from "./document.ts";

export const LOCK_NAME = "toolpool.lock.json";
/** A pool of many large servers; each tool has its whole definition in here. */
export const LOCK_MAX_BYTES = 64 * 1024 * 1024;
const LOCK_VERSION = 1;
const PARTS = ["type", "command", "args", "env", "cwd"] as const satisfies readonly (keyof WrittenLaunch)[];

export interface LockedServer {
  readonly kind: "locked";
  readonly launch: WrittenLaunch;
  /** By the server's own tool name. */
  readonly tools: ReadonlyMap<string, ToolPin>;
}

/** An entry that is not what a review writes. */
export interface BrokenEntry {
  readonly kind: "broken";
  readonly issue: ConfigIssue;
}

export type Lock = ReadonlyMap<string, LockedServer | BrokenEntry>;

export type ParsedLock =
  { readonly kind: "ok"; readonly lock: Lock } | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

/** `configFile` as it is named, not where a link leads: the lock lies beside the name. */
export const lockFileOf = (configFile: string): string => join(dirname(configFile), LOCK_NAME);

/** `file` is the lock's own path, for the issues. Never throws. */
export function parseLock(text: string, file: string): ParsedLock {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return refuse(syntaxIssue(text, file));
  }
  const at = (pointer: readonly string[], message: string): ConfigIssue => placed(text, file, pointer, message);
  if (!isJsonObject(content)) return refuse(at([], "the lock file must hold an object, as a review writes it"));
  if (content.lockVersion !== LOCK_VERSION)
    return refuse(
      at(["lockVersion"], `"lockVersion" must be ${LOCK_VERSION}: another version of toolpool may have written this file`),
    );
  const { servers } = content;
  if (!isJsonObject(servers)) return refuse(at(["servers"], '"servers" must be an object of aliases'));
  const lock = new Map<string, LockedServer | BrokenEntry>();
  for (const [alias, entry] of Object.entries(servers)) {
    const read = readEntry(entry);
    if (read !== undefined) lock.set(alias, read);
    else {
      const message = `this entry is not what a review writes: restore it, or review the server again: toolpool review ${alias}`;
      lock.set(alias, { kind: "broken", issue: at(["servers", alias], message) });
    }
  }
  return { kind: "ok", lock };
}

export function pinsOf({ launch, tools }: LockedServer, written: WrittenLaunch): ServerPins {
  const differs = (part: keyof WrittenLaunch): boolean => JSON.stringify(launch[part]) !== JSON.stringify(written[part]);
  return deepFreeze({ launch: PARTS.filter(differs), tools });
}

/** A reviewed server as it is to be written. Definitions are canonical JSON text: no number in them is rounded on the way. */
export interface LockEntry {
  readonly launch: WrittenLaunch;
  readonly tools: ReadonlyMap<string, { readonly digest: string; readonly definition: string }>;
}

export const EMPTY_LOCK = `{\n  "lockVersion": ${LOCK_VERSION},\n  "servers": {}\n}\n`;

/** The entry's text: an object whose members stand at `indent`, one line a tool. */
export function lockEntryText({ launch, tools }: LockEntry, indent: string): string {
  const inner = `${indent}  `;
  const lines = [...tools]
    .sort(([a], [b]) => compareCodeUnits(a, b))
    .map(
      ([name, { digest, definition }]) =>
        `${inner}  ${JSON.stringify(name)}: {"digest": "${digest}", "definition": ${definition}}`,
    );
  const toolText = lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n${inner}}`;
  return `{\n${inner}"launch": ${JSON.stringify(launch)},\n${inner}"tools": ${toolText}\n${indent}}`;
}

function readEntry(entry: JsonValue): LockedServer | undefined {
  if (!isJsonObject(entry)) return undefined;
  const launch = readLaunch(entry.launch);
  if (launch === undefined || !isJsonObject(entry.tools)) return undefined;
  const tools = new Map<string, ToolPin>();
  for (const [name, pin] of Object.entries(entry.tools)) {
    if (!isJsonObject(pin) || typeof pin.digest !== "string" || !isJsonObject(pin.definition)) return undefined;
    tools.set(name, { digest: pin.digest, definition: pin.definition });
  }
  return { kind: "locked", launch, tools };
}

function readLaunch(launch: JsonValue | undefined): WrittenLaunch | undefined {
  if (!isJsonObject(launch ?? null)) return undefined;
  const { type, command, args, env, cwd } = launch as JsonObject;
  if (type !== "stdio" || typeof command !== "string" || typeof cwd !== "string") return undefined;
  return isTexts(args) && isTexts(env) ? { type, command, args, env, cwd } : undefined;
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

const refuse = (issue: ConfigIssue): ParsedLock => ({ kind: "refused", issues: [issue] });

function syntaxIssue(text: string, file: string): ConfigIssue {
  if (/^(?:<{7}|={7}|>{7})/m.test(text)) {
    const line = text.slice(0, text.search(/^(?:<{7}|={7}|>{7})/m)).split("\n").length;
    return { file, pointer: "", line, column: 1, message: "here is a merge conflict: settle it, a line is one reviewed tool" };
  }
  const document = parseDocument(text);
  const [issue] = document.kind === "refused" ? document.issues : [];
  const remedy = "restore the lock file from version control, or remove it and review the servers again";
  return {
    pointer: "",
    ...issue,
    file,
    message: `${issue?.message ?? "this is not JSON (the lock file takes no comments)"}: ${remedy}`,
  };
}

function placed(text: string, file: string, keys: readonly string[], message: string): ConfigIssue {
  const document = parseDocument(text);
  const member = document.kind === "ok" ? memberAt(document.root, keys) : undefined;
  const pointer = keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return { file, line: 1, column: 1, ...member?.place, pointer, message };
}
