// A server's list offered for admission with a full policy, in one line.
import { admit } from "../../daemon/admission/admit.ts";
import type { Admission, AdmissionInput } from "../../daemon/admission/types.ts";
import type { Issue, ToolPolicy } from "../../daemon/contract/index.ts";
import type { ExposedTool } from "../../daemon/registry/types.ts";

export type Admitted = Extract<Admission, { kind: "admitted" }>;
export type Refused = Extract<Admission, { kind: "refused" }>;

export interface Publishing {
  readonly name?: unknown;
  readonly [member: string]: unknown;
}

/** Every named tool is `read` unless `policy` says otherwise. */
export function offer(
  published: readonly unknown[],
  policy: Readonly<Record<string, ToolPolicy>> = {},
  more: Partial<AdmissionInput> = {},
): Promise<Admission> {
  const rules = new Map<string, ToolPolicy>();
  for (const entry of published) {
    const name = (entry as Publishing | null)?.name;
    if (typeof name === "string") rules.set(name, { effect: "read" });
  }
  for (const [name, rule] of Object.entries(policy)) rules.set(name, rule);
  return admit({ alias: "alpha", connectionId: "alpha#1", published, policy: rules, ...more });
}

export async function admitted(...offered: Parameters<typeof offer>): Promise<Admitted> {
  const admission = await offer(...offered);
  if (admission.kind === "refused") throw new Error(`refused: ${JSON.stringify(admission.refusals)}`);
  return admission;
}

export async function refused(...offered: Parameters<typeof offer>): Promise<Refused> {
  const admission = await offer(...offered);
  if (admission.kind === "admitted") throw new Error("admitted");
  return admission;
}

/** One tool `t` with this input schema, admitted. */
export async function toolWith(inputSchema: unknown, more: Publishing = {}): Promise<ExposedTool> {
  const [tool] = (await admitted([{ name: "t", inputSchema, ...more }])).tools;
  if (tool === undefined) throw new Error("no tool");
  return tool;
}

/** What is said of the input schema of one tool `t`, refused. */
export async function complaints(inputSchema: unknown): Promise<readonly Issue[]> {
  const { failure, refusals } = await refused([{ name: "t", inputSchema }]);
  if (failure.code !== "schema_rejected") throw new Error(`refused as ${failure.code}`);
  return refusals.map(({ pointer, message }) => ({ pointer, message }));
}

/** A schema of an object with these properties. */
export function object(properties: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): object {
  return { type: "object", properties, ...more };
}
