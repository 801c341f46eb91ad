// The one error of the way to the daemon: nothing answered, the line broke, or what answered is no Toolpool. What a daemon
// itself refuses is a PoolError. Whether a broken request was carried out is not known here; nothing is ever sent again.

/** `code` is the system's (`ENOENT`, `ECONNREFUSED`, `ECONNRESET`…), undici's (`UND_ERR_…`), or `not_a_pool`. */
export class PoolUnreachable extends Error {
  override readonly name = "PoolUnreachable";
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

/** A fault of the network layer, in our words. */
export function unreachable(cause: unknown): PoolUnreachable {
  const code = causeCode(cause);
  const text = cause instanceof Error ? cause.message : String(cause);
  return new PoolUnreachable(code, `The daemon could not be reached (${code}): ${text}`, cause);
}

export function notAPool(what: string): PoolUnreachable {
  return new PoolUnreachable("not_a_pool", `What answers there is no Toolpool daemon: ${what}`);
}

function causeCode(cause: unknown): string {
  for (let at: unknown = cause, hops = 0; at instanceof Error && hops < 4; at = at.cause, hops++) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return "unknown";
}
