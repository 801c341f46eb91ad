// One call in the pool that can be cancelled: an abort tells the daemon, which ends the call and answers it; only when that
// answer does not come is the connection given up, which the daemon takes as a cancel too.
import type { ToolReply, ToolRequest } from "../pool-port.ts";
import type { PoolSession } from "./pool-session.ts";

export interface SessionCall extends Omit<ToolRequest, "sessionId"> {
  readonly callId: string;
}

/** How long the daemon may take to answer a cancelled call (ms). */
const CANCEL_GRACE_MS = 2_000;

/** After an abort it rejects with the signal's reason, once the call has come to its end. */
export async function callPool(session: PoolSession, call: SessionCall, signal: AbortSignal): Promise<ToolReply> {
  signal.throwIfAborted();
  const connection = new AbortController();
  let hard: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    hard = setTimeout(() => connection.abort(signal.reason), CANCEL_GRACE_MS);
    const cancel = { sessionId: session.id, callId: call.callId };
    session.pool.request("tools.cancel", cancel, { signal: connection.signal }).catch(() => connection.abort(signal.reason));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const reply = await session.pool.callTool({ ...call, sessionId: session.id }, { signal: connection.signal });
    signal.throwIfAborted();
    return reply;
  } finally {
    clearTimeout(hard);
    signal.removeEventListener("abort", onAbort);
  }
}
