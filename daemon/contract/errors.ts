// The one table of errors that a program must handle (CONTRACT section 2). Match on `reason`, never on the message.

interface ErrorRow {
  /** JSON-RPC error code. */
  readonly code: number;
  /** HTTP status on REST routes. */
  readonly http: number;
  readonly retryable: boolean;
}

const row = (code: number, http: number, retryable = false): ErrorRow => Object.freeze({ code, http, retryable });

export const ERROR_TABLE = Object.freeze({
  parse_error: row(-32700, 400),
  invalid_request: row(-32600, 400),
  method_not_found: row(-32601, 404),
  invalid_params: row(-32602, 400),
  internal_error: row(-32603, 500),
  unauthorized: row(4001, 401),
  forbidden: row(4003, 403),
  unknown_session: row(4004, 404),
  unknown_alias: row(4004, 404),
  unknown_version: row(4004, 404),
  not_found: row(4004, 404),
  contract_mismatch: row(4009, 409),
  conflict: row(4009, 409),
  method_not_allowed: row(-32600, 405),
  payload_too_large: row(-32600, 413),
  unsupported_media_type: row(-32600, 415),
  connect_failed: row(4022, 422),
  too_many_sessions: row(4029, 429, true),
  shutting_down: row(4030, 503, true),
});

export type ErrorReason = keyof typeof ERROR_TABLE;

/** An error of the pool's own surface. `message` is a sentence for a person; `data` is for the program. */
export class PoolError extends Error {
  override readonly name = "PoolError";
  readonly reason: ErrorReason;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(reason: ErrorReason, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.reason = reason;
    this.data = data;
  }

  get code(): number {
    return ERROR_TABLE[this.reason].code;
  }

  get http(): number {
    return ERROR_TABLE[this.reason].http;
  }

  get retryable(): boolean {
    return ERROR_TABLE[this.reason].retryable;
  }

  /** The `error` member of a JSON-RPC response. */
  toRpc(): { code: number; message: string; data: Record<string, unknown> } {
    return { code: this.code, message: this.message, data: { ...this.data, reason: this.reason, retryable: this.retryable } };
  }

  /** The body of a REST error. */
  toRest(): { error: { reason: string; message: string; data?: Readonly<Record<string, unknown>> } } {
    const data = Object.keys(this.data).length === 0 ? {} : { data: this.data };
    return { error: { reason: this.reason, message: this.message, ...data } };
  }
}

export const unknownSession = (sessionId: string): PoolError =>
  new PoolError("unknown_session", `There is no session "${sessionId}": it was closed or has expired; open a new one`, {});
export const unknownAlias = (alias: string): PoolError =>
  new PoolError("unknown_alias", `There is no server "${alias}" in the configuration`, {});
export const unknownVersion = (version: number, latest: number, floor: number): PoolError =>
  new PoolError(
    "unknown_version",
    `Version ${String(version)} is not known: latest is ${String(latest)}, floor is ${String(floor)}`,
    {
      latest,
      floor,
    },
  );
export const shuttingDown = (): PoolError => new PoolError("shutting_down", "The daemon is shutting down", {});
