// The Responses API (`POST /responses`, streamed, nothing stored at the provider) behind the Model port, through the official
// package. `strict` is off: the schemas are the servers' own, and the daemon checks arguments against them.
import type OpenAI from "openai";
import type { FunctionTool, Response, ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { withUniqueIds } from "./call-assembly.ts";
import { ModelFailure, type Finish, type Model, type ModelReply, type ModelRequest, type Turn } from "./model.ts";
import { withOwnSignal } from "./own-signal.ts";
import { explainProviderError, quoted, streamFailure, type Provider } from "./provider-errors.ts";

export class ResponsesModel implements Model {
  readonly name: string;
  readonly #openai: OpenAI;
  readonly #provider: Provider;

  constructor(openai: OpenAI, provider: Provider) {
    this.name = provider.model;
    this.#openai = openai;
    this.#provider = provider;
  }

  async reply(request: ModelRequest): Promise<ModelReply> {
    try {
      return await withOwnSignal(request.signal, (signal) => this.#reply({ ...request, signal }));
    } catch (error) {
      request.signal.throwIfAborted();
      throw explainProviderError(error, this.#provider);
    }
  }

  async #reply({ instructions, history, tools, signal, onText }: ModelRequest): Promise<ModelReply> {
    const stream = await this.#openai.responses.create(
      {
        model: this.name,
        instructions,
        input: history.flatMap(items),
        ...(tools.length === 0 ? {} : { tools: tools.map(asFunction) }),
        store: false,
        stream: true,
      },
      { signal },
    );
    const done: ResponseOutputItem[] = [];
    let ending: Response | undefined;
    for await (const event of stream) {
      switch (event.type) {
        case "response.output_text.delta":
          onText?.(event.delta);
          break;
        case "response.output_item.done":
          done[event.output_index] = event.item;
          break;
        case "response.completed":
        case "response.incomplete":
          ending = event.response;
          break;
        case "response.failed":
          throw this.#failed(event.response.error?.code, event.response.error?.message);
        case "error":
          throw this.#failed(event.code, event.message);
        default:
          break;
      }
    }
    // The package ends the stream without a word when it was aborted.
    signal.throwIfAborted();
    if (ending === undefined) throw new ModelFailure("broken_off", "The model's answer ended in the middle");
    return assembled(ending, done);
  }

  #failed(code: string | null | undefined, message: string | undefined): ModelFailure {
    return streamFailure(code, quoted(message, this.#provider.apiKey));
  }
}

/** The last event repeats all items; some providers leave it empty, then the single ones count. */
function assembled(ending: Response, done: readonly ResponseOutputItem[]): ModelReply {
  const last = Array.isArray(ending.output) ? ending.output : [];
  // `done` may have holes where an item's end was not reported.
  const output = last.length > 0 ? last : done.filter((item: ResponseOutputItem | undefined) => item !== undefined);
  const calls = output.flatMap((item) => (item.type === "function_call" ? [item] : []));
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const text = parts.flatMap((part) => (part.type === "output_text" ? [part.text] : [])).join("");
  const refusal = parts.flatMap((part) => (part.type === "refusal" ? [part.refusal] : [])).join("");
  const toolCalls = withUniqueIds(
    calls.map(({ call_id, name, arguments: argumentsText }) => ({ callId: call_id, name, argumentsText })),
  );
  const { usage } = ending;
  const counted = usage === undefined ? {} : { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } };
  return { text, toolCalls, finish: finishOf(ending, toolCalls.length > 0, refusal), ...counted };
}

function finishOf(ending: Response, calls: boolean, refusal: string): Finish {
  if (ending.status === "incomplete" || ending.incomplete_details?.reason !== undefined) {
    return { kind: ending.incomplete_details?.reason === "content_filter" ? "filtered" : "cut" };
  }
  if (refusal !== "") return { kind: "refused", text: refusal };
  return { kind: calls ? "tool_calls" : "stop" };
}

/** Calls go back without the provider's item ids: with `store: false` it does not know them any more. */
function items(turn: Turn): ResponseInputItem[] {
  switch (turn.kind) {
    case "user":
      return [{ role: "user", content: turn.text }];
    case "assistant": {
      const said: ResponseInputItem[] = turn.text === "" ? [] : [{ role: "assistant", content: turn.text }];
      const calls = turn.toolCalls.map(({ callId, name, argumentsText }): ResponseInputItem => ({
        type: "function_call",
        call_id: callId,
        name,
        arguments: argumentsText,
      }));
      return [...said, ...calls];
    }
    case "results":
      return turn.results.map(({ callId, text }) => ({ type: "function_call_output", call_id: callId, output: text }));
  }
}

function asFunction({ name, description, parameters }: ModelRequest["tools"][number]): FunctionTool {
  return { type: "function", name, description, parameters, strict: false };
}
