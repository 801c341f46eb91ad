// A scripted turn in the format of the Responses API: whole, or as the events of a stream.
import type { JsonObject } from "../../../daemon/contract/index.ts";
import type { Conversation } from "./conversation.ts";
import { inPieces, SCRIPTED_USAGE, textOf, type WireTurn } from "./wire.ts";

const usage = {
  input_tokens: SCRIPTED_USAGE.input,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: SCRIPTED_USAGE.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: SCRIPTED_USAGE.input + SCRIPTED_USAGE.output,
};

export function responsesAnswer(turn: WireTurn, conversation: Conversation): JsonObject {
  const cut = turn.finish === "length" || turn.finish === "content_filter";
  const reason = turn.finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    ...head(conversation, cut ? "incomplete" : "completed"),
    incomplete_details: cut ? { reason } : null,
    output: outputItems(turn, conversation),
    usage,
  };
}

/** A turn that breaks off has no last event. */
export function* responsesEvents(turn: WireTurn, conversation: Conversation): Iterable<JsonObject> {
  let sequence_number = 0;
  const event = (type: string, members: JsonObject): JsonObject => ({ type, sequence_number: sequence_number++, ...members });
  const begun = { ...head(conversation, "in_progress"), output: [] };
  yield event("response.created", { response: begun });
  for (const [output_index, item] of outputItems(turn, conversation).entries()) {
    const at = { output_index, item_id: item.id ?? "" };
    yield event("response.output_item.added", { output_index, item: { ...item, ...EMPTY[textOf(item.type)] } });
    if (item.type === "message") {
      for (const delta of inPieces(turn.text)) yield event("response.output_text.delta", { ...at, content_index: 0, delta });
      for (const delta of inPieces(turn.refusal)) yield event("response.refusal.delta", { ...at, content_index: 0, delta });
    } else {
      const text = textOf(item.arguments);
      for (const delta of inPieces(text)) yield event("response.function_call_arguments.delta", { ...at, delta });
      yield event("response.function_call_arguments.done", { ...at, name: item.name ?? "", arguments: text });
    }
    yield event("response.output_item.done", { output_index, item });
  }
  if (turn.finish === "broken_off") return;
  const response = responsesAnswer(turn, conversation);
  yield event(`response.${textOf(response.status)}`, { response });
}

const EMPTY: Readonly<Record<string, JsonObject>> = { message: { content: [] }, function_call: { arguments: "" } };

function outputItems(turn: WireTurn, { replies }: Conversation): readonly JsonObject[] {
  const text = turn.text === "" ? [] : [{ type: "output_text", text: turn.text, annotations: [] }];
  const refusal = turn.refusal === "" ? [] : [{ type: "refusal", refusal: turn.refusal }];
  const content = [...text, ...refusal];
  const id = String(replies + 1);
  const message =
    content.length === 0 ? [] : [{ id: `msg_${id}`, type: "message", role: "assistant", status: "completed", content }];
  const calls = turn.calls.map((call) => ({
    id: `fc_${call.id}`,
    type: "function_call",
    status: "completed",
    call_id: call.id,
    name: call.tool,
    arguments: call.argumentsText,
  }));
  return [...message, ...calls];
}

function head({ model, replies }: Conversation, status: string): JsonObject {
  return {
    id: `resp_scripted_${String(replies + 1)}`,
    object: "response",
    created_at: 0,
    model,
    status,
    error: null,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  };
}
