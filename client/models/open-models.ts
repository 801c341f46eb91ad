// Opens the models of a run from its settings: the real provider's, or a scripted endpoint of our own. Both are spoken to
// through the official package; whoever opened them closes them.
import OpenAI from "openai";
import { ChatModel } from "./chat.ts";
import type { Model, Models } from "./model.ts";
import type { Provider } from "./provider-errors.ts";
import { ResponsesModel } from "./responses.ts";
import { modelNameFor } from "./scripted/conversation.ts";
import { ScriptedEndpoint, type SeenRequest } from "./scripted/endpoint.ts";
import type { Api, ModelSettings } from "./settings.ts";

export interface OpenModelsOptions {
  /** Sees each request that reaches a scripted endpoint. */
  readonly onRequest?: (request: SeenRequest) => void;
}

export async function openModels(settings: ModelSettings, { onRequest }: OpenModelsOptions = {}): Promise<Models> {
  if (settings.kind === "provider") {
    const { apiKey, baseUrl, model, api } = settings;
    const one = modelOf({ apiKey, baseUrl, model }, api, 2);
    return { forAgent: () => one, close: () => Promise.resolve() };
  }
  const endpoint = await ScriptedEndpoint.start(settings.script, onRequest);
  const { apiKey, baseUrl } = endpoint;
  return {
    forAgent: (agent) => modelOf({ apiKey, baseUrl, model: modelNameFor(agent) }, settings.api, 0),
    close: () => endpoint.close(),
  };
}

/** A model request has no effect of its own: it may be sent again, unlike a tool call. */
function modelOf(provider: Provider, api: Api, maxRetries: number): Model {
  const { apiKey, baseUrl: baseURL } = provider;
  // The package would log what it cannot parse to the console, past our screen.
  const openai = new OpenAI({ apiKey, baseURL, maxRetries, logLevel: "off" });
  return api === "chat" ? new ChatModel(openai, provider) : new ResponsesModel(openai, provider);
}
