// The loop of one agent: one snapshot before each model request, all calls of the reply tagged with it, results in the order of
// the calls. Ends when the model has no more calls, when a budget is used up, when the provider cut or refused, when the daemon
// or the session is lost, or when it is aborted; it says which. Never sends a call again.
import { assertNever } from "../../daemon/contract/index.ts";
import { ModelFailure, type Model, type ModelReply, type RequestedCall, type Turn } from "../models/model.ts";
import { leftOutText } from "../models/projection.ts";
import type { Permission } from "../permission/permission.ts";
import type { BuiltInTool } from "../tools/built-in.ts";
import { CallRunner, type CallResult } from "./call-runner.ts";
import type { AgentEvent, OnEvent, RunEnd } from "./events.ts";
import { Offering, type Named, type Offer } from "./offer.ts";
import { problemText } from "./outcome-text.ts";
import { partition } from "./partition.ts";
import { isFatal, type PoolSession } from "./pool-session.ts";

export interface Budget {
  /** Model requests. */
  readonly steps: number;
  /** Input and output together, as the provider counts them. */
  readonly tokens: number;
}

export const DEFAULT_BUDGET: Budget = Object.freeze({ steps: 50, tokens: 2_000_000 });

/** Messages that come from elsewhere while the agent works. */
export interface Inbox {
  take(): readonly string[];
  /** Whether more will come. */
  expecting(): boolean;
  /** Resolves when there is something to take, or nothing more will come. */
  arrival(signal: AbortSignal): Promise<void>;
}

export interface AgentOptions {
  readonly agent: string;
  readonly session: PoolSession;
  readonly model: Model;
  readonly builtIns: readonly BuiltInTool[];
  readonly permission: Permission;
  readonly instructions: string;
  readonly budget?: Partial<Budget>;
  readonly inbox?: Inbox;
  readonly onEvent: OnEvent;
}

/** Calls of one batch that run at the same time. */
const MOST_AT_ONCE = 10;
/** Replies in a row whose calls were cut off before it is given up. */
const MOST_CUTS = 3;

export class Agent {
  readonly #options: AgentOptions;
  readonly #budget: Budget;
  readonly #offering: Offering;
  readonly #runner: CallRunner;
  readonly #history: Turn[] = [];
  #requests = 0;
  #inputTokens = 0;
  #outputTokens = 0;

  constructor(options: AgentOptions) {
    const { agent, session, permission, builtIns } = options;
    this.#options = options;
    this.#budget = { ...DEFAULT_BUDGET, ...options.budget };
    this.#offering = new Offering(session, builtIns);
    this.#runner = new CallRunner({
      agent,
      session,
      permission,
      onDecision: (callId, name, { allowed, by }) => this.#emit({ kind: "decision", callId, name, allowed, by }),
    });
  }

  /** May be called again when it has ended: the conversation goes on. Rejects only with a fault of ours. */
  async run(prompt: string, caller: AbortSignal): Promise<RunEnd> {
    this.#history.push({ kind: "user", text: prompt });
    const signal = AbortSignal.any([caller, this.#options.session.lost]);
    let end: RunEnd;
    try {
      end = await this.#steps(signal);
    } catch (error) {
      end = this.#endOf(error, caller);
    }
    this.#emit({ kind: "end", end });
    return end;
  }

  async #steps(signal: AbortSignal): Promise<RunEnd> {
    for (let cuts = 0; ;) {
      signal.throwIfAborted();
      const spent = this.#spent();
      if (spent !== undefined) return spent;
      this.#takeMessages();
      const offer = await this.#offering.next(signal);
      const reply = await this.#ask(offer, signal);
      const { finish, text, toolCalls } = reply;
      this.#history.push({ kind: "assistant", text, toolCalls: toolCalls.map(repeatable) });
      switch (finish.kind) {
        case "filtered":
          return this.#incomplete("filtered", "The provider's content filter ended the answer", text);
        case "refused":
          return this.#incomplete("refused", "The model refused", finish.text);
        case "cut":
          cuts++;
          if (toolCalls.length === 0 || cuts >= MOST_CUTS) {
            return this.#incomplete("cut", "The answer was cut off at the provider's limit on output", text);
          }
          // Which of the calls are whole is not known: none runs.
          this.#answer(
            toolCalls.map(() => CUT_OFF),
            toolCalls,
          );
          break;
        case "stop":
        case "tool_calls":
          cuts = 0;
          if (toolCalls.length > 0) this.#answer(await this.#runCalls(toolCalls, offer, signal), toolCalls);
          else if (!(await this.#moreToCome(signal))) return { kind: "done", text, ...this.#soFar() };
          break;
        default:
          assertNever(finish);
      }
    }
  }

  async #ask(offer: Offer, signal: AbortSignal): Promise<ModelReply> {
    const { model, instructions } = this.#options;
    const { version, digest, poolTools, builtIns, projection } = offer;
    const { leftOut, changed } = projection;
    this.#requests++;
    this.#emit({ kind: "request", version, digest, poolTools, builtIns, leftOut, changed });
    const said = leftOutText(projection);
    const reply = await model.reply({
      instructions: said === "" ? instructions : `${instructions}\n\n${said}`,
      history: this.#history,
      tools: projection.tools,
      signal,
      onText: (delta) => this.#emit({ kind: "text", delta }),
    });
    this.#inputTokens += reply.usage?.inputTokens ?? 0;
    this.#outputTokens += reply.usage?.outputTokens ?? 0;
    const { text, toolCalls: calls, finish, usage } = reply;
    this.#emit({ kind: "reply", text, calls, finish: finish.kind, usage });
    return reply;
  }

  /** Batch by batch; the loss of the session is told only when every call of its batch has come to an end. */
  async #runCalls(calls: readonly RequestedCall[], offer: Offer, signal: AbortSignal): Promise<readonly CallResult[]> {
    const jobs = calls.map((call, at) => {
      const named = offer.named(call.name);
      return { call, callId: `r${String(this.#requests)}c${String(at + 1)}`, named, offer, effect: effectOf(named) };
    });
    const results: CallResult[] = [];
    for (const batch of partition(jobs)) {
      for (let from = 0; from < batch.length; from += MOST_AT_ONCE) {
        const settled = await Promise.allSettled(batch.slice(from, from + MOST_AT_ONCE).map((job) => this.#runCall(job, signal)));
        for (const result of settled) {
          if (result.status === "rejected") throw result.reason;
          results.push(result.value);
        }
      }
    }
    return results;
  }

  async #runCall(job: Parameters<CallRunner["run"]>[0], signal: AbortSignal): Promise<CallResult> {
    const { call, callId, named, offer } = job;
    const { name, argumentsText } = call;
    const known = named.kind === "pool" ? { source: named.view.source, effect: named.view.effect } : {};
    const own = named.kind === "built_in" ? { source: { kind: "builtin" } as const, effect: named.tool.effect } : {};
    this.#emit({ kind: "call", callId, name, argumentsText, version: offer.version, ...known, ...own });
    const begun = performance.now();
    const result = await this.#runner.run(job, signal);
    this.#emit({ kind: "outcome", callId, name, durationMs: Math.round(performance.now() - begun), ...result });
    return result;
  }

  #answer(results: readonly Pick<CallResult, "text">[], calls: readonly RequestedCall[]): void {
    const answers = calls.map(({ callId }, at) => ({ callId, text: results[at]?.text ?? CUT_OFF.text }));
    this.#history.push({ kind: "results", results: answers });
  }

  #takeMessages(): void {
    for (const text of this.#options.inbox?.take() ?? []) this.#history.push({ kind: "user", text });
  }

  async #moreToCome(signal: AbortSignal): Promise<boolean> {
    const { inbox } = this.#options;
    if (inbox?.expecting() !== true) return false;
    await inbox.arrival(signal);
    this.#takeMessages();
    return this.#history.at(-1)?.kind === "user";
  }

  #spent(): RunEnd | undefined {
    const { steps, tokens } = this.#budget;
    if (this.#requests >= steps) return this.#incomplete("steps", `Stopped after ${String(steps)} model requests`, "");
    const used = this.#inputTokens + this.#outputTokens;
    return used < tokens ? undefined : this.#incomplete("tokens", `Stopped after ${String(used)} tokens`, "");
  }

  #endOf(error: unknown, caller: AbortSignal): RunEnd {
    if (caller.aborted) return { kind: "interrupted", ...this.#soFar() };
    if (error instanceof ModelFailure) return this.#failed("model", error.message);
    if (!isFatal(error)) throw error;
    if ("reason" in error && error.reason === "unknown_session") {
      return this.#failed("session", "The session is gone: it was closed or has expired at the daemon");
    }
    const unsure = "Whether a call that was under way has run is not known; nothing was sent again.";
    return this.#failed("daemon", `The daemon was lost. ${unsure} (${error.message})`);
  }

  #failed(reason: "model" | "daemon" | "session", message: string): RunEnd {
    return { kind: "failed", reason, message, ...this.#soFar() };
  }

  #incomplete(reason: "cut" | "filtered" | "refused" | "steps" | "tokens", message: string, text: string): RunEnd {
    return { kind: "incomplete", reason, message, text, ...this.#soFar() };
  }

  #soFar(): Pick<RunEnd, "requests" | "usage"> {
    return { requests: this.#requests, usage: { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens } };
  }

  #emit(event: WithoutOrigin<AgentEvent>): void {
    this.#options.onEvent({ ...event, agent: this.#options.agent, request: this.#requests });
  }
}

/** Distributes over the union, unlike Omit. */
type WithoutOrigin<E> = E extends AgentEvent ? Omit<E, "agent" | "request"> : never;

const CUT_OFF = Object.freeze({
  text: problemText("not_executed", "The reply was cut off, so none of its calls was run; send fewer or shorter calls"),
});

const effectOf = (named: Named) =>
  named.kind === "pool" ? named.view.effect : named.kind === "built_in" ? named.tool.effect : undefined;

/** Some providers refuse a conversation whose earlier arguments are no JSON object. */
function repeatable(call: RequestedCall): RequestedCall {
  try {
    const value: unknown = JSON.parse(call.argumentsText);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return call;
  } catch {
    // As below.
  }
  return { ...call, argumentsText: JSON.stringify(call.argumentsText.trim() === "" ? {} : { malformed: call.argumentsText }) };
}
