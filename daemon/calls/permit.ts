// Whether the local policy lets a bound call run: a pure decision over the tool's approval rule and what the caller brings.
// Without a rule the daemon neither asks nor denies: the caller's own permission rules apply.
import type { Approval, Approving } from "../contract/index.ts";

export interface Permission {
  readonly kind: "allowed" | "denied" | "ask";
  /** For the call record. */
  readonly decision: string;
}

export function permit(rule: Approval | undefined, approval: Approving | undefined): Permission {
  const by = approval?.by === undefined ? "" : `:${approval.by}`;
  if (approval?.decision === "deny") return { kind: "denied", decision: `denied${by}` };
  if (rule === "deny") return { kind: "denied", decision: "deny" };
  if (approval?.decision === "allow") return { kind: "allowed", decision: `approved${by}` };
  return rule === "ask" ? { kind: "ask", decision: "ask" } : { kind: "allowed", decision: "allow" };
}
