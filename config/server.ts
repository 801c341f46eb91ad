// One entry of `mcpServers`. Whatever is wrong in it makes this server invalid, with every reason found, and no other one.
import {
  ALIAS_PATTERN,
  canonicalJson,
  deepFreeze,
  RUNNER_INSTALL_MS,
  SERVER_DEFAULTS,
  type ConfigIssue,
  type ConfiguredServer,
  type ServerSpec,
  type ToolPolicy,
} from "../daemon/contract/index.ts";
import { aliasFor } from "./alias.ts";
import { serverDigest, textDigest } from "./digest.ts";
import type { Member, ObjectValue } from "./document.ts";
import { Fields, Issues, quoted, reportDuplicates } from "./fields.ts";
import { readLaunch, writtenLaunch, type Surroundings } from "./launch.ts";
import { pinsOf, type LockedServer } from "./lock.ts";
import { packageRunner } from "./package-runner.ts";
import { readToolPolicies } from "./tool-policy.ts";

const TYPES = ["stdio"];
/** Kinds of server that other programs know, and that a later release will. */
const OTHER_TYPES = new Set(
  "http streamable-http streamable_http streamableHttp sse ws websocket sse-ide ws-ide sdk inprocess in-process claudeai-proxy".split(
    " ",
  ),
);

/** The least value of each number. */
const NUMBERS = {
  concurrency: 1,
  queueLimit: 0,
  queueTimeoutMs: 1,
  lingerMs: 0,
  graceMs: 0,
  startupTimeoutMs: 1,
  installTimeoutMs: 0,
  toolTimeoutMs: 1,
  toolTotalMs: 1,
  maxResultBytes: 1,
  maxMessageBytes: 1,
} as const satisfies Record<keyof typeof SERVER_DEFAULTS, number>;

const KEYS = [
  ...["type", "command", "args", "env", "cwd", "url", "headers", "tools", "sharing", "reconnect", "keepAlive"],
  ...["disabled", "description"],
  ...Object.keys(NUMBERS),
];

const HINTS = new Map([
  ["enabled", 'write "disabled": true for a server that is not to run; the nearest is "disabled"'],
  ["timeout", 'write "toolTimeoutMs" (milliseconds) for calls, "startupTimeoutMs" for the start; the nearest is "toolTimeoutMs"'],
  ["autoApprove", 'write "tools": {"name": {"effect": …, "approval": "allow"}}; the nearest is "tools"'],
  ["alwaysAllow", 'write "tools": {"name": {"effect": …, "approval": "allow"}}; the nearest is "tools"'],
]);

/** How much of a name that is no alias is kept. */
const MAX_KEPT = 64;

/** Of an alias that stands twice, `again` are the further entries: none of them is more right than the other. */
export function readServer(
  member: Member,
  again: readonly Member[],
  surroundings: Surroundings,
  locked?: LockedServer,
): ConfiguredServer {
  const issues = new Issues();
  const { key, place, value } = member;
  if (!ALIAS_PATTERN.test(key)) {
    const rule = "a lower-case letter, then a–z, 0–9 and _, at most 32 characters";
    issues.report(place, `${quoted(key)} cannot be the alias of a server: ${rule}${suggestion(key)}`);
  }
  for (const other of again)
    issues.report(other.place, `${quoted(key)} stands here twice (first in line ${place.line}): keep one of them`);
  reportDuplicates(value, issues);
  if (value.kind !== "object") {
    issues.report(value.place, 'a server must be an object with at least "command" and "tools"');
    return invalid(key, "stdio", issues.list);
  }
  const { type, spec } = readSpec(key, value, { surroundings, locked }, issues);
  const reviewed = value.members.some((each) => each.key === "tools");
  const sound = issues.list.length === 0;
  if (!reviewed) reportUnreviewed(key, value, issues);
  const found = issues.list;
  if (spec === undefined || !sound) return invalid(key, type, found);
  if (!reviewed) return deepFreeze({ kind: "unreviewed", alias: key, type, spec, issues: found });
  return Object.freeze({ kind: "valid", alias: key, spec });
}

function reportUnreviewed(alias: string, { place }: ObjectValue, issues: Issues): void {
  const remedy = `review its tools with "toolpool review ${alias}", or name every tool with its effect`;
  issues.report({ ...place, pointer: `${place.pointer}/tools` }, `"tools" is missing: ${remedy} (write {} if it publishes none)`);
}

function readSpec(
  alias: string,
  value: ObjectValue,
  { surroundings, locked }: { readonly surroundings: Surroundings; readonly locked: LockedServer | undefined },
  issues: Issues,
): { readonly type: string; readonly spec: ServerSpec | undefined } {
  const fields = new Fields(value, KEYS, issues, HINTS);
  const type = readType(fields, issues);
  const launch = type === "stdio" ? readLaunch(fields, surroundings, issues) : undefined;
  const written = launch === undefined ? undefined : writtenLaunch(value);
  const runner = launch === undefined ? undefined : packageRunner(launch);
  const tools = readToolPolicies(fields, issues);
  const description = fields.text("description");
  const numbers = readNumbers(fields, runner);
  const settings = {
    sharing: fields.oneOf("sharing", ["shared", "session"], "shared"),
    reconnect: fields.oneOf("reconnect", ["manual", "backoff"], "manual"),
    keepAlive: fields.flag("keepAlive", false),
    disabled: fields.flag("disabled", false),
  };
  if (launch === undefined || written === undefined) return { type, spec: undefined };
  const whole = {
    alias,
    type: "stdio" as const,
    launch,
    written,
    launchDigest: textDigest(canonicalJson(written)),
    ...(runner === undefined ? {} : { runner }),
    ...(locked === undefined ? {} : { pins: pinsOf(locked, written) }),
    tools: tools ?? new Map<string, ToolPolicy>(),
    ...settings,
    ...(description === undefined ? {} : { description }),
    ...numbers,
  };
  for (const policy of whole.tools.values()) Object.freeze(policy);
  return { type, spec: deepFreeze({ ...whole, digest: serverDigest(whole) }) };
}

/** The name of the kind as it is shown, also where this release does not run it. */
function readType(fields: Fields, issues: Issues): string {
  const member = fields.member("type");
  const type = fields.text("type") ?? "stdio";
  if (member !== undefined && !TYPES.includes(type)) {
    const known = OTHER_TYPES.has(type);
    const why = known ? "this release runs stdio servers only" : `it is one of ${TYPES.map(quoted).join(", ")}`;
    issues.report(member.value.place, `"type" cannot be ${quoted(type)}: ${why}`);
    return type.slice(0, MAX_KEPT);
  }
  for (const key of ["url", "headers"]) {
    const remote = fields.member(key);
    if (remote === undefined) continue;
    issues.report(remote.place, `"${key}" belongs to a remote server: this release runs stdio servers only`);
    // Without a command it was meant to be remote: that nothing starts it is no second fault.
    if (fields.member("command") === undefined) return "http";
  }
  return "stdio";
}

function readNumbers(fields: Fields, runner: string | undefined): Readonly<Record<keyof typeof SERVER_DEFAULTS, number>> {
  const read = (key: keyof typeof NUMBERS): number => fields.whole(key, NUMBERS[key], SERVER_DEFAULTS[key]);
  return {
    concurrency: read("concurrency"),
    queueLimit: read("queueLimit"),
    queueTimeoutMs: read("queueTimeoutMs"),
    lingerMs: read("lingerMs"),
    graceMs: read("graceMs"),
    startupTimeoutMs: read("startupTimeoutMs"),
    installTimeoutMs: fields.whole(
      "installTimeoutMs",
      0,
      runner === undefined ? SERVER_DEFAULTS.installTimeoutMs : RUNNER_INSTALL_MS,
    ),
    toolTimeoutMs: read("toolTimeoutMs"),
    toolTotalMs: read("toolTotalMs"),
    maxResultBytes: read("maxResultBytes"),
    maxMessageBytes: read("maxMessageBytes"),
  };
}

function invalid(name: string, type: string, issues: readonly ConfigIssue[]): ConfiguredServer {
  return deepFreeze({ kind: "invalid", alias: Array.from(name).slice(0, MAX_KEPT).join(""), type, issues });
}

function suggestion(name: string): string {
  const alias = aliasFor(name);
  return alias === undefined ? "" : ` (for example ${quoted(alias)})`;
}
