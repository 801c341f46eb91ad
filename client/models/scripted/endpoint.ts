// The scripted model's HTTP endpoint: OpenAI-compatible, on a free loopback port, for one run. It answers from the script and
// holds no state of its own, so a repeated request gets the same answer. Errors have the provider's shape.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isJsonObject, type JsonObject } from "../../../daemon/contract/index.ts";
import { chatAnswer, chatChunks } from "./chat-wire.ts";
import { readConversation, type Conversation } from "./conversation.ts";
import { responsesAnswer, responsesEvents } from "./responses-wire.ts";
import type { Script, ScriptedTurn } from "./script.ts";
import { textOf, wireTurn, type WireTurn } from "./wire.ts";

export interface SeenRequest extends Conversation {
  readonly body: JsonObject;
}

const ROUTES: Readonly<Record<string, Conversation["api"]>> = { "/v1/chat/completions": "chat", "/v1/responses": "responses" };
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export class ScriptedEndpoint {
  readonly baseUrl: string;
  /** It refuses any other, as a provider does. */
  readonly apiKey: string;
  readonly #server: Server;
  #closing: Promise<void> | undefined;

  private constructor(server: Server, port: number, apiKey: string) {
    this.#server = server;
    this.baseUrl = `http://127.0.0.1:${String(port)}/v1`;
    this.apiKey = apiKey;
  }

  static async start(script: Script, onRequest?: (request: SeenRequest) => void): Promise<ScriptedEndpoint> {
    const apiKey = `scripted-${randomUUID()}`;
    const server = createServer((request, response) => {
      answer(request, response, script, apiKey, onRequest).catch((error: unknown) => response.destroy(asError(error)));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The scripted model has no port");
    return new ScriptedEndpoint(server, address.port, apiKey);
  }

  /** Ends every connection. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    return this.#closing;
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  apiKey: string,
  onRequest: ((request: SeenRequest) => void) | undefined,
): Promise<void> {
  const api = ROUTES[request.url ?? ""];
  const body = await readBody(request);
  const conversation = api === undefined || body === undefined ? undefined : readConversation(api, body);
  if (api === undefined || request.method !== "POST") refuse(response, 404, "There is no such route");
  else if (request.headers.authorization !== `Bearer ${apiKey}`) refuse(response, 401, "Incorrect API key provided");
  else if (body === undefined || conversation === undefined) {
    refuse(response, 400, `This is no request of the ${api} API to a scripted model`);
  } else {
    onRequest?.({ ...conversation, body });
    const next = nextTurn(script, conversation);
    if ("problem" in next) refuse(response, next.status, next.problem);
    else await say(response, wireTurn(next, conversation.replies), conversation);
  }
}

async function say(response: ServerResponse, turn: WireTurn, conversation: Conversation): Promise<void> {
  if (conversation.stream) await stream(response, turn, conversation);
  else send(response, 200, conversation.api === "chat" ? chatAnswer(turn, conversation) : responsesAnswer(turn, conversation));
}

type Refusal = { readonly status: number; readonly problem: string };

function nextTurn(script: Script, { agent, replies, toolNames }: Conversation): ScriptedTurn | Refusal {
  const turns = script.agents.get(agent);
  if (turns === undefined) return { status: 400, problem: `The script has no agent "${agent}"` };
  const turn = turns[replies];
  if (turn === undefined) {
    const problem = `The script ran out: "${agent}" has ${String(turns.length)} turns, turn ${String(replies + 1)} was asked for`;
    return { status: 400, problem };
  }
  if (turn.error !== undefined) return { status: turn.error.status, problem: turn.error.message };
  const offered = new Set(toolNames);
  const unmet = turn.expectTools.filter((name) => (name.startsWith("!") ? offered.has(name.slice(1)) : !offered.has(name)));
  if (unmet.length === 0) return turn;
  const problem = `Turn ${String(replies + 1)} of "${agent}" expects ${unmet.join(", ")}; offered: ${toolNames.join(", ")}`;
  return { status: 400, problem };
}

async function stream(response: ServerResponse, turn: WireTurn, conversation: Conversation): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const chat = conversation.api === "chat";
  for (const event of chat ? chatChunks(turn, conversation) : responsesEvents(turn, conversation)) {
    const name = chat ? "" : `event: ${textOf(event.type)}\n`;
    if (!response.write(`${name}data: ${JSON.stringify(event)}\n\n`) && !response.destroyed) {
      await Promise.race([once(response, "drain"), once(response, "close")]);
    }
    if (response.destroyed) return;
  }
  response.end(chat && turn.finish !== "broken_off" ? "data: [DONE]\n\n" : "");
}

function refuse(response: ServerResponse, status: number, message: string): void {
  send(response, status, { error: { message, type: "scripted_model", param: null, code: null } });
}

function send(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
