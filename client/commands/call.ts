// `toolpool call <tool> [json|-]`: one tool call, as a lead session of its own that attaches the server it needs and is closed
// again. The server is found in the registry, never guessed from the name. Prints the outcome; an error outcome is exit code 1.
import { randomUUID } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { isErrorOutcome, isJsonObject, type Approving } from "../../daemon/contract/index.ts";
import type { ToolReply } from "../pool-port.ts";
import type { PoolClient } from "../pool-client.ts";
import { visible } from "../output/visible.ts";
import { ask } from "./ask.ts";
import { Failure, usage } from "./failure.ts";
import { aliasAt, lastHome } from "./find-tool.ts";
import { withPool, type Run } from "./surroundings.ts";

export interface CallOptions {
  readonly version?: number;
  readonly timeout?: number;
  /** The person at the machine allows it in advance. */
  readonly yes?: boolean;
}

const MANAGEMENT: ReadonlySet<string> = new Set(["connect_mcp", "disconnect_mcp"]);
const ALLOWED: Approving = Object.freeze({ decision: "allow", by: "command line" });
/** Closing the session after an interrupted call: best effort, the session would also end by itself (ms). */
const CLOSE_MS = 2_000;

export async function call(run: Run, tool: string, given: string | undefined, options: CallOptions): Promise<number> {
  const argumentsText = await readArguments(run, given);
  return withPool(run, async ({ client }) => {
    const alias = MANAGEMENT.has(tool) ? undefined : await homeOf(client, tool, options.version, run.signal);
    const { sessionId, attached } = await open(client, alias, run);
    try {
      if (alias !== undefined && attached?.includes(alias) !== true) throw notAttached(alias);
      const snapshot = await client.request("registry.snapshot", { sessionId }, { signal: run.signal });
      const request = {
        sessionId,
        version: options.version ?? snapshot.version,
        name: tool,
        argumentsText,
        ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
      };
      const send = (approval: Approving | undefined): Promise<ToolReply> =>
        client.callTool(
          { ...request, callId: randomUUID(), ...(approval === undefined ? {} : { approval }) },
          { signal: run.signal },
        );
      const first = await send(options.yes === true ? ALLOWED : undefined);
      const reply = needsApproval(first) && (await mayAsk(run, tool, argumentsText)) ? await send(ALLOWED) : first;
      run.screen.jsonText(reply.text);
      return isErrorOutcome(reply.outcome) ? tellError(run, reply) : 0;
    } finally {
      await client.request("session.close", { sessionId }, { signal: AbortSignal.timeout(CLOSE_MS) }).catch(() => undefined);
    }
  });
}

async function readArguments(run: Run, given: string | undefined): Promise<string> {
  const text = given === "-" ? await readAll(run.stdin) : (given ?? "{}");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usage(`The arguments are not JSON: ${visible(why)}`, `Quote them for the shell: toolpool call <tool> '{"query":"x"}'`);
  }
  if (!isJsonObject(value))
    throw usage("The arguments must be a JSON object", `For example: toolpool call <tool> '{"query":"x"}'`);
  return text.trim();
}

/** The alias whose server publishes the tool; with a version, undefined lets the daemon say what it thinks of the name. */
async function homeOf(
  client: PoolClient,
  tool: string,
  version: number | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const now = await aliasAt(client, tool, undefined, signal);
  if (now !== undefined || version !== undefined) return now;
  const before = await lastHome(client, tool, signal);
  if (before !== undefined) {
    throw new Failure(
      1,
      `No connected server publishes "${visible(tool)}" now; ${before.alias} did until version ${String(before.until)}`,
      {
        reason: "unknown_tool",
        next: `Connect it: toolpool connect ${before.alias}`,
      },
    );
  }
  const servers = await client.request("servers.list", {}, { signal });
  const idle = servers.filter(({ state }) => state.kind !== "connected" && state.kind !== "disabled").map(({ alias }) => alias);
  throw new Failure(1, `No connected server publishes "${visible(tool)}"`, {
    reason: "unknown_tool",
    next:
      idle.length === 0
        ? "See the tools there are: toolpool tools"
        : `See the tools there are: toolpool tools; connect another server: toolpool connect <${idle.join("|")}>`,
  });
}

function open(
  client: PoolClient,
  alias: string | undefined,
  { signal, cwd }: Run,
): ReturnType<typeof client.request<"session.open">> {
  const attach = alias === undefined ? {} : { attach: [alias] };
  return client.request("session.open", { role: "lead", label: "toolpool call", cwd, ...attach }, { signal });
}

function notAttached(alias: string): Failure {
  const next = `See why: toolpool connect ${alias}`;
  return new Failure(1, `${alias} is no longer connected`, { reason: "connect_failed", next });
}

const needsApproval = ({ outcome }: ToolReply): boolean => isErrorOutcome(outcome) && outcome.error.code === "approval_required";

async function mayAsk(run: Run, tool: string, argumentsText: string): Promise<boolean> {
  if (run.screen.json) return false;
  return ask(run, `The local policy asks before ${visible(tool)} ${visible(argumentsText)} runs. Allow it?`);
}

function tellError({ screen }: Run, { outcome }: ToolReply): number {
  if (!screen.json && isErrorOutcome(outcome)) {
    const { code, message, reason, issues = [] } = outcome.error;
    screen.note(
      screen.noteColours.red(`Error [${code}]: ${visible(message)}${reason === undefined ? "" : ` (${visible(reason)})`}`),
    );
    for (const issue of issues) screen.note(`  ${visible(issue.pointer)} ${visible(issue.message)}`);
    if (code === "approval_required") screen.note("Allow it on the command line: toolpool call --yes …");
  }
  return 1;
}
