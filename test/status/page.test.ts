// The page as lines, over any pool and any size of terminal.
import fc from "fast-check";
import { expect } from "vitest";
import { coloursFor } from "../../client/output/colours.ts";
import { visible } from "../../client/output/visible.ts";
import { displayWidth } from "../../client/output/width.ts";
import type { PoolFacts } from "../../client/status/facts.ts";
import { fitPage, wholePage } from "../../client/status/fit.ts";
import { composePage } from "../../client/status/page.ts";
import { lookOf } from "../../client/status/states.ts";
import { proves } from "../support/promise.ts";
import { connected, EMPTY, failed, NOW, pool, serverOf } from "./facts.ts";

const plain = coloursFor({}, {});
const coloured = coloursFor({}, { FORCE_COLOR: "1" });
const width = fc.integer({ min: 40, max: 200 });

const whole = (facts: PoolFacts, columns: number, colours = plain): string[] => {
  const look = { width: columns, now: NOW, colours };
  return wholePage(composePage(facts, look), look);
};
const fitted = (facts: PoolFacts, columns: number, rows: number): string[] => {
  const look = { width: columns, now: NOW, colours: plain };
  return fitPage(composePage(facts, look), rows, look);
};
const pipe = (facts: PoolFacts): string => whole(facts, Number.MAX_SAFE_INTEGER).join("\n");

/** The lines as one text, as if none had been broken. */
const flat = (lines: readonly string[]): string => lines.join(" ").replaceAll(/\s+/g, " ");

proves("PAGE-1", "no line of any pool is wider than the terminal; every server stands there with sign and state", () => {
  fc.assert(
    fc.property(pool, width, (facts, columns) => {
      const lines = whole(facts, columns);
      for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
      const text = flat(lines);
      for (const server of facts.servers) {
        const { sign, word } = lookOf(server, plain);
        expect(text).toMatch(new RegExp(`(^| )${sign.replaceAll(/[!?]/g, "[$&]")} ${visible(server.alias)} +${word}`));
      }
    }),
    { numRuns: 150 },
  );
});

proves("PAGE-1", "a failure is told with its code, when it was and what to do, on paper and at forty columns", () => {
  const long = "because ".repeat(125);
  const facts = { ...EMPTY, servers: [failed("notes", "spawn_failed", { why: long, searched: ["/usr/bin"] })] };
  expect(pipe(facts)).toContain("    The server's command could not be started (spawn_failed), 3 min ago\n");
  for (const columns of [40, 80, 130]) {
    const lines = whole(facts, columns);
    const text = flat(lines);
    expect(text).toContain("(spawn_failed), 3 min ago because because");
    expect(text).toContain("→ Correct `command`, `cwd` or PATH in the configuration, then toolpool reload and connect again.");
    // Of a thousand characters the page shows the beginning, and that there is more.
    expect(lines.filter((line) => line.includes("because"))).toHaveLength(3);
    expect(text).toContain("…");
  }
});

proves("PAGE-1", "a command that is to be typed is not broken over two lines", () => {
  for (let columns = 40; columns <= 120; columns++) {
    const lines = whole({ ...EMPTY, servers: [failed("demo_beta", "connection_lost", { exitCode: 1, signal: null })] }, columns);
    expect(
      lines.some((line) => line.includes("toolpool restart demo_beta")),
      String(columns),
    ).toBe(true);
    expect(flat(lines)).toContain("its exit code: 1 →");
  }
});

proves("PAGE-1", "the first line sums up; an invalid and an unreviewed entry say how they are mended", () => {
  const details = [{ pointer: "/mcpServers/bad/comand", message: '"comand" is not a known key' }];
  const unreviewed = { ...failed("fresh", "config_invalid"), unreviewed: true as const };
  const facts = { ...EMPTY, servers: [connected("one"), connected("two"), failed("bad", "config_invalid", details), unreviewed] };
  const text = pipe(facts);
  expect(text.split("\n")[0]).toBe("2 of 4 servers connected (1 failed, 1 unreviewed), 42 tools, version 17");
  expect(text).toMatch(
    /✗ bad +failed[^]*\/mcpServers\/bad\/comand {2}"comand" is not a known key\n {4}→ Correct .*toolpool check/,
  );
  expect(text).toMatch(/\? fresh +unreviewed[^]*Nobody has reviewed it[^]*→ .*toolpool review fresh/);
  expect(pipe(EMPTY)).toContain("0 of 0 servers connected, 42 tools, version 17\n");
  expect(pipe(EMPTY)).toContain("No servers in the configuration");
});

proves("PAGE-1", "numbers have units and times are told from now; what is past is no alarm", () => {
  const past = {
    code: "connection_lost",
    message: "The connection to the server was lost",
    at: new Date(NOW - 7_200_000).toISOString(),
  } as const;
  const stats = { connects: 2, failures: 0, calls: 1_200, callsPerMinute: 12, p50Ms: 4, p95Ms: 1_900 };
  const busy = connected("files", {
    pid: 4_711,
    memoryBytes: 61_000_000,
    stats,
    toolCount: 14,
    heldByPool: true,
    attachedSessions: ["s_1", "s_2"],
    queue: { running: 1, waiting: 2 },
    lastFailure: past,
  });
  const facts = { ...EMPTY, servers: [busy] };
  expect(pipe(facts)).toMatch(
    /● files +connected +3 min +14 +4711 +58 MiB +1200 +12 +4 ms +1\.9 s +2 sessions, the pool, 1 running, 2 waiting\n/,
  );
  expect(pipe(facts)).toContain("    Last failure: The connection to the server was lost (connection_lost), 2 h ago\n");
  expect(pipe(facts)).not.toContain("→");
  const narrow = whole(facts, 40);
  expect(flat(narrow)).toContain(
    "● files connected 3 min 14 tools, pid 4711, 58 MiB, 12/min, p50 4 ms, p95 1.9 s, 2 sessions, the pool",
  );
});

proves("PAGE-1", "sessions: who, what they hold, calls in flight, silent since when; a thousand of them are counted", () => {
  const one = {
    sessionId: "s_1",
    role: "lead" as const,
    label: "日本 👩‍💻",
    cwd: null,
    parent: null,
    openedAt: "",
    idleMs: 1,
    version: 1,
  };
  const silent = { ...one, attached: ["alpha", "beta"], callsInFlight: 0, lastSeenAt: new Date(NOW - 200_000).toISOString() };
  const busy = { ...one, sessionId: "s_2", label: null, attached: [], callsInFlight: 2, lastSeenAt: new Date(NOW).toISOString() };
  const text = pipe({ ...EMPTY, sessions: [silent, busy] });
  expect(text).toMatch(/s_2 +lead +2 +busy +–\ns_1 +lead +0 +3 min ago +alpha, beta +日本/);
  expect(flat(whole({ ...EMPTY, sessions: [silent] }, 40))).toContain("lead s_1 日本 👩\\u200d💻 3 min ago, holds alpha, beta");
  const many = Array.from({ length: 1_000 }, () => silent);
  expect(pipe({ ...EMPTY, sessions: many })).toContain("… and 980 more sessions; toolpool status --json has all");
});

proves("PAGE-2", "each state has a sign of its own, and without colours there is no escape", () => {
  const kinds = ["idle", "disabled", "connecting", "connected", "pending", "needs_auth", "failed", "closing"] as const;
  const why = { code: "cancelled", message: "m" } as const;
  const states = kinds.map((kind) => ({ kind, connectionId: "a#1", since: "", attempt: 1, nextAt: "", failure: why }));
  const looks = [
    ...states.map((state) => serverOf("a", state)),
    serverOf("a", states[6] ?? { kind: "idle" }, { unreviewed: true }),
  ].map((server) => lookOf(server, plain));
  expect(new Set(looks.map(({ sign }) => sign)).size).toBe(9);
  expect(new Set(looks.map(({ word }) => word)).size).toBe(9);
  fc.assert(
    fc.property(pool, width, (facts, columns) => {
      const lines = whole(facts, columns);
      expect(lines.join("\n")).not.toContain("\u001b");
      // Colours change nothing but the colour.
      const painted = whole(facts, columns, coloured).join("\n");
      expect(painted.replaceAll(/\u001b\[\d+m/g, "")).toBe(lines.join("\n"));
    }),
    { numRuns: 50 },
  );
});

proves("PAGE-3", "any pool fits into any window, and who is failing stays as long as there is room for a line", () => {
  fc.assert(
    fc.property(pool, width, fc.integer({ min: 1, max: 100 }), (facts, columns, rows) => {
      const lines = fitted(facts, columns, rows);
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
      const troubled = facts.servers.filter((server) => lookOf(server, plain).rank === 0);
      // A summary, the daemon, a head, what was left out, and a line for each.
      if (rows < troubled.length + 14 || columns < 60) return;
      for (const { alias } of troubled) expect(lines.some((line) => line.includes(` ${alias}`))).toBe(true);
    }),
    { numRuns: 150 },
  );
});

proves("PAGE-3", "of sixty servers in twenty lines the failing ones and the connected ones are shown, the others counted", () => {
  const idle = Array.from({ length: 56 }, (_, n) => serverOf(`idle_${String(n)}`, { kind: "idle" }));
  const facts = {
    ...EMPTY,
    servers: [...idle.slice(0, 30), failed("notes", "call_timeout"), connected("files"), ...idle.slice(30)],
  };
  const text = fitted(facts, 100, 20).join("\n");
  expect(text).toMatch(/✗ notes +failed[^]*→ Start it again: toolpool restart notes/);
  expect(text).toMatch(/● files +connected/);
  const shown = text.match(/○ idle_/g)?.length ?? 0;
  expect(text).toContain(`… and ${String(56 - shown)} more servers (${String(56 - shown)} idle); a taller window shows more`);
  expect(fitted(facts, 100, 200).join("\n")).toContain("socket");
});

proves("PAGE-1", "a file on disk that was not taken is said with its place", () => {
  const stale = { stale: true, errors: [{ pointer: "", line: 3, column: 7, message: "a comma is missing before this" }] };
  const text = pipe({ ...EMPTY, config: { ...EMPTY.config, ...stale } });
  expect(text).toContain("was not taken");
  expect(text).toContain("config.json:3:7: a comma is missing before this");
});
