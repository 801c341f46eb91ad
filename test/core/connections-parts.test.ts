// The pure and small parts of connections: queue, recovery, pace of refreshes, states.
import fc from "fast-check";
import { expect, vi } from "vitest";
import { connectFailure, type ServerState } from "../../daemon/contract/index.ts";
import { OperationQueue, type Entry } from "../../daemon/connections/queue.ts";
import { decideRecovery, RECOVERY } from "../../daemon/connections/recovery.ts";
import { RefreshPace } from "../../daemon/connections/refresh-pace.ts";
import { StartGate } from "../../daemon/connections/start-gate.ts";
import { transition } from "../../daemon/connections/state.ts";
import { proves } from "../support/promise.ts";

type Going = Extract<Entry, { kind: "go" }>;

/** Enters operations and keeps the order in which they were let in. */
class Traffic {
  readonly queue: OperationQueue;
  readonly order: string[] = [];
  readonly entries = new Map<string, Entry>();
  constructor(concurrency = 2, limit = 100) {
    this.queue = new OperationQueue({ concurrency, limit });
  }
  enter(name: string, session: string, concurrent: boolean, more: { waitMs?: number; signal?: AbortSignal } = {}): Promise<void> {
    const entered = this.queue.enter({ session, concurrent, ...more });
    const note = (entry: Entry): void => {
      this.entries.set(name, entry);
      if (entry.kind === "go") this.order.push(name);
    };
    if (entered instanceof Promise) return entered.then(note);
    note(entered);
    return Promise.resolve();
  }
  leave(name: string): void {
    const entry = this.entries.get(name);
    if (entry?.kind !== "go") throw new Error(`${name} is not running`);
    entry.leave();
  }
}

proves("CORE-9", "reads overlap up to the limit; a write waits for them, runs alone, and is not overtaken", async () => {
  const traffic = new Traffic();
  const all = [
    traffic.enter("r1", "s", true),
    traffic.enter("r2", "s", true),
    traffic.enter("r3", "s", true),
    traffic.enter("w1", "s", false),
    traffic.enter("r4", "s", true),
  ];
  expect(traffic.order).toEqual(["r1", "r2"]);
  traffic.leave("r1");
  await Promise.resolve();
  expect(traffic.order).toEqual(["r1", "r2", "r3"]);
  traffic.leave("r2");
  await Promise.resolve();
  expect(traffic.order).toEqual(["r1", "r2", "r3"]);
  traffic.leave("r3");
  await Promise.resolve();
  expect(traffic.order.at(-1)).toBe("w1");
  expect(traffic.queue.depth).toEqual({ running: 1, waiting: 1 });
  traffic.leave("w1");
  await Promise.all(all);
  expect(traffic.order.at(-1)).toBe("r4");
});

proves(
  "CORE-9",
  "sessions take turns: one with many waiting calls does not keep another waiting behind all of them",
  async () => {
    const traffic = new Traffic(1);
    const all = [traffic.enter("a0", "a", false)];
    for (const n of [1, 2, 3]) all.push(traffic.enter(`a${n}`, "a", false));
    all.push(traffic.enter("b1", "b", false));
    for (const next of ["a0", "a1", "b1", "a2", "a3"]) {
      await Promise.resolve();
      traffic.leave(next);
    }
    await Promise.all(all);
    expect(traffic.order).toEqual(["a0", "a1", "b1", "a2", "a3"]);
  },
);

proves(
  "CORE-9",
  "waiting ends by its limit in number, by time, by cancellation and by the end of the queue, each told apart",
  async () => {
    vi.useFakeTimers();
    try {
      const traffic = new Traffic(1, 3);
      const abort = new AbortController();
      await traffic.enter("running", "s", false);
      const late = traffic.enter("late", "s", false, { waitMs: 50 });
      const cancelled = traffic.enter("cancelled", "s", false, { signal: abort.signal });
      const ended = traffic.enter("ended", "s", false);
      await traffic.enter("full", "s", false);
      abort.abort();
      vi.advanceTimersByTime(50);
      await Promise.all([late, cancelled]);
      traffic.queue.end();
      await ended;
      await traffic.enter("after", "s", false);
      const kinds = Object.fromEntries([...traffic.entries].map(([name, entry]) => [name, entry.kind]));
      expect(kinds).toEqual({
        running: "go",
        full: "full",
        late: "timeout",
        cancelled: "cancelled",
        ended: "ended",
        after: "ended",
      });
      expect(traffic.queue.depth).toEqual({ running: 1, waiting: 0 });
      expect(vi.getTimerCount()).toBe(0);
      const idle = traffic.queue.idle();
      traffic.leave("running");
      await idle;
    } finally {
      vi.useRealTimers();
    }
  },
);

proves(
  "CORE-9",
  "for any traffic: never a write beside anything, never more than the limit, everything gets its turn",
  async () => {
    const operation = fc.record({ session: fc.constantFrom("a", "b", "c"), concurrent: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        async (operations, concurrency) => {
          const queue = new OperationQueue({ concurrency, limit: 100 });
          const running = new Set<{ concurrent: boolean }>();
          const done = operations.map(async ({ session, concurrent }) => {
            const entry = (await queue.enter({ session, concurrent })) as Going;
            const self = { concurrent };
            running.add(self);
            expect(running.size === 1 || [...running].every((other) => other.concurrent)).toBe(true);
            expect(running.size).toBeLessThanOrEqual(concurrency);
            await Promise.resolve();
            running.delete(self);
            entry.leave();
          });
          await Promise.all(done);
          expect(queue.depth).toEqual({ running: 0, waiting: 0 });
        },
      ),
    );
  },
);

proves("CORE-10", "the whole table of decisions", () => {
  const facts = { mode: "backoff", code: "connection_lost", held: true, attempts: 0, livedMs: 5 } as const;
  expect(decideRecovery({ ...facts, mode: "manual" })).toEqual({ kind: "stop" });
  expect(decideRecovery({ ...facts, held: false })).toEqual({ kind: "stop" });
  expect(decideRecovery({ ...facts, code: "policy_mismatch" })).toEqual({ kind: "stop" });
  const delays = [0, 1, 2, 3, 4, 5].map((attempts) => decideRecovery({ ...facts, attempts }));
  expect(delays).toEqual([
    { kind: "retry", attempt: 1, delayMs: 1_000 },
    { kind: "retry", attempt: 2, delayMs: 2_000 },
    { kind: "retry", attempt: 3, delayMs: 4_000 },
    { kind: "retry", attempt: 4, delayMs: 8_000 },
    { kind: "retry", attempt: 5, delayMs: 16_000 },
    { kind: "stop" },
  ]);
  expect(decideRecovery({ ...facts, attempts: 5, livedMs: RECOVERY.stableMs })).toEqual({
    kind: "retry",
    attempt: 1,
    delayMs: 1_000,
  });
});

proves("CORE-11", "two hundred notices are one listing and one more, and idle chatter is read ever more slowly", async () => {
  vi.useFakeTimers();
  try {
    let listings = 0;
    let finish: (result: "changed" | "same") => void = () => undefined;
    const pace = new RefreshPace(
      { debounceMs: 50, capMs: 1_000, quietMs: 10_000, recheckMs: 60_000, now: () => Date.now() },
      () => {
        listings++;
        return new Promise((resolve) => (finish = resolve));
      },
    );
    const answer = async (result: "changed" | "same"): Promise<void> => {
      finish(result);
      await Promise.resolve();
      await Promise.resolve();
    };
    for (let n = 0; n < 100; n++) pace.notice();
    vi.advanceTimersByTime(50);
    expect(listings).toBe(1);
    for (let n = 0; n < 100; n++) pace.notice();
    vi.advanceTimersByTime(5_000);
    expect(listings).toBe(1);
    await answer("same");
    vi.advanceTimersByTime(100);
    expect(listings).toBe(2);
    // A server that notifies whenever it is listed: each round waits twice as long, up to the cap.
    const before = Date.now();
    for (let round = 0; round < 6; round++) {
      pace.notice();
      await answer("same");
      vi.advanceTimersToNextTimer();
    }
    expect(listings).toBe(8);
    expect(Date.now() - before).toBe(200 + 400 + 800 + 1_000 + 1_000 + 1_000);
    await answer("changed");
    pace.stop();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

proves("CORE-11", "a change that nobody announced is found by the slow check", async () => {
  vi.useFakeTimers();
  try {
    const refresh = vi.fn(() => Promise.resolve("same" as const));
    const pace = new RefreshPace(
      { debounceMs: 50, capMs: 1_000, quietMs: 10_000, recheckMs: 60_000, now: () => Date.now() },
      refresh,
    );
    await vi.advanceTimersByTimeAsync(180_000);
    expect(refresh).toHaveBeenCalledTimes(3);
    pace.stop();
  } finally {
    vi.useRealTimers();
  }
});

proves("CORE-15", "the life of a server, and the steps that do not exist", () => {
  const failure = connectFailure("connection_lost");
  const at = "2026-01-01T00:00:00.000Z";
  let state: ServerState = { kind: "idle" };
  const go = (event: Parameters<typeof transition>[1]): string => (state = transition(state, event)).kind;
  expect(go({ kind: "start", connectionId: "a#1", at })).toBe("connecting");
  expect(() => transition(state, { kind: "start", connectionId: "a#2", at })).toThrow("a server that is connecting cannot start");
  expect(go({ kind: "published", at })).toBe("connected");
  expect(() => transition(state, { kind: "published", at })).toThrow("cannot published");
  expect(go({ kind: "retry", failure, attempt: 1, nextAt: at })).toBe("pending");
  expect(go({ kind: "start", connectionId: "a#2", at })).toBe("connecting");
  expect(go({ kind: "failed", failure })).toBe("failed");
  expect(go({ kind: "start", connectionId: "a#3", at })).toBe("connecting");
  expect(go({ kind: "published", at })).toBe("connected");
  expect(go({ kind: "close" })).toBe("closing");
  expect(() => transition(state, { kind: "start", connectionId: "a#4", at })).toThrow("closing");
  expect(go({ kind: "closed" })).toBe("idle");
  expect(go({ kind: "disable" })).toBe("disabled");
});

proves("CORE-9", "only so many servers start at a time, in order of arrival, and a cancelled start leaves the line", async () => {
  const gate = new StartGate(1);
  const first = await gate.enter(new AbortController().signal);
  const abort = new AbortController();
  const second = gate.enter(abort.signal);
  const third = gate.enter(new AbortController().signal);
  abort.abort();
  await expect(second).rejects.toThrow();
  first();
  first();
  const leave = await third;
  leave();
  (await gate.enter(new AbortController().signal))();
});
