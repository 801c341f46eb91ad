// The permission of one run: rules first, then the person, whose "always" is remembered for that very tool until the run ends.
// Questions are put one at a time, however many calls run at once. Refuses whatever nobody can be asked about.
import { canonicalJson, type Approval, type Effect } from "../../daemon/contract/index.ts";
import { decide, type CallSource, type Rule } from "./rules.ts";

export interface Question {
  /** Whose call it is. */
  readonly agent: string;
  readonly tool: string;
  readonly source: CallSource;
  readonly effect: Effect;
  /** Valid JSON text. */
  readonly argumentsText: string;
  /** The tool's definition: a changed tool is another tool, and asked about again. */
  readonly definition: string;
}

export type Answer = "once" | "always" | "deny";

/** Somebody who can be asked. */
export interface PermissionPrompt {
  /** For the journal: who decided. */
  readonly name: string;
  /** Rejects with the signal's reason. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

export type ApproveMode = "ask" | "allow" | "deny";

/** `by`: a rule, the mode, or the person. */
export interface Verdict {
  readonly allowed: boolean;
  readonly by: string;
  /** Whether what asks was answered: by the person or by the mode. */
  readonly answered: boolean;
}

export interface PermissionOptions {
  /** The user's own rules, before the defaults. */
  readonly rules?: readonly Rule[];
  /** What becomes of calls that ask. */
  readonly approve: ApproveMode;
  readonly prompt: PermissionPrompt;
}

export class Permission {
  readonly #rules: readonly Rule[];
  readonly #approve: ApproveMode;
  readonly #prompt: PermissionPrompt;
  readonly #always = new Set<string>();
  #lastQuestion: Promise<unknown> = Promise.resolve();

  constructor({ rules = [], approve, prompt }: PermissionOptions) {
    this.#rules = rules;
    this.#approve = approve;
    this.#prompt = prompt;
  }

  async check(question: Question, signal: AbortSignal): Promise<Verdict> {
    const decision: Approval = decide(this.#rules, question.source, question.effect);
    if (decision === "ask") return this.confirm(question, signal);
    return { allowed: decision === "allow", by: "rule", answered: false };
  }

  /** The daemon's policy asks for this call, whatever the rules here say. */
  async confirm(question: Question, signal: AbortSignal): Promise<Verdict> {
    if (this.#approve !== "ask") {
      return { allowed: this.#approve === "allow", by: `--approve ${this.#approve}`, answered: true };
    }
    const asked = this.#lastQuestion.then(() => this.#ask(question, signal));
    this.#lastQuestion = asked.catch(() => undefined);
    return asked;
  }

  async #ask(question: Question, signal: AbortSignal): Promise<Verdict> {
    signal.throwIfAborted();
    const by = this.#prompt.name;
    const key = keyOf(question);
    if (this.#always.has(key)) return { allowed: true, by, answered: true };
    const answer = await this.#prompt.ask(question, signal);
    if (answer === "always") this.#always.add(key);
    return { allowed: answer !== "deny", by, answered: true };
  }
}

/** A new connection of the same server with the same definition is the same tool. */
function keyOf({ tool, source, effect, definition }: Question): string {
  return canonicalJson({ tool, kind: source.kind, alias: source.kind === "mcp" ? source.alias : null, effect, definition });
}

/** Where nobody sits: the answer is no. */
export const nobody: PermissionPrompt = Object.freeze({
  name: "non-interactive",
  ask: () => Promise.resolve<Answer>("deny"),
});
