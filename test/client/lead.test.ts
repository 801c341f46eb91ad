// The whole Lead against a real daemon with real servers, its model scripted behind the real openai package.
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { AgentEvent, RunEnd } from "../../client/agent/events.ts";
import { runLead } from "../../client/agent/lead.ts";
import { Mailbox } from "../../client/agent/mailbox.ts";
import { nobody, Permission } from "../../client/permission/permission.ts";
import type { SeenRequest } from "../../client/models/scripted/endpoint.ts";
import type { CallRecord, SessionInfo } from "../../daemon/contract/index.ts";
import { scripted, TestPool } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { APIS, withScript } from "./scripted-models.ts";

const call = (tool: string, args: object = {}) => ({ tool, arguments: args });
const server = () =>
  scripted({ tools: [{ name: "look" }, { name: "wait", does: [{ touch: "$file" }, { untilCancelled: true }] }] });

async function withPool<T>(work: (pool: TestPool) => Promise<T>): Promise<T> {
  const pool = await TestPool.start({ servers: { a: server() } });
  try {
    return await work(pool);
  } finally {
    expect(await pool.stop()).toEqual(["daemon.log", "pool.db", "token"]);
  }
}

interface Ran {
  readonly end: RunEnd;
  readonly events: readonly AgentEvent[];
  readonly seen: readonly SeenRequest[];
  readonly sessionId: string;
}

function run(
  pool: TestPool,
  script: Parameters<typeof withScript>[1],
  more: {
    readonly api?: "chat" | "responses";
    readonly signal?: AbortSignal;
    readonly onEvent?: (event: AgentEvent) => void;
    readonly cwd?: string;
  } = {},
): Promise<Ran> {
  const { api = "chat", signal = new AbortController().signal, cwd = tempFolder() } = more;
  return withScript(api, script, async ({ models, seen }) => {
    const events: AgentEvent[] = [];
    let sessionId = "";
    const end = await runLead({
      pool: pool.client,
      models,
      prompt: "go",
      cwd,
      env: {},
      permission: new Permission({ approve: "allow", prompt: nobody }),
      signal,
      onSession: (id) => (sessionId = id),
      onEvent: (event) => {
        events.push(event);
        more.onEvent?.(event);
      },
    });
    return { end, events, seen, sessionId };
  });
}

const outcomes = (events: readonly AgentEvent[], agent: string): readonly string[] =>
  events.flatMap((event) => (event.kind === "outcome" && event.agent === agent ? [`${event.name} ${event.code}`] : []));

proves("LEAD-7", "connect, too early, offered, called: the journal has the versions the model saw, in both APIs", async () => {
  await withPool(async (pool) => {
    for (const api of APIS) {
      const { end, events, sessionId } = await run(
        pool,
        [
          { expectTools: ["connect_mcp", "!mcp__a__look"], calls: [call("connect_mcp", { alias: "a" }), call("mcp__a__look")] },
          { expectTools: ["mcp__a__look"], calls: [call("mcp__a__look", { q: 1 }), call("mcp__a__look", { q: 2 })] },
          { text: "done" },
        ],
        { api },
      );
      expect(end).toMatchObject({ kind: "done", text: "done" });
      expect(outcomes(events, "lead")).toEqual([
        "connect_mcp ok",
        "mcp__a__look unknown_tool",
        "mcp__a__look ok",
        "mcp__a__look ok",
      ]);
      const records = await pool.client.get<readonly CallRecord[]>(`/v1/calls?session=${sessionId}`);
      const versions = events.flatMap((event) => (event.kind === "request" ? [event.version] : []));
      const tags = records
        .map(({ callId, version, code }) => `${String(callId)} ${String(version)} ${String(code)}`)
        .toReversed();
      expect(tags).toEqual([
        `r1c1 ${String(versions[0])} ok`,
        `r1c2 ${String(versions[0])} unknown_tool`,
        `r2c1 ${String(versions[1])} ok`,
        `r2c2 ${String(versions[1])} ok`,
      ]);
      expect(versions[1]).toBeGreaterThan(versions[0] ?? Infinity);
    }
    expect(await pool.client.get<readonly SessionInfo[]>("/v1/sessions")).toEqual([]);
  });
});

proves(
  "LEAD-12",
  "Ctrl-C during a call: the server is told, the journal has it as cancelled, the session is closed",
  async () => {
    await withPool(async (pool) => {
      const file = join(tempFolder(), "waiting");
      const controller = new AbortController();
      const script = [{ calls: [call("connect_mcp", { alias: "a" })] }, { calls: [call("mcp__a__wait", { file })] }];
      const running = run(pool, script, {
        signal: controller.signal,
        onEvent: ({ kind, request }) => {
          if (kind === "call" && request === 2) setImmediate(() => controller.abort());
        },
      });
      const { end, sessionId } = await running;
      expect(end).toMatchObject({ kind: "interrupted" });
      const [record] = await pool.client.get<readonly CallRecord[]>(`/v1/calls?session=${sessionId}`);
      expect(record).toMatchObject({ tool: "mcp__a__wait", status: "error", code: "cancelled" });
      expect(await pool.client.get<readonly SessionInfo[]>("/v1/sessions")).toEqual([]);
    });
  },
);

proves("LEAD-13", "a daemon that dies under a call ends the run with that word", async () => {
  const pool = await TestPool.start({ servers: { a: server() } });
  const script = [
    { calls: [call("connect_mcp", { alias: "a" })] },
    { calls: [call("mcp__a__wait", { file: join(tempFolder(), "x") })] },
  ];
  const { end } = await run(pool, script, {
    onEvent: ({ kind, request }) => {
      if (kind === "call" && request === 2) setImmediate(() => pool.process.kill("SIGKILL"));
    },
  });
  expect(end).toMatchObject({ kind: "failed", reason: "daemon" });
  await pool.kill();
});

const trying = [
  {
    expectTools: ["read_file", "!connect_mcp", "!shell", "!write_file", "!spawn_subagent"],
    calls: [
      call("connect_mcp", { alias: "a" }),
      call("mcp__a__look"),
      call("read_file", { path: "note" }),
      call("shell", { command: "true" }),
    ],
  },
  { text: "nothing worked but reading" },
];

proves(
  "LEAD-20",
  "a subagent sees the reading tools only, is refused by the daemon, answers, and its session is gone",
  async () => {
    await withPool(async (pool) => {
      const cwd = realpathSync(tempFolder());
      writeFileSync(join(cwd, "note"), "written here");
      const sessions: SessionInfo[] = [];
      let looking: Promise<unknown> = Promise.resolve();
      const { end, events, seen, sessionId } = await run(
        pool,
        {
          lead: [
            { calls: [call("connect_mcp", { alias: "a" })] },
            {
              calls: [
                call("spawn_subagent", { label: "scout", task: "look around" }),
                call("spawn_subagent", { label: "Bad Name", task: "x" }),
              ],
            },
            { text: "done" },
          ],
          scout: trying,
        },
        {
          cwd,
          onEvent: ({ agent, kind }) => {
            if (agent !== "subagent scout" || kind !== "reply" || sessions.length > 0) return;
            looking = pool.client.get<readonly SessionInfo[]>("/v1/sessions").then((open) => sessions.push(...open));
          },
        },
      );
      await looking;
      expect(end).toMatchObject({ kind: "done" });
      expect(outcomes(events, "subagent scout")).toEqual([
        "connect_mcp unknown_tool",
        "mcp__a__look unknown_tool",
        "read_file ok",
        "shell unknown_tool",
      ]);
      expect([...outcomes(events, "lead")].sort()).toEqual([
        "connect_mcp ok",
        "spawn_subagent invalid_arguments",
        "spawn_subagent ok",
      ]);
      expect(seen.filter(({ agent }) => agent === "scout").map(({ toolNames }) => toolNames.join())).toEqual(
        Array(2).fill("read_file,list_files,search_files"),
      );
      const own = sessions.find(({ role }) => role === "subagent");
      expect(own).toMatchObject({ label: "scout", parent: sessionId });
      const records = await pool.client.get<readonly CallRecord[]>(`/v1/calls?session=${String(own?.sessionId)}`);
      expect(records.map(({ code, reason }) => `${String(code)} ${String(reason)}`)).toEqual(
        Array(3).fill("unknown_tool not_in_snapshot"),
      );
      expect(await pool.client.get<readonly SessionInfo[]>("/v1/sessions")).toEqual([]);
    });
  },
);

proves("LEAD-20", "teammates answer at their turn, one conversation each; the lead waits for what is still to come", async () => {
  await withPool(async (pool) => {
    const { end, events, seen } = await run(pool, {
      lead: [
        {
          calls: [
            call("send_message", { to: "mate", text: "one" }),
            call("send_message", { to: "mate", text: "two" }),
            call("send_message", { to: "other", text: "three" }),
          ],
        },
        // As often as messages come in.
        ...Array.from({ length: 4 }, () => ({ text: "anything else?" })),
      ],
      mate: [{ text: "first answer" }, { text: "second answer" }],
      other: [{ text: "third answer" }],
    });
    expect(end).toMatchObject({ kind: "done" });
    expect(outcomes(events, "lead")).toEqual(Array(3).fill("send_message ok"));
    const last = JSON.stringify(seen.findLast(({ agent }) => agent === "lead")?.body);
    for (const message of [
      "Message from mate:\\nfirst answer",
      "Message from mate:\\nsecond answer",
      "Message from other:\\nthird answer",
    ]) {
      expect(last.split(message)).toHaveLength(2);
    }
    expect(last.indexOf("first answer")).toBeLessThan(last.indexOf("second answer"));
    expect(seen.filter(({ agent }) => agent === "mate").map(({ replies }) => replies)).toEqual([0, 1]);
    expect(await pool.client.get<readonly SessionInfo[]>("/v1/sessions")).toEqual([]);
  });
});

proves("LEAD-20", "a subagent whose model fails is an error of its call, not of the run", async () => {
  await withPool(async (pool) => {
    const { end, events } = await run(pool, {
      lead: [
        { calls: [call("spawn_subagent", { label: "lost", task: "x" }), call("send_message", { to: "gone", text: "x" })] },
        { text: "ok" },
        { text: "ok" },
      ],
    });
    expect(end).toMatchObject({ kind: "done" });
    expect(outcomes(events, "lead")).toEqual(expect.arrayContaining(["send_message ok", "spawn_subagent failed"]));
  });
});

proves("LEAD-20", "a mailbox wakes who waits, counts what was promised, and lets go of an abort", async () => {
  const mailbox = new Mailbox();
  const { signal } = new AbortController();
  await mailbox.arrival(signal);
  mailbox.expect();
  const arrival = mailbox.arrival(signal);
  mailbox.deliver("hello");
  await arrival;
  expect(mailbox.expecting()).toBe(true);
  expect(mailbox.take()).toEqual(["hello"]);
  expect(mailbox.expecting()).toBe(false);
  mailbox.expect();
  const controller = new AbortController();
  const aborted = mailbox.arrival(controller.signal);
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
});
