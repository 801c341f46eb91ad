// An agent over a fake pool and a model that says what the test wants, with its events kept.
import { Agent, type AgentOptions } from "../../client/agent/loop.ts";
import type { AgentEvent, RunEnd } from "../../client/agent/events.ts";
import { PoolSession } from "../../client/agent/pool-session.ts";
import type { Finish, Model, ModelReply, ModelRequest } from "../../client/models/model.ts";
import { nobody, Permission } from "../../client/permission/permission.ts";
import type { FakePool } from "./fake-pool.ts";

interface Says {
  readonly text?: string;
  /** Names, or names with the text of their arguments. */
  readonly calls?: readonly (string | readonly [name: string, argumentsText: string])[];
  readonly finish?: Finish;
}

/** Says one after the other, whatever it is asked; keeps a copy of each request. */
export class SayingModel implements Model {
  readonly name = "saying";
  readonly requests: {
    readonly tools: ModelRequest["tools"];
    readonly history: ModelRequest["history"];
    readonly instructions: string;
  }[] = [];
  readonly #says: readonly (Says | ((request: ModelRequest) => Promise<ModelReply>))[];

  constructor(...says: readonly (Says | ((request: ModelRequest) => Promise<ModelReply>))[]) {
    this.#says = says;
  }

  reply(request: ModelRequest): Promise<ModelReply> {
    const { tools, history, instructions } = request;
    const says = this.#says[this.requests.length] ?? {};
    this.requests.push({ tools, history: [...history], instructions });
    if (typeof says === "function") return says(request);
    const toolCalls = (says.calls ?? []).map((call, at) => {
      const [name, argumentsText] = typeof call === "string" ? [call, "{}"] : call;
      return { callId: `m${String(at)}`, name, argumentsText };
    });
    const finish: Finish = says.finish ?? { kind: toolCalls.length > 0 ? "tool_calls" : "stop" };
    return Promise.resolve({ text: says.text ?? "", toolCalls, finish, usage: { inputTokens: 10, outputTokens: 1 } });
  }

  /** The texts of the last results it was given, in order. */
  results(request: number): readonly string[] {
    const last = this.requests[request - 1]?.history.findLast((turn) => turn.kind === "results");
    return last?.kind === "results" ? last.results.map(({ text }) => text) : [];
  }
}

export interface RunOfAgent {
  readonly end: RunEnd;
  readonly events: readonly AgentEvent[];
}

export async function runAgent(
  pool: FakePool,
  model: Model,
  more: Partial<AgentOptions> & { readonly signal?: AbortSignal; readonly heartbeatMs?: number } = {},
): Promise<RunOfAgent> {
  const { signal = new AbortController().signal, heartbeatMs, ...options } = more;
  const events: AgentEvent[] = [];
  const session = await PoolSession.open(pool, {}, { signal, ...(heartbeatMs === undefined ? {} : { heartbeatMs }) });
  const agent = new Agent({
    agent: "lead",
    session,
    model,
    builtIns: [],
    permission: new Permission({ approve: "allow", prompt: nobody }),
    instructions: "Do it.",
    onEvent: (event) => events.push(event),
    ...options,
  });
  try {
    return { end: await agent.run("go", signal), events };
  } finally {
    await session.close();
  }
}
