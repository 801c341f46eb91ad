// Runs one call of a reply: permission first, then the agent's own tool or the pool, always tagged with the version of the
// request the model saw. Whatever comes of it is text for the model; only the loss of the session or the daemon, and an abort,
// leave by rejection. Nothing is ever sent again, except with the approval the daemon asked for.
import {
  isErrorOutcome,
  OUTCOME_MESSAGES,
  PoolError,
  unknownTool,
  type Approving,
  type ErrorOutcome,
} from "../../daemon/contract/index.ts";
import type { RequestedCall } from "../models/model.ts";
import type { Permission, Question, Verdict } from "../permission/permission.ts";
import type { ToolReply } from "../pool-port.ts";
import { parseArguments, ToolProblem, type BuiltInTool } from "../tools/built-in.ts";
import { callPool } from "./pool-call.ts";
import type { Named, Offer } from "./offer.ts";
import { errorText, problemText, replyText, shortened } from "./outcome-text.ts";
import { isFatal, type PoolSession } from "./pool-session.ts";

export interface CallResult {
  readonly ok: boolean;
  readonly code: string;
  readonly text: string;
  readonly error?: ErrorOutcome["error"];
  readonly version?: number;
}

export interface CallToRun {
  readonly call: RequestedCall;
  /** Our own id, unique in the session. */
  readonly callId: string;
  readonly named: Named;
  readonly offer: Offer;
}

export interface CallRunnerOptions {
  readonly agent: string;
  readonly session: PoolSession;
  readonly permission: Permission;
  readonly onDecision: (callId: string, name: string, verdict: Verdict) => void;
}

export class CallRunner {
  readonly #options: CallRunnerOptions;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  async run(job: CallToRun, signal: AbortSignal): Promise<CallResult> {
    try {
      return await this.#run(job, signal);
    } catch (error) {
      if (signal.aborted || isFatal(error)) throw error;
      // The rest of the reply's calls is not to suffer from one that cannot even be sent.
      if (error instanceof ToolProblem) return problem(error.code, error.message, error.lines);
      if (error instanceof PoolError) return problem(error.reason, error.message);
      return problem("failed", error instanceof Error ? error.message : String(error));
    }
  }

  async #run(job: CallToRun, signal: AbortSignal): Promise<CallResult> {
    const { call, named, offer } = job;
    // Malformed arguments never leave: the daemon could only say the same.
    const argumentsText = JSON.stringify(parseArguments(call.argumentsText)) === "{}" ? "{}" : call.argumentsText;
    switch (named.kind) {
      case "unknown":
        // The daemon says why it is unknown; there is nothing to permit.
        return resultOf(await this.#send(job, argumentsText, undefined, signal));
      case "left_out": {
        const { error } = unknownTool(call.name, "not_in_snapshot", offer.version);
        return { ok: false, code: error.code, error, text: `${errorText(error)}\nnot offered: ${named.why}` };
      }
      case "built_in":
        return this.#runBuiltIn(named.tool, job, argumentsText, signal);
      case "pool": {
        const { name, source, effect, digest } = named.view;
        const question = this.#question(name, { source, effect, argumentsText, definition: digest });
        return this.#runInPool(question, job, signal);
      }
    }
  }

  async #runBuiltIn(
    tool: BuiltInTool,
    { call, callId }: CallToRun,
    argumentsText: string,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const { name, effect } = tool;
    const question = this.#question(name, { source: { kind: "builtin" }, effect, argumentsText, definition: name });
    const verdict = await this.#options.permission.check(question, signal);
    this.#options.onDecision(callId, name, verdict);
    if (!verdict.allowed) return denied();
    return { ok: true, code: "ok", text: shortened(await tool.run(parseArguments(call.argumentsText), { signal })) };
  }

  async #runInPool(question: Question, job: CallToRun, signal: AbortSignal): Promise<CallResult> {
    const { permission, onDecision } = this.#options;
    const verdict = await permission.check(question, signal);
    onDecision(job.callId, question.tool, verdict);
    if (!verdict.allowed) return denied();
    const reply = await this.#send(job, question.argumentsText, undefined, signal);
    if (!isErrorOutcome(reply.outcome) || reply.outcome.error.code !== "approval_required") return resultOf(reply);
    // Who was asked about this very call is not asked twice.
    const answer = verdict.answered ? verdict : await permission.confirm(question, signal);
    if (!verdict.answered) onDecision(job.callId, question.tool, answer);
    const approval: Approving = { decision: answer.allowed ? "allow" : "deny", by: answer.by };
    return resultOf(await this.#send({ ...job, callId: `${job.callId}a` }, question.argumentsText, approval, signal));
  }

  #send(
    { call, callId, offer }: CallToRun,
    argumentsText: string,
    approval: Approving | undefined,
    signal: AbortSignal,
  ): Promise<ToolReply> {
    const request = { version: offer.version, name: call.name, argumentsText, callId };
    return callPool(this.#options.session, approval === undefined ? request : { ...request, approval }, signal);
  }

  #question(tool: string, facts: Omit<Question, "agent" | "tool">): Question {
    return { agent: this.#options.agent, tool, ...facts };
  }
}

const problem = (code: string, message: string, lines: readonly string[] = []): CallResult => ({
  ok: false,
  code,
  text: problemText(code, message, lines),
});

const denied = (): CallResult => problem("permission_denied", OUTCOME_MESSAGES.permission_denied);

function resultOf(reply: ToolReply): CallResult {
  const { outcome } = reply;
  const text = replyText(reply);
  if (isErrorOutcome(outcome)) return { ok: false, code: outcome.error.code, error: outcome.error, text };
  return { ok: true, code: "ok", text, ...("version" in outcome ? { version: outcome.version } : {}) };
}
