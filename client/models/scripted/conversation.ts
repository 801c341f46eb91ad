// What a request to the scripted endpoint asks for, in either API: which agent speaks (the model's name says it), how many
// replies the conversation already holds, and which tools are offered.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../daemon/contract/index.ts";

export interface Conversation {
  readonly api: "chat" | "responses";
  readonly model: string;
  /** The agent's label. */
  readonly agent: string;
  /** Replies already in it; the script's next turn has this index. */
  readonly replies: number;
  readonly toolNames: readonly string[];
  readonly stream: boolean;
}

const PREFIX = "scripted/";

export const modelNameFor = (agent: string): string => PREFIX + agent;

/** Undefined when it is not a request of that API. */
export function readConversation(api: Conversation["api"], body: JsonObject): Conversation | undefined {
  const { model, stream } = body;
  const said = api === "chat" ? body.messages : body.input;
  if (typeof model !== "string" || !model.startsWith(PREFIX) || !Array.isArray(said)) return undefined;
  const tools: readonly JsonValue[] = Array.isArray(body.tools) ? body.tools : [];
  return {
    api,
    model,
    agent: model.slice(PREFIX.length),
    replies: countReplies(said.filter(isJsonObject)),
    toolNames: tools.flatMap(toolName),
    stream: stream === true,
  };
}

/** Items of the model's own that follow each other are one reply: in the Responses API a reply is several items. */
function countReplies(items: readonly JsonObject[]): number {
  let replies = 0;
  let inReply = false;
  for (const item of items) {
    const own = item.role === "assistant" || item.type === "function_call";
    if (own && !inReply) replies++;
    inReply = own;
  }
  return replies;
}

function toolName(tool: JsonValue): string[] {
  if (!isJsonObject(tool)) return [];
  const { name } = isJsonObject(tool.function) ? tool.function : tool;
  return typeof name === "string" ? [name] : [];
}
