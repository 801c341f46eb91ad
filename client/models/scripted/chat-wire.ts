// A scripted turn in the format of the Chat Completions API: whole, or as the chunks of a stream. Text and arguments are cut
// into small pieces, as a real model's are.
import type { JsonObject } from "../../../daemon/contract/index.ts";
import type { Conversation } from "./conversation.ts";
import { inPieces, SCRIPTED_USAGE, type WireTurn } from "./wire.ts";

const usage = {
  prompt_tokens: SCRIPTED_USAGE.input,
  completion_tokens: SCRIPTED_USAGE.output,
  total_tokens: SCRIPTED_USAGE.input + SCRIPTED_USAGE.output,
};

export function chatAnswer(turn: WireTurn, conversation: Conversation): JsonObject {
  const tool_calls = turn.calls.map(({ id, tool, argumentsText }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: argumentsText },
  }));
  const message = {
    role: "assistant",
    content: turn.text,
    refusal: turn.refusal === "" ? null : turn.refusal,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason(turn), logprobs: null }];
  return { ...head(conversation, "chat.completion"), choices, usage };
}

/** A turn that breaks off has no last chunks. */
export function* chatChunks(turn: WireTurn, conversation: Conversation): Iterable<JsonObject> {
  const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
    ...head(conversation, "chat.completion.chunk"),
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  });
  yield chunk({ role: "assistant", content: "" });
  for (const content of inPieces(turn.text)) yield chunk({ content });
  for (const refusal of inPieces(turn.refusal)) yield chunk({ refusal });
  for (const [index, { id, tool, argumentsText }] of turn.calls.entries()) {
    yield chunk({ tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] });
    for (const piece of inPieces(argumentsText)) yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  if (turn.finish === "broken_off") return;
  yield chunk({}, finishReason(turn));
  yield { ...head(conversation, "chat.completion.chunk"), choices: [], usage };
}

function head({ model, replies }: Conversation, object: string): JsonObject {
  return { id: `chatcmpl-scripted-${String(replies + 1)}`, object, created: 0, model };
}

function finishReason({ finish, calls }: WireTurn): string {
  if (finish === "length" || finish === "content_filter") return finish;
  return calls.length > 0 ? "tool_calls" : "stop";
}
