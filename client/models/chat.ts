// The Chat Completions API (`POST /chat/completions`, streamed) behind the Model port, through the official package.
import type OpenAI from "openai";
import type {
  ChatCompletionChunk,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions/completions";
import { CallAssembly } from "./call-assembly.ts";
import { ModelFailure, type Finish, type Model, type ModelReply, type ModelRequest, type Turn, type Usage } from "./model.ts";
import { withOwnSignal } from "./own-signal.ts";
import { explainProviderError, type Provider } from "./provider-errors.ts";

export class ChatModel implements Model {
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
    const stream = await this.#openai.chat.completions.create(
      {
        model: this.name,
        messages: [{ role: "system", content: instructions }, ...history.flatMap(messages)],
        // An empty list is refused by the API.
        ...(tools.length === 0 ? {} : { tools: tools.map(asFunction) }),
        stream: true,
        stream_options: { include_usage: true },
      },
      { signal },
    );
    const gathering = new Gathering(onText);
    for await (const chunk of stream) gathering.take(chunk);
    // The package ends the stream without a word when it was aborted.
    signal.throwIfAborted();
    return gathering.reply();
  }
}

class Gathering {
  readonly #onText: ((delta: string) => void) | undefined;
  readonly #calls = new CallAssembly();
  #text = "";
  #refusal = "";
  #reason: string | null | undefined;
  #usage: Usage | undefined;

  constructor(onText: ((delta: string) => void) | undefined) {
    this.#onText = onText;
  }

  take(chunk: ChatCompletionChunk): void {
    if (chunk.usage !== undefined && chunk.usage !== null) {
      this.#usage = { inputTokens: chunk.usage.prompt_tokens, outputTokens: chunk.usage.completion_tokens };
    }
    const choice = chunk.choices[0];
    if (choice === undefined) return;
    const { content, refusal, tool_calls = [] } = choice.delta;
    if (content !== undefined && content !== null && content !== "") {
      this.#text += content;
      this.#onText?.(content);
    }
    this.#refusal += refusal ?? "";
    for (const { index, id, function: piece } of tool_calls) {
      this.#calls.take({ index, id, name: piece?.name, arguments: piece?.arguments });
    }
    this.#reason = choice.finish_reason ?? this.#reason;
  }

  reply(): ModelReply {
    if (this.#reason === null || this.#reason === undefined) {
      throw new ModelFailure("broken_off", "The model's answer ended in the middle");
    }
    const toolCalls = this.#calls.finish();
    const finish = finishOf(this.#reason, toolCalls.length > 0, this.#refusal);
    return { text: this.#text, toolCalls, finish, ...(this.#usage === undefined ? {} : { usage: this.#usage }) };
  }
}

/** Whether there are calls is seen in the calls: some providers say `stop` with them. */
function finishOf(reason: string, calls: boolean, refusal: string): Finish {
  if (reason === "length") return { kind: "cut" };
  if (reason === "content_filter") return { kind: "filtered" };
  if (refusal !== "") return { kind: "refused", text: refusal };
  return { kind: calls ? "tool_calls" : "stop" };
}

function messages(turn: Turn): ChatCompletionMessageParam[] {
  switch (turn.kind) {
    case "user":
      return [{ role: "user", content: turn.text }];
    case "assistant": {
      const calls = turn.toolCalls.map(({ callId, name, argumentsText }) => ({
        id: callId,
        type: "function" as const,
        function: { name, arguments: argumentsText },
      }));
      const content = turn.text === "" && calls.length > 0 ? null : turn.text;
      return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
    }
    case "results":
      return turn.results.map(({ callId, text }) => ({ role: "tool", tool_call_id: callId, content: text }));
  }
}

function asFunction({ name, description, parameters }: ModelRequest["tools"][number]): ChatCompletionTool {
  return { type: "function", function: { name, description, parameters } };
}
