// May a call run? Decided by where its tool comes from and by its effect, which the local policy states, and by nothing else:
// no description, no annotation, no argument makes a call more harmless. First matching rule counts.
import type { Approval, Effect, ToolSource } from "../../daemon/contract/index.ts";

/** Built-in tools belong to the agent itself. */
export type CallSource = ToolSource | { readonly kind: "builtin" };

export interface Rule {
  /** Absent: any source. `alias` narrows `mcp` to one server. */
  readonly source?: { readonly kind: CallSource["kind"]; readonly alias?: string };
  /** Absent: any effect. */
  readonly effect?: Effect;
  readonly decision: Approval;
}

/** What holds where the user's rules say nothing. */
const DEFAULTS: Readonly<Record<Effect, Approval>> = { read: "allow", write: "ask", external: "ask" };

export function decide(rules: readonly Rule[], source: CallSource, effect: Effect): Approval {
  return rules.find((rule) => matches(rule, source, effect))?.decision ?? DEFAULTS[effect];
}

function matches(rule: Rule, source: CallSource, effect: Effect): boolean {
  if (rule.effect !== undefined && rule.effect !== effect) return false;
  if (rule.source === undefined) return true;
  if (rule.source.kind !== source.kind) return false;
  return rule.source.alias === undefined || (source.kind === "mcp" && source.alias === rule.source.alias);
}
