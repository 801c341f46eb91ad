// Clients that go without a word: what they had opened comes to its end by itself, and the daemon is as it was. The whole daemon.
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { RawClient, rpcBytes } from "../http/daemon.ts";
import { proves } from "../support/promise.ts";
import { codeOf, scripted, TestPool } from "../support/pool.ts";

/** In the daemon: SIGUSR2 collects its garbage, so that what is still in its heap is held by something. */
const COLLECTS = `data:text/javascript,process.on("SIGUSR2",()=>globalThis.gc())`;

interface Counts {
  readonly sessions: number;
  readonly descriptors: number;
  readonly heap: number;
  readonly attached: number;
}

async function counts(pool: TestPool): Promise<Counts> {
  pool.process.kill("SIGUSR2");
  const { attachedSessions } = await pool.server("alpha");
  const text = await pool.client.getText("/metrics");
  const value = (name: string): number => {
    const found = new RegExp(`^${name} (.*)$`, "m").exec(text);
    if (found === null) throw new Error(`no ${name} in /metrics`);
    return Number(found[1]);
  };
  return {
    sessions: value("toolpool_sessions"),
    descriptors: value("process_open_fds"),
    heap: value("nodejs_heap_size_used_bytes"),
    attached: attachedSessions.length,
  };
}

type Manner = "ends" | "resets" | "watches";

/** Opens a session that nobody will close, and leaves. */
async function abandon(pool: TestPool, token: string, manner: Manner): Promise<void> {
  const { socketPath, url } = pool.discovery;
  const overTcp = manner === "resets";
  const socket = overTcp ? connect(Number(new URL(url).port), "127.0.0.1") : connect(socketPath);
  const client = await RawClient.open(socket);
  const params = { attach: ["alpha"], idleMs: 1_500 };
  const bytes = rpcBytes({ jsonrpc: "2.0", id: 1, method: "session.open", params });
  const host = `Host: ${new URL(url).host}\r\nAuthorization: Bearer ${token}`;
  client.send(overTcp ? bytes.replace("Host: localhost", host) : bytes);
  const { result } = JSON.parse(/\{.*\}/.exec(await client.receives("sessionId"))?.[0] ?? "{}") as {
    result: { sessionId: string };
  };
  const snapshot = { jsonrpc: "2.0", id: 2, method: "registry.snapshot", params: { sessionId: result.sessionId } };
  if (manner === "watches") {
    client.send(`GET /v1/registry/watch?since=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await client.receives(": watching");
    client.socket.pause();
  } else if (!overTcp) {
    client.send(rpcBytes(snapshot));
    await client.receives('"id":2');
  }
  if (manner === "ends") client.socket.end();
  else if (manner === "resets") client.socket.resetAndDestroy();
  else client.destroy();
}

proves(
  "SHAPE-24",
  "1,200 sessions left by an end, by a reset, with a stream open: sockets, sessions, holds and heap are back where they were",
  async () => {
    const pool = await TestPool.start({
      execArgv: ["--expose-gc", "--import", COLLECTS],
      config: { limits: { sessions: 3_000, versionsInMemory: 16 } },
      servers: { alpha: scripted({ tools: [{ name: "echo" }] }) },
    });
    const keeper = await pool.lead(["alpha"]);
    const token = readFileSync(join(pool.state, "token"), "utf8").trim();
    const round = async (each: number): Promise<void> => {
      for (let done = 0; done < each; done += 20) {
        const twenty = (["ends", "resets", "watches"] as const).flatMap((manner) =>
          Array.from({ length: 20 }, () => abandon(pool, token, manner)),
        );
        await Promise.all(twenty);
      }
      while ((await counts(pool)).sessions > 1) await new Promise((resolve) => setImmediate(resolve));
    };
    // Once before, so that everything that is made at its first use is there.
    await round(100);
    const settled = async (wanted: (now: Counts) => boolean): Promise<Counts> => {
      for (;;) {
        const now = await counts(pool);
        if (wanted(now)) return now;
      }
    };
    let before = await counts(pool);
    // The lowest of several: what is not collected yet is no part of it.
    for (let look = 0; look < 5; look++) {
      const now = await counts(pool);
      before = { ...now, heap: Math.min(now.heap, before.heap), descriptors: Math.min(now.descriptors, before.descriptors) };
    }
    await round(400);
    // It comes to this or the test runs out of time.
    const after = await settled(
      ({ descriptors, heap }) => descriptors <= before.descriptors && heap < before.heap + 2 * 1024 * 1024,
    );
    expect([after.sessions, after.attached]).toEqual([1, 1]);
    expect(codeOf(await keeper.call("mcp__alpha__echo"))).toBe("ok");
    expect(await pool.server("alpha")).toMatchObject({ connectionId: "alpha#1", stats: { connects: 1 } });
    await pool.stop();
  },
  120_000,
);
