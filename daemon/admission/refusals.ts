// Collects why tools are refused and makes of it the one failure that a connection reports: the first code that applies, with
// bounded details for the person who will mend it. No description and no other text of the server's gets in, only names.
import { compareCodeUnits, connectFailure, type ConnectFailure, type Issue } from "../contract/index.ts";
import { MAX_DETAILS } from "./limits.ts";
import type { Refusal, RefusalCode } from "./types.ts";
import { visibleText } from "./visible-text.ts";

/** One name twice in a list is settled before the policy is looked at; other collisions after the names themselves. */
type Stage = "repeated" | RefusalCode;

const ORDER: readonly Stage[] = [
  "repeated",
  "policy_mismatch",
  "name_rejected",
  "name_collision",
  "schema_rejected",
  "definition_drift",
];

export class Refusals {
  readonly #byStage = new Map<Stage, Refusal[]>();
  readonly #unreviewed: string[] = [];
  readonly #missing: string[] = [];

  get isEmpty(): boolean {
    return this.#byStage.size === 0;
  }

  add(stage: Stage, tool: string, { pointer, message }: Issue): void {
    const code = stage === "repeated" ? "name_collision" : stage;
    const refusal = { code, tool: visibleText(tool), pointer: visibleText(pointer, 1_024), message };
    const list = this.#byStage.get(stage);
    if (list === undefined) this.#byStage.set(stage, [refusal]);
    else list.push(refusal);
  }

  unreviewed(tool: string): void {
    this.#unreviewed.push(tool);
    this.add("policy_mismatch", tool, {
      pointer: "",
      message: 'is published, and the policy does not name it: add it to "tools"',
    });
  }

  missing(tool: string): void {
    this.#missing.push(tool);
    this.add("policy_mismatch", tool, { pointer: "", message: "is named in the policy, and the server does not publish it" });
  }

  all(): readonly Refusal[] {
    return Object.freeze(ORDER.flatMap((stage) => this.#byStage.get(stage) ?? []).map((refusal) => Object.freeze(refusal)));
  }

  failure(): ConnectFailure {
    const stage = ORDER.find((candidate) => this.#byStage.has(candidate));
    if (stage === undefined) throw new Error("there is no refusal to report");
    if (stage === "policy_mismatch") return connectFailure(stage, this.#mismatch());
    const list = this.#byStage.get(stage) ?? [];
    const shown = list.slice(0, MAX_DETAILS).map(({ tool, pointer, message }) => ({ tool, pointer, message }));
    if (list.length > MAX_DETAILS)
      shown.push({ tool: "…", pointer: "", message: `${list.length - MAX_DETAILS} more are not listed` });
    return connectFailure(stage === "repeated" ? "name_collision" : stage, shown);
  }

  #mismatch(): Readonly<Record<string, unknown>> {
    const names = (list: readonly string[]): string[] =>
      [...list]
        .sort(compareCodeUnits)
        .slice(0, MAX_DETAILS)
        .map((name) => visibleText(name));
    const omitted = Math.max(0, this.#unreviewed.length - MAX_DETAILS) + Math.max(0, this.#missing.length - MAX_DETAILS);
    return { unreviewed: names(this.#unreviewed), missing: names(this.#missing), ...(omitted > 0 ? { omitted } : {}) };
  }
}
