// A pool in memory for tests of the loop: versions and tools as the test sets them, every request kept, calls answered by the
// test's own function. It binds as the daemon does: a name is known only in the view of the tagged version.
import {
  errorOutcome,
  PoolError,
  unknownTool,
  type Effect,
  type MethodName,
  type MethodParams,
  type MethodResult,
} from "../../daemon/contract/index.ts";
import type { Outcome, ToolView } from "../../daemon/contract/index.ts";
import type { PoolPort, RequestOptions, ToolReply, ToolRequest } from "../../client/pool-port.ts";
import { PoolUnreachable } from "../../client/pool-unreachable.ts";

export function toolView(name: string, effect: Effect, more: Partial<ToolView> = {}): ToolView {
  const source = { kind: "mcp", alias: "a", tool: name.replace("mcp__a__", ""), connectionId: "a#1" } as const;
  return { name, description: "d", inputSchema: { type: "object", properties: {} }, effect, source, digest: name, ...more };
}

export const ok = (tool: string, structured: object = {}): Outcome => ({
  content: [],
  server_alias: "a",
  status: "ok",
  structured_content: { ...structured },
  tool,
});

type OnCall = (call: ToolRequest, signal: AbortSignal | undefined) => Outcome | Promise<Outcome>;

export class FakePool implements PoolPort {
  readonly requests: { readonly method: MethodName; readonly params: unknown }[] = [];
  readonly calls: ToolRequest[] = [];
  readonly cancelled: string[] = [];
  onCall: OnCall = ({ name }) => ok(name);
  onCancel: (callId: string) => void = () => undefined;
  /** Thrown by the next request of any kind. */
  lost: PoolError | PoolUnreachable | undefined;
  readonly #views = new Map<number, readonly ToolView[]>();
  #version = 0;

  constructor(tools: readonly ToolView[] = []) {
    this.publish(tools);
  }

  publish(tools: readonly ToolView[]): void {
    this.#views.set(++this.#version, tools);
  }

  /** One more version in which nothing of the view changed. */
  step(): void {
    this.publish(this.#views.get(this.#version) ?? []);
  }

  count(method: MethodName): number {
    return this.requests.filter((request) => request.method === method).length;
  }

  request<M extends MethodName>(method: M, params: MethodParams<M>, options: RequestOptions = {}): Promise<MethodResult<M>> {
    this.requests.push({ method, params });
    if (this.lost !== undefined) return Promise.reject(this.lost);
    if (options.signal?.aborted === true) return Promise.reject(options.signal.reason as Error);
    return Promise.resolve(this.#answer(method, params) as MethodResult<M>);
  }

  async callTool(call: ToolRequest, options: RequestOptions = {}): Promise<ToolReply> {
    this.calls.push(call);
    if (this.lost !== undefined) throw this.lost;
    const known = this.#views.get(call.version)?.some(({ name }) => name === call.name) === true;
    const outcome = known ? await this.onCall(call, options.signal) : unknownTool(call.name, "not_in_snapshot", this.#version);
    return { outcome, text: JSON.stringify(outcome) };
  }

  get<T>(path: string): Promise<T> {
    return Promise.reject(new Error(`nobody asked for ${path}`));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #answer(method: MethodName, params: unknown): unknown {
    switch (method) {
      case "session.open":
        return { sessionId: "s1", role: "lead", version: this.#version };
      case "registry.snapshot": {
        const tools = this.#views.get(this.#version) ?? [];
        const digest = JSON.stringify(tools.map((tool) => tool.digest));
        const same = (params as { ifDigest?: string }).ifDigest === digest;
        return { version: this.#version, digest, ...(same ? { notModified: true } : { tools }) };
      }
      case "tools.cancel": {
        const { callId } = params as { callId: string };
        this.cancelled.push(callId);
        this.onCancel(callId);
        return { cancelled: true };
      }
      default:
        return {};
    }
  }
}

export const cancelledOutcome = (tool: string): Outcome => errorOutcome("cancelled", tool, "a");
export const sessionGone = (): PoolError => new PoolError("unknown_session", "There is no session");
export const daemonGone = (): PoolUnreachable =>
  new PoolUnreachable("ECONNRESET", "The daemon could not be reached (ECONNRESET)");
