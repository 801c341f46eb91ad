// The other agents of a run. A subagent does one task and its text is the result; a teammate stays, has a mailbox, and answers
// at its turn while the lead goes on. All of them get the reading tools only, and a session of their own at the pool, opened
// under the lead's and closed after: what such a session may see is the daemon's decision, and it sees nothing.
import type { Role } from "../../daemon/contract/index.ts";
import type { Models } from "../models/model.ts";
import type { Permission } from "../permission/permission.ts";
import { defineTool, text, ToolProblem, type BuiltInTool } from "../tools/built-in.ts";
import type { OnEvent, RunEnd } from "./events.ts";
import { Agent, type Budget, type Inbox } from "./loop.ts";
import { Mailbox } from "./mailbox.ts";
import { PoolSession } from "./pool-session.ts";

export interface TeamOptions {
  readonly lead: PoolSession;
  readonly models: Models;
  /** What subagents and teammates get: fixed. */
  readonly builtIns: readonly BuiltInTool[];
  readonly permission: Permission;
  readonly budget?: Partial<Budget>;
  readonly cwd: string;
  readonly onEvent: OnEvent;
  /** The whole run's. */
  readonly signal: AbortSignal;
}

interface Teammate {
  readonly session: PoolSession;
  readonly agent: Agent;
  /** The end of its last turn so far. */
  turn: Promise<void>;
  waiting: number;
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const MOST_TEAMMATES = 8;

export class Team {
  /** What teammates have answered, for the lead. */
  readonly inbox: Inbox;
  readonly #mailbox = new Mailbox();
  readonly #options: TeamOptions;
  readonly #teammates = new Map<string, Promise<Teammate>>();
  readonly #subagents = new Set<PoolSession>();
  readonly #stop = new AbortController();

  constructor(options: TeamOptions) {
    this.#options = options;
    this.inbox = this.#mailbox;
  }

  /** For the lead only. */
  tools(): readonly BuiltInTool[] {
    const label = text("A short name: a letter, then letters, digits, - and _.");
    const spawn = defineTool({
      name: "spawn_subagent",
      description: "Gives one task to a new agent that can read files here, waits for it, and returns what it found.",
      effect: "read",
      parameters: { label, task: text("All it needs to know: it sees nothing of this conversation.") },
      run: (values, { signal }) => this.#spawn(values.label, values.task, signal),
    });
    const send = defineTool({
      name: "send_message",
      description: "Puts a message into a teammate's mailbox (a new name makes a new teammate). The answer comes later.",
      effect: "read",
      parameters: { to: label, text: text("The message.") },
      run: (values, { signal }) => this.#send(values.to, values.text, signal),
    });
    return [spawn, send];
  }

  /** Ends turns that still run, then closes every session. */
  async close(): Promise<void> {
    this.#stop.abort(new DOMException("The team was closed", "AbortError"));
    const teammates = await Promise.allSettled(this.#teammates.values());
    const open = teammates.flatMap((teammate) => (teammate.status === "fulfilled" ? [teammate.value] : []));
    await Promise.all(open.map(({ turn }) => turn));
    await Promise.all([...open.map(({ session }) => session.close()), ...[...this.#subagents].map((one) => one.close())]);
  }

  async #spawn(label: string, task: string, signal: AbortSignal): Promise<string> {
    checkName(label);
    const session = await this.#open("subagent", label, signal);
    this.#subagents.add(session);
    try {
      return answerOf(await this.#agent("subagent", label, session).run(task, AbortSignal.any([signal, this.#stop.signal])));
    } finally {
      await session.close();
      this.#subagents.delete(session);
    }
  }

  async #send(to: string, message: string, signal: AbortSignal): Promise<string> {
    checkName(to);
    let opening = this.#teammates.get(to);
    if (opening === undefined) {
      if (this.#teammates.size >= MOST_TEAMMATES) {
        throw new ToolProblem("too_many", `There are ${String(MOST_TEAMMATES)} teammates already; write to one of them`);
      }
      opening = this.#join(to, signal);
      this.#teammates.set(to, opening);
      // One that could not join may be tried again.
      opening.catch(() => this.#teammates.delete(to));
    }
    const teammate = await opening;
    const before = teammate.waiting++;
    this.#mailbox.expect();
    teammate.turn = teammate.turn.then(() => this.#turn(to, teammate, message));
    return before === 0 ? `${to} has your message` : `${to} has your message, after ${String(before)} others`;
  }

  async #join(name: string, signal: AbortSignal): Promise<Teammate> {
    const session = await this.#open("teammate", name, signal);
    return { session, agent: this.#agent("teammate", name, session), turn: Promise.resolve(), waiting: 0 };
  }

  /** Never rejects: whatever comes of a turn is a message to the lead. */
  async #turn(name: string, teammate: Teammate, message: string): Promise<void> {
    let answer: string;
    try {
      answer = answerOf(await teammate.agent.run(message, AbortSignal.any([this.#options.signal, this.#stop.signal])));
    } catch (error) {
      answer = `[no answer: ${error instanceof Error ? error.message : String(error)}]`;
    }
    teammate.waiting--;
    this.#mailbox.deliver(`Message from ${name}:\n${answer}`);
  }

  #open(role: Exclude<Role, "lead">, label: string, signal: AbortSignal): Promise<PoolSession> {
    const { lead, cwd } = this.#options;
    return PoolSession.open(lead.pool, { role, label, cwd, parent: lead.id }, { signal });
  }

  #agent(role: Exclude<Role, "lead">, label: string, session: PoolSession): Agent {
    const { models, builtIns, permission, budget = {}, cwd, onEvent } = this.#options;
    return new Agent({
      agent: `${role} ${label}`,
      session,
      model: models.forAgent(label),
      builtIns,
      permission,
      instructions: `You are ${label}, a ${role} of another agent, in ${cwd}. You can only read files. Answer in text, briefly.`,
      budget,
      onEvent,
    });
  }
}

function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new ToolProblem("invalid_arguments", "A name is a small letter, then up to 31 small letters, digits, - and _");
}

function answerOf(end: RunEnd): string {
  if (end.kind === "done") return end.text;
  if (end.kind === "interrupted") throw new ToolProblem("cancelled", "It was interrupted");
  throw new ToolProblem(end.kind === "incomplete" ? `incomplete_${end.reason}` : "failed", end.message);
}
