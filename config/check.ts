// What `toolpool check` says of a configuration: every server with its faults, and what would fail at its first connect although
// the file is sound. Pure; nothing is started, and no expanded value is in the answer.
import type { ConfigIssue, ConfiguredServer, ServerSpec, ToolPolicy } from "../daemon/contract/index.ts";
import { memberAt, parseDocument, type Value } from "./document.ts";
import { exposedName, nameProblem } from "./exposed-name.ts";
import { quoted } from "./fields.ts";
import type { Lock } from "./lock.ts";
import { parseConfig } from "./parse.ts";

export interface CheckedServer {
  readonly alias: string;
  readonly status: "valid" | "invalid" | "disabled";
  readonly type: string;
  /** How many tools the policy names of each effect; absent for an invalid server. */
  readonly tools?: Readonly<Record<ToolPolicy["effect"], number>>;
  readonly issues: readonly ConfigIssue[];
  /** The server would be refused when it is connected. */
  readonly warnings: readonly ConfigIssue[];
}

export type ConfigCheck =
  | { readonly kind: "checked"; readonly file: string; readonly servers: readonly CheckedServer[] }
  | { readonly kind: "refused"; readonly file: string; readonly issues: readonly ConfigIssue[] };

export function checkConfig(text: string, file: string, env: NodeJS.ProcessEnv, lock?: Lock): ConfigCheck {
  const loaded = parseConfig(text, file, env, lock);
  if (loaded.kind === "refused") return { ...loaded, file };
  const document = parseDocument(text);
  const root = document.kind === "ok" ? document.root : undefined;
  return { kind: "checked", file, servers: [...loaded.config.servers.values()].map((server) => checkServer(server, root)) };
}

/** Nothing refused and no server invalid. Warnings do not count: the file is as it should be. */
export function isSound(check: ConfigCheck): boolean {
  return check.kind === "checked" && check.servers.every(({ status }) => status !== "invalid");
}

function checkServer(server: ConfiguredServer, root: Value | undefined): CheckedServer {
  if (server.kind !== "valid") {
    const { alias, type, issues } = server;
    return { alias, status: "invalid", type, issues, warnings: [] };
  }
  const { alias, spec } = server;
  return {
    alias,
    status: spec.disabled ? "disabled" : "valid",
    type: spec.type,
    tools: countByEffect(spec),
    issues: [],
    warnings: [
      ...driftWarnings(spec, root),
      ...nameWarnings(spec).map(({ tool, message }) => {
        const member = root && memberAt(root, ["mcpServers", alias, "tools", tool]);
        return { pointer: "", ...member?.place, message: `tool ${quoted(tool)}: ${message}` };
      }),
    ],
  };
}

function driftWarnings({ alias, pins }: ServerSpec, root: Value | undefined): readonly ConfigIssue[] {
  return (pins?.launch ?? []).map((part) => {
    const place = root && (memberAt(root, ["mcpServers", alias, part]) ?? memberAt(root, ["mcpServers", alias]))?.place;
    return { pointer: "", ...place, message: `"${part}" is not as it was reviewed: toolpool review ${alias}` };
  });
}

function countByEffect({ tools }: ServerSpec): Record<ToolPolicy["effect"], number> {
  const counts = { read: 0, write: 0, external: 0, hidden: 0 };
  for (const { effect } of tools.values()) counts[effect] += 1;
  return counts;
}

function nameWarnings({ alias, tools }: ServerSpec): readonly { readonly tool: string; readonly message: string }[] {
  const taken = new Map<string, string>();
  return [...tools].flatMap(([tool, policy]) => {
    if (policy.effect === "hidden") return [];
    const problem = nameProblem(alias, tool, policy);
    if (problem !== undefined) return [{ tool, message: problem }];
    const name = exposedName(alias, tool, policy);
    const other = taken.get(name);
    if (other === undefined) taken.set(name, tool);
    return other === undefined
      ? []
      : [{ tool, message: `its local name is that of ${quoted(other)} too: give one of them another with "as"` }];
  });
}
