// The one path of every tool call, whatever route it came by: bind → validate arguments → permit → journal → queue → call →
// shape → journal. Nothing leaves before the call is bound, and the binding is asked once more right before the bytes do.
// Calls are never replayed and never moved to another connection.
import {
  canonicalJson,
  errorOutcome,
  isErrorOutcome,
  MAX_ISSUES,
  shuttingDown,
  unknownTool,
  type Issue,
  type JsonObject,
  type MethodParams,
  type MethodResult,
  type Outcome,
} from "../contract/index.ts";
import { bind, staleness, type Binding } from "../registry/bind.ts";
import type { Registry, StateAt } from "../registry/registry.ts";
import { sha256 } from "../registry/toolset.ts";
import type { ExposedTool } from "../registry/types.ts";
import type { Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { AbortControllers } from "./abort-controllers.ts";
import { permit } from "./permit.ts";
import type { CallJournal, CallObserver, CallStart, ManagementCalls, RemoteCalls } from "./ports.ts";
import { outcomeText, shapeOutcome } from "./shape.ts";

export interface CallPathPorts {
  readonly registry: Registry;
  readonly sessions: Sessions;
  readonly remote: RemoteCalls;
  readonly management: ManagementCalls;
  readonly journal: CallJournal;
  readonly observe: CallObserver;
  readonly now: () => Date;
}

type CallParams = MethodParams<"tools.call">;

/** What is known of a call while it goes along the path. */
interface Call {
  readonly session: Session;
  readonly params: CallParams;
  readonly args: JsonObject;
  readonly argsText: string | undefined;
  readonly lossy: readonly string[];
  readonly controller: AbortController;
}

interface Ending {
  readonly outcome: Outcome;
  readonly queuedMs?: number | null;
  readonly durationMs?: number | null;
}

export class CallPath {
  readonly #ports: CallPathPorts;
  readonly #running = new Set<AbortController>();
  readonly #controllers = new AbortControllers();
  #onIdle: (() => void)[] = [];
  #closed = false;

  constructor(ports: CallPathPorts) {
    this.#ports = ports;
  }

  /**
   * The text of the outcome. `lossy`: numbers in the arguments that no double can hold, as pointers. Aborting the signal cancels
   * the call. Throws `unknown_session`, `conflict` (call id in flight), `shutting_down`; all else is an outcome.
   */
  async call(params: CallParams, lossy: readonly string[], signal: AbortSignal): Promise<{ json: string }> {
    if (this.#closed) throw shuttingDown();
    const session = this.#ports.sessions.require(params.sessionId);
    const controller = this.#controllers.take();
    const { callId } = params;
    if (callId !== undefined && session.calls.begin(callId, controller)) controller.abort();
    const leave = session.enter(controller);
    const onAbort = (): void => controller.abort();
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) controller.abort();
    this.#running.add(controller);
    try {
      const args = params.arguments ?? {};
      return await this.#run({ session, params, args, argsText: textOf(args), lossy, controller });
    } finally {
      this.#running.delete(controller);
      signal.removeEventListener("abort", onAbort);
      leave();
      if (callId !== undefined) session.calls.end(callId);
      this.#controllers.giveBack(controller);
      if (this.#running.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  cancel({ sessionId, callId }: MethodParams<"tools.cancel">): MethodResult<"tools.cancel"> {
    return { cancelled: this.#ports.sessions.require(sessionId).calls.cancel(callId) };
  }

  /** Nothing new is taken; resolves when the last running call has been answered. */
  drain(): Promise<void> {
    this.#closed = true;
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Cancels everything that runs. */
  abortAll(): void {
    for (const controller of this.#running) controller.abort();
  }

  async #run(call: Call): Promise<{ json: string }> {
    const { session, params, args, argsText } = call;
    const binding = bind({
      viewer: session,
      name: params.name,
      seen: this.#seen(session, params.version),
      current: this.#ports.registry.current,
    });
    if (binding.kind === "refused") {
      const outcome = unknownTool(params.name, binding.reason, this.#ports.registry.version);
      return this.#refuse(call, binding, outcome, null);
    }
    const { tool } = binding;
    const names = namesOf(binding, args);
    const issues = argsText === undefined ? TOO_DEEP : this.#checkArguments(tool, call);
    if (issues.length > 0)
      return this.#refuse(call, binding, errorOutcome("invalid_arguments", names.tool, names.alias, { issues }), null);
    const permission = permit(tool.approval, params.approval);
    if (permission.kind !== "allowed") {
      const code = permission.kind === "denied" ? "permission_denied" : "approval_required";
      return this.#refuse(call, binding, errorOutcome(code, names.tool, names.alias), permission.decision);
    }
    const start = this.#start(call, binding, permission.decision);
    // For anything but a read the record is on disk before the bytes leave.
    const id =
      tool.view.effect === "read" ? this.#ports.journal.beginCall(start) : await this.#ports.journal.beginCallDurably(start);
    let ending: Ending;
    try {
      ending = binding.kind === "management" ? await this.#manage(call, binding, names.alias) : await this.#remote(call, binding);
    } catch (error) {
      this.#end(id, start, { outcome: errorOutcome("mcp_remote_error", names.tool, names.alias) }, "", "internal_error");
      throw error;
    }
    const [outcome, json] = outcomeText(ending.outcome, names);
    this.#end(id, start, { ...ending, outcome }, json);
    return { json };
  }

  async #remote(call: Call, binding: Extract<Binding, { kind: "remote" }>): Promise<Ending> {
    const { session, params, args, controller } = call;
    const { tool, toolset } = binding;
    const source = sourceOf(tool);
    const stale = (): ReturnType<typeof staleness> => staleness(tool, toolset, session, this.#ports.registry.current);
    const {
      outcome: remote,
      queuedMs,
      durationMs,
    } = await this.#ports.remote.call(toolset.connectionId, {
      session: session.id,
      tool: source.tool,
      args,
      concurrent: tool.concurrent,
      idleMs: tool.timeoutMs,
      capMs: params.timeoutMs,
      signal: controller.signal,
      abort: () => controller.abort(),
      stillBound: () => stale() === undefined,
    });
    if (remote.kind === "unbound") {
      const outcome = unknownTool(params.name, stale() ?? "withdrawn", this.#ports.registry.version);
      return { outcome, queuedMs, durationMs };
    }
    const context = { tool: source.tool, alias: toolset.alias, effect: tool.view.effect, checkResult: tool.checkResult };
    return { outcome: shapeOutcome(remote, context), queuedMs, durationMs };
  }

  async #manage(call: Call, { tool }: Extract<Binding, { kind: "management" }>, alias = ""): Promise<Ending> {
    const started = performance.now();
    const cap = call.params.timeoutMs;
    const late = cap === undefined ? undefined : AbortSignal.timeout(cap);
    const signal = late === undefined ? call.controller.signal : AbortSignal.any([call.controller.signal, late]);
    const run = call.controller.signal.aborted
      ? Promise.resolve(errorOutcome("cancelled", tool.view.name, alias))
      : this.#ports.management.run({ session: call.session, tool: tool.view.name, alias, signal });
    const outcome = await run;
    const timedOut =
      late?.aborted === true && !call.controller.signal.aborted && isErrorOutcome(outcome) && outcome.error.code === "cancelled";
    return {
      outcome: timedOut
        ? errorOutcome("connect_failed", tool.view.name, alias, { reason: "startup_timeout", details: { limitMs: cap } })
        : outcome,
      durationMs: performance.now() - started,
    };
  }

  #seen(session: Session, version: number): StateAt {
    const at = this.#ports.registry.at(version);
    if (at.kind === "below_floor" && session.pinned?.version === version) return { kind: "state", state: session.pinned };
    return at;
  }

  #checkArguments(tool: ExposedTool, { args, lossy }: Call): readonly Issue[] {
    const unheld = lossy.map((pointer) => ({ pointer, message: "is a number that cannot be passed on without rounding" }));
    if (unheld.length > 0) return unheld.slice(0, MAX_ISSUES);
    return tool.checkArguments(args).slice(0, MAX_ISSUES);
  }

  /** Ends a call that was never sent. */
  #refuse(call: Call, binding: Binding, outcome: Outcome, decision: string | null): { json: string } {
    const start = this.#start(call, binding, decision);
    const json = canonicalJson(outcome);
    this.#end(this.#ports.journal.beginCall(start), start, { outcome }, json);
    return { json };
  }

  #start({ session, params, args, argsText }: Call, binding: Binding, decision: string | null): CallStart {
    const bound = binding.kind === "refused" ? undefined : binding;
    return {
      at: this.#ports.now().toISOString(),
      sessionId: session.id,
      callId: params.callId ?? null,
      version: params.version,
      tool: params.name,
      alias: bound === undefined ? null : (namesOf(bound, args).alias ?? null),
      connectionId: bound?.kind === "remote" ? bound.toolset.connectionId : null,
      effect: bound?.tool.view.effect ?? null,
      definitionDigest: bound?.tool.view.digest ?? null,
      decision,
      argumentsDigest: argsText === undefined ? null : sha256(argsText),
      argumentsBytes: argsText === undefined ? null : Buffer.byteLength(argsText),
    };
  }

  #end(
    id: number,
    start: CallStart,
    { outcome, queuedMs = null, durationMs = null }: Ending,
    json: string,
    fault?: string,
  ): void {
    const error = isErrorOutcome(outcome) ? outcome.error : undefined;
    const code = fault ?? error?.code ?? "ok";
    this.#ports.journal.endCall(id, {
      status: error === undefined ? "ok" : "error",
      code,
      reason: error?.reason ?? null,
      mayHaveRun: error?.may_have_run === true,
      queuedMs: rounded(queuedMs),
      durationMs: rounded(durationMs),
      decision: start.decision,
      resultDigest: sha256(json),
      resultBytes: Buffer.byteLength(json),
    });
    this.#ports.observe(code, durationMs);
  }
}

const TOO_DEEP: readonly Issue[] = [{ pointer: "", message: "is nested too deeply" }];

/** Undefined for arguments nested too deeply to be written down. */
function textOf(args: JsonObject): string | undefined {
  try {
    return JSON.stringify(args);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** How a bound call is named in its outcome: the server's own name of the tool; of a management tool its name and its argument. */
function namesOf(binding: Exclude<Binding, { kind: "refused" }>, args: JsonObject): { tool: string; alias: string | undefined } {
  if (binding.kind === "remote") return { tool: sourceOf(binding.tool).tool, alias: binding.toolset.alias };
  const alias = binding.tool.checkArguments(args).length === 0 ? args.alias : undefined;
  return { tool: binding.tool.view.name, alias: typeof alias === "string" ? alias : undefined };
}

function sourceOf(tool: ExposedTool): { readonly tool: string } {
  const { source } = tool.view;
  if (source.kind !== "mcp") throw new TypeError(`${tool.view.name} is no remote tool`);
  return source;
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));
