// The demo from beginning to end: a world of its own, the Lead through both APIs (or a real model), a server that dies while
// idle, the end of everything, and the findings drawn from what happened.
import type { CallRecord, VersionRow } from "../../daemon/contract/index.ts";
import type { ModelSettings } from "../models/settings.ts";
import type { Evidence, IdleDeath, Pass } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import { finding1, finding2, finding3, finding4, finding5, finding6 } from "./findings-offer.ts";
import { finding7, finding8, finding9 } from "./findings-safety.ts";
import { endIdleServer } from "./idle-death.ts";
import { Observer } from "./observer.ts";
import { runPass } from "./passes.ts";
import { chatScript, LIVE_PROMPT, responsesScript, SCRIPTED_PROMPT } from "./scripts.ts";
import type { Show } from "./show.ts";
import { World, type Programs } from "./world.ts";

export interface DemoOptions {
  readonly programs: Programs;
  /** A real model; without it the scripted one is used, through both APIs. */
  readonly live: ModelSettings | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly show: Show;
}

/** Rejects with the signal's reason, and with whatever kept it from running; everything is cleaned up then too. */
export async function runDemo(options: DemoOptions): Promise<readonly Finding[]> {
  const { programs, live, env, signal, show } = options;
  show.heading("A daemon of its own");
  const world = await World.create(programs, env, signal);
  try {
    const { pid, url, socketPath } = world.discovery;
    show.line(`  pid ${String(pid)}, ${url}, ${socketPath}`);
    const observer = new Observer(world.client);
    const found = await act(world, observer, options);
    show.heading("Shutdown");
    const afterwards = await world.end(observer.processes.values());
    show.line(`  looked for ${String(afterwards.looked)} processes, 2 sockets and the files of the run`);
    const seen = { connections: [...observer.connections.values()], sessions: [...observer.sessions.values()] };
    const evidence: Evidence = { live: live !== undefined, ...found, ...seen, afterwards };
    return FINDINGS.map((finding) => finding(evidence));
  } finally {
    await world.abandon();
  }
}

const FINDINGS = [finding1, finding2, finding3, finding4, finding5, finding6, finding7, finding8, finding9] as const;

interface Acted {
  readonly passes: readonly Pass[];
  readonly rows: readonly VersionRow[];
  readonly calls: readonly CallRecord[];
  readonly idleDeath: IdleDeath | undefined;
}

async function act(world: World, observer: Observer, { live, env, signal, show }: DemoOptions): Promise<Acted> {
  const stopWatching = new AbortController();
  const watching = showVersions(world, show, AbortSignal.any([signal, stopWatching.signal]));
  try {
    const passes: Pass[] = [];
    for (const { title, settings, prompt } of live === undefined ? scripted() : [real(live)]) {
      show.heading(title);
      passes.push(await runPass({ world, observer, settings, prompt, env, signal, onEvent: (event) => show.event(event) }));
      signal.throwIfAborted();
    }
    show.heading("A server dies while nobody calls it");
    const idleDeath = await endIdleServer(world.client, observer, "demo_beta", signal);
    const rows = await world.client.get<readonly VersionRow[]>("/v1/registry/versions?limit=1000");
    const calls = await world.client.get<readonly CallRecord[]>("/v1/calls?limit=1000");
    return { passes, rows: rows.toReversed(), calls, idleDeath };
  } finally {
    stopWatching.abort();
    await watching;
  }
}

const scripted = () => [
  {
    title: "The Lead, through the Chat Completions API (streaming, scripted model)",
    settings: { kind: "scripted", file: "", script: chatScript(), api: "chat" } as const,
    prompt: SCRIPTED_PROMPT,
  },
  {
    title: "The Lead, through the Responses API (streaming, scripted model)",
    settings: { kind: "scripted", file: "", script: responsesScript(), api: "responses" } as const,
    prompt: SCRIPTED_PROMPT,
  },
];

const real = (settings: ModelSettings) => ({
  title: settings.kind === "provider" ? `The Lead, with ${settings.model} through ${settings.baseUrl}` : "The Lead",
  settings,
  prompt: LIVE_PROMPT,
});

async function showVersions(world: World, show: Show, signal: AbortSignal): Promise<void> {
  try {
    for await (const { event, data } of world.client.watch(0, { signal })) {
      if (event === "version") show.version(JSON.parse(data) as VersionRow);
    }
  } catch (error) {
    if (!signal.aborted) show.line(`  the registry is not watched any more: ${String(error)}`);
  }
}
