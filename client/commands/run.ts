// `toolpool run`: one agent run with the Lead loop. What the user got wrong is told first, all of it, before any state, session or
// process exists. The timeline goes to stderr, the answer to stdout. Ctrl-C cancels what runs and closes the session.
import { exitCodeOf, type AgentEvent, type RunEnd } from "../agent/events.ts";
import { runLead } from "../agent/lead.ts";
import { describeEnd, timelineLines, type LastOffered } from "../agent/timeline.ts";
import { connectToPool } from "../connector.ts";
import { openModels } from "../models/open-models.ts";
import { LEAD } from "../models/scripted/script.ts";
import { readModelSettings, type ModelSettings } from "../models/settings.ts";
import { Permission, type ApproveMode } from "../permission/permission.ts";
import { terminalPrompt } from "../permission/terminal-prompt.ts";
import { Failure, usage } from "./failure.ts";
import { connecting, type Run } from "./surroundings.ts";
import { workingDirectory } from "./working-directory.ts";

export interface RunOptions {
  readonly prompt: string;
  readonly cwd?: string;
  /** Default `ask`; where nobody can be asked that means no. */
  readonly approve?: ApproveMode;
}

export async function run(run: Run, { prompt, cwd, approve = "ask" }: RunOptions): Promise<number> {
  const settings = modelSettings(run);
  const folder = workingDirectory(run.cwd, cwd);
  if (prompt.trim() === "") throw usage("The prompt is empty", 'Say what is to be done: toolpool run --prompt "…"');
  const pool = await connectToPool({ ...connecting(run), start: true });
  if (pool.started) run.screen.note("Started the daemon; toolpool down stops it");
  try {
    const models = await openModels(settings);
    try {
      const { stdin: input, stderr: output, interrupt: onInterrupt, env, signal } = run;
      const permission = new Permission({ approve, prompt: terminalPrompt({ input, output, onInterrupt }) });
      const lastOffered: LastOffered = new Map();
      const onEvent = (event: AgentEvent): void => show(run, event, lastOffered);
      let sessionId = "";
      const onSession = (id: string): void => void (sessionId = id);
      const lead = { pool: pool.client, models, prompt, cwd: folder, env, permission, onEvent, signal, onSession };
      return finish(run, await runLead(lead), sessionId);
    } finally {
      await models.close();
    }
  } finally {
    await pool.client.close();
  }
}

function modelSettings({ env, cwd }: Run): ModelSettings {
  const reading = readModelSettings(env, cwd);
  if (reading.kind === "complete") return reading.settings;
  const next = "Set them in the environment, or replay a scripted model: OPENAI_MODEL=scripted:<file.json>";
  throw usage("The model settings are not complete", next, reading.problems);
}

function show({ screen }: Run, event: AgentEvent, lastOffered: LastOffered): void {
  // How the Lead ended is the last word, and said by `finish`.
  if (event.kind === "end" && event.agent === LEAD) return;
  for (const line of timelineLines(event, lastOffered)) screen.note(screen.noteColours.dim(line));
}

function finish({ screen }: Run, end: RunEnd, sessionId: string): number {
  const exitCode = exitCodeOf(end);
  if (screen.json) {
    screen.value({ ...end, sessionId, exitCode });
    return exitCode;
  }
  if ("text" in end && end.text !== "") screen.text(end.text);
  if (end.kind === "failed") {
    const next = end.reason === "daemon" ? "Is it still running? toolpool status" : undefined;
    throw new Failure(end.reason === "daemon" ? 3 : 1, describeEnd(end), { reason: end.reason, next });
  }
  screen.note(screen.noteColours.dim(`${LEAD} · ${describeEnd(end)}`));
  return exitCode;
}
