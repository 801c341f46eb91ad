// The scripted model as tests use it: started from turns, with what its endpoint received, closed by the test.
import { openModels } from "../../client/models/open-models.ts";
import type { ModelReply, ModelRequest, Models } from "../../client/models/model.ts";
import type { SeenRequest } from "../../client/models/scripted/endpoint.ts";
import { readScript } from "../../client/models/scripted/script.ts";
import type { Api } from "../../client/models/settings.ts";

export const APIS = ["chat", "responses"] as const;

export interface ScriptedModels {
  readonly models: Models;
  readonly seen: readonly SeenRequest[];
}

/** `script`: an agents object, or the lead's turns. */
export async function withScript<T>(
  api: Api,
  script: readonly object[] | Readonly<Record<string, readonly object[]>>,
  work: (scripted: ScriptedModels) => Promise<T>,
): Promise<T> {
  const content = Array.isArray(script) ? { turns: script } : { agents: script };
  const seen: SeenRequest[] = [];
  const settings = { kind: "scripted", file: "", script: readScript(content), api } as const;
  const models = await openModels(settings, { onRequest: (request) => seen.push(request) });
  try {
    return await work({ models, seen });
  } finally {
    await models.close();
  }
}

/** One reply to "go". */
export function ask(models: Models, more: Partial<ModelRequest> = {}): Promise<ModelReply> {
  return models.forAgent("lead").reply({
    instructions: "Do it.",
    history: [{ kind: "user", text: "go" }],
    tools: [],
    signal: new AbortController().signal,
    ...more,
  });
}
