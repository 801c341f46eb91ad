// One lane of the soak: it works as an agent does. It takes a snapshot, connects what it lacks, makes some calls tagged with that
// version, and takes the next snapshot. What it does is drawn from its own seeded numbers; what it must find is written down per call.
import type { PoolClient } from "../../client/pool-client.ts";
import { isJsonObject, type Outcome } from "../../daemon/contract/index.ts";

/** What was sent and what came back; compared with the journal and the servers' own records at the end. */
export interface Sent {
  readonly callId: string;
  readonly token: string | undefined;
  /** The call may not have run at the server a second time, nor at all where the outcome says so. */
  readonly outcome: Outcome;
}

export interface LaneOptions {
  readonly client: PoolClient;
  readonly sessionId: string;
  readonly aliases: readonly string[];
  readonly name: string;
  readonly seed: number;
  readonly calls: number;
  readonly onSent: (sent: Sent) => void;
  readonly onFault: (fault: string) => void;
}

const CALLS_PER_SNAPSHOT = 12;

/** mulberry32: small, seeded, good enough to choose. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Plan {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly cancel?: true;
}

/** Of 1,000 calls: 3 deaths, 4 new lists (one of them not admissible every eighth time), 10 cancelled, the rest plain work. */
function plan(next: () => number): Plan {
  const drawn = Math.floor(next() * 1_000);
  if (drawn < 2) return { tool: "read", args: { die: "before" } };
  if (drawn < 3) return { tool: "read", args: { die: "after" } };
  if (drawn < 7) return { tool: "reshape", args: { form: next() < 0.125 ? 3 : Math.floor(next() * 3) } };
  if (drawn < 17) return { tool: "read", args: { delayMs: 2 + Math.floor(next() * 10) }, cancel: true };
  if (drawn < 60) return { tool: "read", args: { delayMs: Math.floor(next() * 4) } };
  return { tool: drawn < 400 ? "write" : "read", args: {} };
}

/** Error codes that a pool whose servers die and change must be expected to give. */
const EXPECTED = new Set(["unknown_tool", "mcp_connection_lost", "connect_failed", "cancelled"]);

export async function runLane(options: LaneOptions): Promise<void> {
  const { client, sessionId, aliases, name, calls, onSent, onFault } = options;
  const next = numbers(options.seed);
  let made = 0;

  const call = async (
    version: number,
    tool: string,
    args: object,
    expected: string | undefined,
    cancel?: true,
  ): Promise<void> => {
    const callId = `${name}-${String(++made)}`;
    const token = expected === undefined ? undefined : callId;
    const argumentsText = JSON.stringify(token === undefined ? args : { ...args, token });
    const answered = client.callTool({ sessionId, version, name: tool, callId, argumentsText });
    if (cancel === true) await client.request("tools.cancel", { sessionId, callId });
    const { outcome } = await answered;
    onSent({ callId, token, outcome });
    if (outcome.status === "error") {
      if (!EXPECTED.has(outcome.error.code)) onFault(`${callId} (${tool}) came to ${JSON.stringify(outcome)}`);
    } else if (expected !== undefined && "content" in outcome) {
      const [block] = outcome.content;
      const text = isJsonObject(block) ? block.text : undefined;
      if (text !== `${expected} ${callId}`) onFault(`${callId} was answered ${JSON.stringify(outcome)}`);
    }
  };

  while (made < calls) {
    const snapshot = await client.request("registry.snapshot", { sessionId });
    if (!("tools" in snapshot)) throw new TypeError("a snapshot without ifDigest has tools");
    const { version, tools } = snapshot;
    const offered = aliases.filter((alias) => tools.some((tool) => tool.source.kind === "mcp" && tool.source.alias === alias));
    for (const alias of aliases.filter((one) => !offered.includes(one))) await call(version, "connect_mcp", { alias }, undefined);
    if (offered.length === 0) continue;
    if (next() < 0.01) await call(version, "disconnect_mcp", { alias: offered[0] }, undefined);
    for (let i = 0; i < CALLS_PER_SNAPSHOT && made < calls; i++) {
      const alias = offered[Math.floor(next() * offered.length)] ?? "";
      const { tool, args, cancel } = plan(next);
      await call(version, `mcp__${alias}__${tool}`, args, alias, cancel);
    }
  }
}
