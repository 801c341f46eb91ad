// Calls over a link: concurrency, progress, cancels, errors, requests of the server, back-pressure, broken pipes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getEventListeners } from "node:events";
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { call, connected, DO, eventually, launch, never, openLink, refusal, scripted, structured } from "./links.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The messages a scripted server has logged. */
function received(log: string): readonly Message[] {
  return readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string; message: Message })
    .flatMap(({ event, message }) => (event === "message" ? [message] : []));
}

proves("UPS-14", "a hundred calls at once, sent while nothing was answered yet", async () => {
  const { link } = await connected(scripted({ tools: [{ name: "echo" }] }));
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => structured(link, "echo", { i })));
  expect(answers.map((answer) => answer.arguments)).toEqual(Array.from({ length: 100 }, (_, i) => ({ i })));
});

proves("UPS-14", "answers in reverse order reach their own calls", async () => {
  const { link } = await connected(launch("replies-in-reverse"));
  const settled: number[] = [];
  const calls = Array.from({ length: 50 }, async (_, i) => {
    const answer = await structured(link, "echo", { i, last: i === 49 });
    settled.push(i);
    return answer.i;
  });
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  expect(settled).toEqual(Array.from({ length: 50 }, (_, i) => 49 - i));
});

proves("UPS-14", "a server that works on one call at a time gets them in the order they were made", async () => {
  const { link } = await connected(launch("serial"));
  const answers = await Promise.all(Array.from({ length: 30 }, () => structured(link, "work")));
  expect(answers.map(({ order }) => order)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
});

proves("UPS-14", "no call ever has the id 0, which the SDK cannot cancel", async () => {
  const log = join(tempFolder(), "log");
  const { link } = await connected(scripted({ log, tools: [{ name: "echo" }] }));
  await link.listToolsRaw(never);
  await call(link, "echo");
  const ids = received(log).flatMap(({ id, method }) => (id === undefined ? [] : [[method, id]]));
  expect(ids).toEqual([
    ["initialize", 0],
    ["tools/list", 1],
    ["tools/call", 1_000_000],
  ]);
});

proves("UPS-15", "no capability is declared to the server", async () => {
  const log = join(tempFolder(), "log");
  await connected(scripted({ log }));
  await eventually(() => received(log).length === 2);
  const [initialize, initialized] = received(log);
  expect(initialize?.params).toMatchObject({ capabilities: {}, clientInfo: { name: "toolpool" } });
  expect(initialized?.method).toBe("notifications/initialized");
});

proves("UPS-19", "every progress of a call is told to it, whatever the server counts; other tokens to nobody", async () => {
  const { link, seen } = await connected(scripted({}));
  let first = 0;
  let second = 0;
  const holding = link.callRaw("do", { steps: [{ hold: "go" }] }, { signal: never, onProgress: () => first++ });
  const steps = [{ progress: 3 }, { progress: { progress: -1 } }, { progress: { token: "wrong", progress: 1 } }];
  await link.callRaw(
    "do",
    { steps: [...steps, { progress: { token: 4711, progress: 1 } }] },
    { signal: never, onProgress: () => second++ },
  );
  await call(link, "do", { steps: [{ release: "go" }] });
  await holding;
  expect([first, second, seen.noise]).toEqual([0, 4, 2]);
});

proves("UPS-19", "a token is sent without being asked for", async () => {
  const log = join(tempFolder(), "log");
  const { link } = await connected(scripted({ log, tools: [{ name: "echo" }] }));
  await call(link, "echo", { a: 1 });
  const sent = received(log).find(({ method }) => method === "tools/call");
  expect(sent?.params).toEqual({ name: "echo", arguments: { a: 1 }, _meta: { progressToken: sent?.id } });
});

proves("UPS-20", "in mid-call: settled at once, told to the server, the late answer dropped", async () => {
  const log = join(tempFolder(), "log");
  const { link, seen } = await connected(
    scripted({ log, tools: [DO, { name: "slow", does: [{ untilCancelled: true }, { text: "late" }] }] }),
  );
  const abort = new AbortController();
  const slow = refusal(link.callRaw("slow", {}, { signal: abort.signal }));
  await eventually(() => received(log).some(({ method }) => method === "tools/call"));
  abort.abort(new Error("a reason of the caller that is nobody's business"));
  expect((await slow).code).toBe("aborted");
  expect(await structured(link, "do", { steps: [] })).toMatchObject({ calls: 2 });
  const [asked] = received(log).filter(({ method }) => method === "tools/call");
  const [cancelled] = received(log).filter(({ method }) => method === "notifications/cancelled");
  expect(cancelled?.params).toEqual({ requestId: asked?.id, reason: "cancelled by the caller" });
  expect(seen.noise).toBe(0);
});

proves("UPS-20", "a server that ignores the cancel keeps nobody waiting", async () => {
  const { link } = await connected(scripted({}));
  const abort = new AbortController();
  const stuck = refusal(link.callRaw("do", { steps: [{ never: true }] }, { signal: abort.signal, onSent: () => abort.abort() }));
  expect((await stuck).code).toBe("aborted");
  expect(await call(link, "do", { steps: [{ text: "still here" }] })).toMatchObject({ content: [{ text: "still here" }] });
});

proves("UPS-20", "before anything was written nothing is: neither the call nor its cancel", async () => {
  const log = join(tempFolder(), "log");
  const { link } = await connected(scripted({ log }));
  let sent = 0;
  const options = { onSent: () => sent++ };
  const abort = new AbortController();
  const queued = refusal(link.callRaw("do", {}, { ...options, signal: abort.signal }));
  abort.abort();
  expect((await queued).code).toBe("aborted");
  expect((await refusal(link.callRaw("do", {}, { ...options, signal: abort.signal }))).code).toBe("aborted");
  await link.listToolsRaw(never);
  expect(sent).toBe(0);
  expect(received(log).map(({ method }) => method)).toEqual(["initialize", "notifications/initialized", "tools/list"]);
});

proves("UPS-20", "an abort after the answer changes nothing", async () => {
  const log = join(tempFolder(), "log");
  const { link } = await connected(scripted({ log, tools: [{ name: "echo" }] }));
  const abort = new AbortController();
  await link.callRaw("echo", {}, { signal: abort.signal });
  abort.abort();
  await link.listToolsRaw(never);
  expect(received(log).some(({ method }) => method === "notifications/cancelled")).toBe(false);
});

proves("UPS-21", "an error answer of any shape is a code of ours", async () => {
  const { link } = await connected(scripted({ list: "error" }));
  for (const error of [
    { code: -32602, message: "private words", data: { secret: 1 } },
    { code: "private", message: 7 },
    { message: "private words" },
    "private words",
    {},
    0,
  ]) {
    const refused = await refusal(link.callRaw("do", { steps: [{ error }] }, { signal: never }));
    expect(refused.code).toBe("remote_error");
    expect(`${refused.message} ${JSON.stringify(refused.details)}`).not.toMatch(/private|secret/);
  }
  const list = await refusal(link.listToolsRaw(never));
  expect({ code: list.code, details: list.details }).toEqual({
    code: "list_failed",
    details: { rule: "error_answer", code: -32603 },
  });
});

proves("UPS-22", "ping is answered, everything else is an unknown method, also with odd parameters", async () => {
  const { link } = await connected(scripted({}));
  const ask = async (method: string, params?: unknown): Promise<unknown> => {
    const request = params === undefined ? { method } : { method, params };
    return (await structured(link, "do", { steps: [{ request }] } as never)).reply;
  };
  expect(await ask("ping")).toMatchObject({ result: {} });
  for (const method of ["sampling/createMessage", "elicitation/create", "roots/list", "tasks/list", "no/such"]) {
    expect(await ask(method, { _meta: 5, messages: [] })).toMatchObject({ error: { code: -32601 } });
  }
});

proves("UPS-23", "a call is sent when its bytes go to the pipe, and the calls of one turn go together", async () => {
  const { link } = await connected(scripted({ tools: [{ name: "echo" }] }));
  const sent: number[] = [];
  const calls = [1, 2, 3].map((i) => link.callRaw("echo", { i }, { signal: never, onSent: () => sent.push(i) }));
  expect(sent).toEqual([]);
  await Promise.all(calls);
  expect(sent).toEqual([1, 2, 3]);
});

proves("UPS-23", "a full pipe holds the next calls back unsent; when the child dies all of them settle", async () => {
  const { link } = await connected(launch("stops-reading"));
  await link.listToolsRaw(never);
  let sent = 0;
  const padding = "x".repeat(1 << 20);
  const abort = new AbortController();
  const options = { signal: never, onSent: () => sent++ };
  const first = refusal(link.callRaw("lookup", { padding }, options));
  await eventually(() => sent === 1);
  const others = [1, 2, 3].map(() => refusal(link.callRaw("lookup", { padding }, options)));
  const given = refusal(link.callRaw("lookup", {}, { ...options, signal: abort.signal }));
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  expect((await given).code).toBe("aborted");
  expect(sent).toBe(1);
  process.kill(Number(link.pid), "SIGKILL");
  expect((await Promise.all([first, ...others])).map(({ code }) => code)).toEqual(["closed", "closed", "closed", "closed"]);
  expect(sent).toBe(1);
  expect(await link.closed).toMatchObject({ kind: "exited", signal: "SIGKILL" });
});

proves("UPS-9", "stdin closed right after the handshake: the write breaks that link, the daemon lives", async () => {
  const { link } = await connected(launch("closes-stdin"));
  await eventually(() => link.stderrTail() === "closed");
  const error = await refusal(link.callRaw("lookup", {}, { signal: never }));
  expect({ code: error.code, details: error.details }).toEqual({ code: "closed", details: { why: "stdin is closed" } });
  expect(await link.closed).toEqual({ kind: "broken", why: "stdin is closed" });
});

proves("UPS-9", "stdout closed by a server that lives on is the end of its link", async () => {
  const { link } = await connected(scripted({}));
  const error = await refusal(link.callRaw("do", { steps: [{ closeStdout: true }] }, { signal: never }));
  expect({ code: error.code, details: error.details }).toEqual({ code: "closed", details: { why: "stdout is closed" } });
  expect(await link.closed).toEqual({ kind: "broken", why: "stdout is closed" });
});

proves("UPS-9", "an exit in the middle of a hundred calls settles each of them, and another link goes on", async () => {
  const dying = await connected(scripted({}));
  const other = await connected(scripted({ tools: [{ name: "echo" }] }));
  const waiting = Array.from({ length: 100 }, () =>
    refusal(dying.link.callRaw("do", { steps: [{ never: true }] }, { signal: never })),
  );
  const last = refusal(dying.link.callRaw("do", { steps: [{ exit: 9 }] }, { signal: never }));
  for (const error of await Promise.all([...waiting, last])) expect(error.code).toBe("closed");
  expect(await dying.link.closed).toEqual({ kind: "exited", exitCode: 9, signal: null });
  expect(await structured(other.link, "echo", { a: 1 })).toMatchObject({ arguments: { a: 1 } });
});

proves("UPS-9", "an answer written right before the exit is an answer", async () => {
  const { link } = await connected(
    scripted({ tools: [{ name: "last", does: [{ raw: '{"jsonrpc":"2.0","id":$ID,"result":{"bye":1}}\n' }, { exit: 0 }] }] }),
  );
  expect(await call(link, "last")).toEqual({ bye: 1 });
});

proves("UPS-24", "a long-lived signal keeps no listener of a list or a connect, however many there were", async () => {
  const { signal } = new AbortController();
  const { link } = openLink(scripted({ pageSize: 1, tools: [DO, DO, DO] }));
  await link.connect(signal);
  for (let i = 0; i < 20; i++) await link.listToolsRaw(signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

proves("UPS-24", "the link of a factory call that was never connected needs nothing to close", async () => {
  const { link } = openLink(launch("never-answers"));
  await link.close("unused");
  expect(await link.closed).toEqual({ kind: "asked", reason: "unused" });
  expect([link.pid, link.stderrTail()]).toEqual([undefined, ""]);
});
