// From the text of a configuration file to what may run. Pure: text, file name and environment in, a frozen configuration or the
// reasons against it out. A fault at the top of the file refuses it whole; a fault inside a server's entry makes that server
// invalid and leaves the others alone.
import {
  deepFreeze,
  LIMIT_DEFAULTS,
  type ConfigIssue,
  type ConfiguredServer,
  type PoolConfig,
  type PoolLimits,
} from "../daemon/contract/index.ts";
import { parseDocument, type Member, type ObjectValue } from "./document.ts";
import { Fields, Issues, reportDuplicates } from "./fields.ts";
import type { Surroundings } from "./launch.ts";
import type { Lock } from "./lock.ts";
import { readServer } from "./server.ts";

export type LoadedConfig =
  { readonly kind: "ok"; readonly config: PoolConfig } | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

const KEYS = ["mcpServers", "limits", "$schema"];
const LIMIT_KEYS = Object.keys(LIMIT_DEFAULTS);
const HINTS = new Map([["servers", 'write "mcpServers" (this is the shape of another program); the nearest is "mcpServers"']]);

/** `file` is absolute; `env` is where variables are looked up; `lock` holds the pins. Never throws for any text. */
export function parseConfig(text: string, file: string, env: NodeJS.ProcessEnv, lock: Lock = new Map()): LoadedConfig {
  const document = parseDocument(text);
  if (document.kind === "refused") return deepFreeze(document);
  const issues = new Issues();
  const { root } = document;
  if (root.kind !== "object") {
    issues.report(root.place, 'the file must hold an object: {"mcpServers": {…}}');
    return { kind: "refused", issues: issues.list };
  }
  reportDuplicates(root, issues, false);
  const fields = new Fields(root, KEYS, issues, HINTS);
  fields.text("$schema");
  const limits = readLimits(fields, issues);
  if (fields.member("mcpServers") === undefined)
    fields.missing("mcpServers", '"mcpServers" is missing: an object of aliases and their servers');
  const entries = fields.object("mcpServers", "aliases and their servers");
  const found = issues.list;
  if (entries === undefined || found.length > 0) return { kind: "refused", issues: deepFreeze(found) };
  return { kind: "ok", config: Object.freeze({ file, servers: readServers(entries, { file, env }, lock), limits }) };
}

function readLimits(fields: Fields, issues: Issues): PoolLimits {
  const object = fields.object("limits", LIMIT_KEYS.map((key) => `"${key}"`).join(", "));
  if (object === undefined) return LIMIT_DEFAULTS;
  reportDuplicates(object, issues);
  const limits = new Fields(object, LIMIT_KEYS, issues);
  return Object.freeze({
    sessions: limits.whole("sessions", 1, LIMIT_DEFAULTS.sessions),
    drainMs: limits.whole("drainMs", 0, LIMIT_DEFAULTS.drainMs),
    versionsInMemory: limits.whole("versionsInMemory", 1, LIMIT_DEFAULTS.versionsInMemory),
  });
}

function readServers({ members }: ObjectValue, surroundings: Surroundings, lock: Lock): ReadonlyMap<string, ConfiguredServer> {
  const byName = new Map<string, [Member, ...Member[]]>();
  for (const member of members) {
    const same = byName.get(member.key);
    if (same === undefined) byName.set(member.key, [member]);
    else same.push(member);
  }
  const servers = new Map<string, ConfiguredServer>();
  for (const [first, ...again] of byName.values()) {
    const locked = lock.get(first.key);
    const read = readServer(first, again, surroundings, locked?.kind === "locked" ? locked : undefined);
    const server = locked?.kind === "broken" ? unpinnable(read, locked.issue) : read;
    const earlier = servers.get(server.alias);
    servers.set(server.alias, earlier === undefined ? server : together(earlier, server));
  }
  return servers;
}

/** What it is held against cannot be read: it fails closed, whatever its entry says, until it is reviewed again. */
function unpinnable(server: ConfiguredServer, issue: ConfigIssue): ConfiguredServer {
  if (server.kind === "invalid") return deepFreeze({ ...server, issues: [...server.issues, issue] });
  const { alias, spec } = server;
  const issues = server.kind === "valid" ? [issue] : [...server.issues, issue];
  return deepFreeze({ kind: "unreviewed", alias, type: spec.type, spec, issues });
}

/** Two names that are no aliases and are alike as far as they are kept. */
function together(earlier: ConfiguredServer, later: ConfiguredServer): ConfiguredServer {
  if (earlier.kind !== "invalid" || later.kind !== "invalid") return earlier;
  return deepFreeze({ ...earlier, issues: [...earlier.issues, ...later.issues] });
}
