// Pools for the page: generated ones, with everything that others may write into them, and single parts for what is to be shown.
import fc from "fast-check";
import type { PoolFacts } from "../../client/status/facts.ts";
import {
  CONNECT_FAILURE_MESSAGES,
  type ConnectFailure,
  type ConnectFailureCode,
  type ServerState,
  type ServerStatus,
  type SessionInfo,
  type VersionRow,
} from "../../daemon/contract/index.ts";

export const NOW = Date.parse("2026-12-01T12:00:00.000Z");
const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1_000).toISOString();

/** Wide, joined, coloured, endless: what labels, paths and servers may hold. */
export const foreignText = fc.oneof(
  fc.constantFrom(
    "日本語のラベル",
    "👩‍💻 agent",
    "🫠🏽",
    "e\u0301e\u0301",
    "\u001b[31mred\u001b[0m\u202e",
    "two\nlines",
    "x".repeat(1_000),
    "",
  ),
  fc.string({ unit: "grapheme", maxLength: 80 }),
);

const alias = fc
  .tuple(fc.constantFrom("a", "demo", "files", "x".repeat(28)), fc.nat(999))
  .map(([name, number]) => `${name}_${String(number)}`);

const codes = Object.keys(CONNECT_FAILURE_MESSAGES) as ConnectFailureCode[];
const failure: fc.Arbitrary<ConnectFailure> = fc
  .record({
    code: fc.constantFrom(...codes),
    details: fc.option(
      fc.oneof(
        fc.record({ why: foreignText, searched: fc.array(foreignText, { maxLength: 3 }) }),
        fc.array(fc.record({ tool: foreignText, pointer: foreignText, message: foreignText }), { maxLength: 5 }),
        fc.record({ exitCode: fc.nat(255), signal: fc.constant(null) }),
      ),
    ),
  })
  .map(({ code, details }) => ({ code, message: CONNECT_FAILURE_MESSAGES[code], ...(details === null ? {} : { details }) }));

const seconds = fc.nat(1_000_000);
const state: fc.Arbitrary<ServerState> = fc.oneof(
  fc.constantFrom<ServerState>({ kind: "idle" }, { kind: "disabled" }, { kind: "closing", connectionId: "a#1" }),
  seconds.map((ago): ServerState => ({ kind: "connected", connectionId: "a#1", since: at(ago) })),
  seconds.map((ago): ServerState => ({ kind: "connecting", connectionId: "a#1", since: at(ago) })),
  failure.map((why): ServerState => ({ kind: "failed", failure: why })),
  failure.map((why): ServerState => ({ kind: "pending", attempt: 2, nextAt: at(-3), failure: why })),
  foreignText.map((url): ServerState => ({ kind: "needs_auth", url })),
);

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const server: fc.Arbitrary<ServerStatus> = fc
  .record({
    alias,
    state,
    pid: maybe(fc.integer({ min: 2, max: 4_194_304 })),
    memoryBytes: maybe(fc.nat(2 ** 31)),
    failed: maybe(failure),
    calls: fc.nat(10_000_000),
    ms: fc.option(fc.nat(600_000)),
    sessions: fc.nat(30),
    pool: fc.boolean(),
    running: fc.nat(100),
  })
  .map(({ failed, calls, ms, pid, memoryBytes, sessions, pool, running, ...one }) => ({
    ...one,
    type: "stdio",
    ...(pid === undefined ? {} : { pid, connectionId: "a#1" }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    toolCount: calls % 200,
    attachedSessions: Array.from({ length: sessions }, (_, n) => `s_${String(n)}`),
    heldByPool: pool,
    queue: { running, waiting: 0 },
    stats: { connects: 1, failures: 0, calls, callsPerMinute: calls % 1_000, p50Ms: ms, p95Ms: ms },
    stdoutNoise: 0,
    ...(failed === undefined ? {} : { lastFailure: { ...failed, at: at(90) } }),
  }));

const session: fc.Arbitrary<SessionInfo> = fc
  .record({ label: fc.option(foreignText), attached: fc.array(alias, { maxLength: 40 }), callsInFlight: fc.nat(3), ago: seconds })
  .map(({ ago, ...one }) => ({
    ...one,
    sessionId: "s_V7FruaxIjC4PzejgZeJWpg",
    role: "lead",
    cwd: null,
    parent: null,
    openedAt: at(ago),
    lastSeenAt: at(ago),
    idleMs: 600_000,
    version: 1,
  }));

const version: fc.Arbitrary<VersionRow> = fc
  .record({
    version: fc.nat(1_000_000),
    cause: alias.map((name) => `connect ${name}#7`),
    added: fc.array(alias, { maxLength: 30 }),
  })
  .map((row) => ({ ...row, at: at(5), removed: [], changed: [], digest: "d" }));

export const EMPTY: PoolFacts = {
  daemon: {
    pid: 4_242,
    startedAt: at(3_700),
    poolId: "p",
    version: "0.1.0",
    contractVersion: 1,
    socketPath: "/run/somebody/with/a/long/path/to/the/state/of/the/pool/toolpool.sock",
    url: "http://127.0.0.1:7420",
    configFile: "/home/somebody/設定/toolpool/config.json",
    program: { name: "toolpool", version: "0.1.0" },
    stateFolder: "/home/somebody/.local/state/toolpool",
  },
  config: {
    file: "/home/me/.config/toolpool/config.json",
    watched: true,
    loadedAt: "2026-01-01T00:00:00.000Z",
    digest: "0",
    servers: 0,
    errors: [],
    stale: false,
    checks: 1,
    loads: 1,
  },
  registry: { poolId: "p", version: 17, floor: 1, digest: "d", toolCount: 42, servers: [] },
  servers: [],
  sessions: [],
  versions: [],
};

export const pool: fc.Arbitrary<PoolFacts> = fc
  .record({
    servers: fc.uniqueArray(server, { maxLength: 60, selector: (one) => one.alias }),
    sessions: fc.array(session, { maxLength: 30 }),
    versions: fc.array(version, { maxLength: 5 }),
  })
  .map((parts) => ({ ...EMPTY, ...parts }));

export const serverOf = (name: string, kind: ServerState, more: Partial<ServerStatus> = {}): ServerStatus => ({
  alias: name,
  type: "stdio",
  state: kind,
  toolCount: 0,
  attachedSessions: [],
  heldByPool: false,
  queue: { running: 0, waiting: 0 },
  stats: { connects: 0, failures: 0, calls: 0, callsPerMinute: 0, p50Ms: null, p95Ms: null },
  stdoutNoise: 0,
  ...more,
});

export const connected = (name: string, more: Partial<ServerStatus> = {}): ServerStatus =>
  serverOf(name, { kind: "connected", connectionId: `${name}#1`, since: at(200) }, { connectionId: `${name}#1`, ...more });

export const failed = (name: string, code: ConnectFailureCode, details?: unknown): ServerStatus => {
  const why = { code, message: CONNECT_FAILURE_MESSAGES[code], ...(details === undefined ? {} : { details }) };
  return serverOf(name, { kind: "failed", failure: why }, { lastFailure: { ...why, at: at(185) } });
};
