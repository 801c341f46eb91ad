// Runs the Lead once and keeps everything it did. The approver of the demo allows what concerns the demo's own servers and
// nothing else: a real model cannot make it write a file.
import { runLead } from "../agent/lead.ts";
import type { AgentEvent } from "../agent/events.ts";
import { openModels } from "../models/open-models.ts";
import type { SeenRequest } from "../models/scripted/endpoint.ts";
import type { ModelSettings } from "../models/settings.ts";
import { Permission, type PermissionPrompt } from "../permission/permission.ts";
import type { Pass } from "./evidence.ts";
import type { Observer } from "./observer.ts";
import type { World } from "./world.ts";

export interface PassOptions {
  readonly world: World;
  readonly observer: Observer;
  readonly settings: ModelSettings;
  readonly prompt: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgentEvent) => void;
}

export async function runPass(options: PassOptions): Promise<Pass> {
  const { world, observer, settings, prompt, env, signal } = options;
  const events: AgentEvent[] = [];
  const seen: SeenRequest[] = [];
  const models = await openModels(settings, { onRequest: (request) => seen.push(request) });
  try {
    const end = await runLead({
      pool: world.client,
      models: observer.over(models),
      prompt,
      cwd: world.workFolder,
      env,
      permission: new Permission({ approve: "ask", prompt: approver }),
      signal,
      budget: { steps: 30 },
      onEvent: (event) => {
        if (event.kind === "text") return;
        events.push(event);
        options.onEvent(event);
      },
    });
    return { api: NAMES[settings.api], events, seen, end };
  } finally {
    await models.close();
  }
}

const NAMES = { chat: "Chat Completions", responses: "Responses" } as const;

const approver: PermissionPrompt = {
  name: "the demo's user",
  ask: ({ source }) => Promise.resolve(source.kind === "builtin" ? "deny" : "once"),
};
