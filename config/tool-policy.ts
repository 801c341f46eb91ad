// The local statement about each tool of a server: its effect, and what else holds for it. Every tool the server publishes is
// named here, or the server is not connected; so a slip in this part is never guessed around.
import type { ToolPolicy } from "../daemon/contract/index.ts";
import type { Member, ObjectValue } from "./document.ts";
import { choiceOf, Fields, quoted, reportDuplicates, type Issues } from "./fields.ts";

const EFFECTS = ["read", "write", "external", "hidden"] as const;
const APPROVALS = ["allow", "ask", "deny"] as const;
const KEYS = ["effect", "as", "timeoutMs", "concurrent", "approval"];
const LOCAL_NAME = /^[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/;

/** In the order of the file; undefined where there is none. */
export function readToolPolicies(fields: Fields, issues: Issues): ReadonlyMap<string, ToolPolicy> | undefined {
  const object = fields.object("tools", "names of tools and their effects");
  return object && readMembers(object, issues);
}

/** The same object on its own, as a file of its own holds it. */
export function readPolicyObject(object: ObjectValue, issues: Issues): ReadonlyMap<string, ToolPolicy> {
  reportDuplicates(object, issues);
  return readMembers(object, issues);
}

function readMembers(object: ObjectValue, issues: Issues): ReadonlyMap<string, ToolPolicy> {
  const policies = new Map<string, ToolPolicy>();
  for (const member of object.members) {
    const policy = readPolicy(member, issues);
    if (policy !== undefined) policies.set(member.key, policy);
  }
  return policies;
}

function readPolicy({ key, value }: Member, issues: Issues): ToolPolicy | undefined {
  const what = `the effect of ${quoted(key)}`;
  if (value.kind !== "object") {
    const effect = choiceOf(value, what, EFFECTS, issues);
    return effect && { effect };
  }
  const fields = new Fields(value, KEYS, issues);
  if (fields.member("effect") === undefined)
    fields.missing("effect", `${what} is missing: one of ${EFFECTS.map(quoted).join(", ")}`);
  const effect = fields.oneOf("effect", EFFECTS, undefined);
  const as = readLocalName(fields, issues);
  const timeoutMs = fields.whole("timeoutMs", 1, undefined);
  const concurrent = fields.flag("concurrent", undefined);
  const approval = fields.oneOf("approval", APPROVALS, undefined);
  if (effect === undefined) return undefined;
  return {
    effect,
    ...(as === undefined ? {} : { as }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(concurrent === undefined ? {} : { concurrent }),
    ...(approval === undefined ? {} : { approval }),
  };
}

function readLocalName(fields: Fields, issues: Issues): string | undefined {
  const as = fields.text("as");
  if (as === undefined || LOCAL_NAME.test(as)) return as;
  const place = fields.member("as")?.value.place;
  if (place !== undefined) issues.report(place, '"as" takes a–z, 0–9 and _, with no _ at either end');
  return undefined;
}
