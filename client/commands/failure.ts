// What a command that did not succeed tells: one sentence, what to do next, and the exit code (CONTRACT section 6). Every error
// a user can cause becomes one of these; only a fault of ours keeps its stack, and shows it with TOOLPOOL_DEBUG=1.
import { CONNECT_FAILURE_MESSAGES, PoolError, type ConnectFailureCode } from "../../daemon/contract/index.ts";
import { DaemonUnavailable } from "../daemon-unavailable.ts";
import { explainConnectFailure } from "../output/connect-failure.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";

/** 1 the work failed, 2 usage or configuration, 3 no daemon, 130 interrupted. */
export type ExitCode = 1 | 2 | 3 | 130;

export interface FailureParts {
  /** For programs: stable. */
  readonly reason: string;
  readonly next?: string | undefined;
  readonly lines?: readonly string[];
  readonly cause?: unknown;
}

export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: ExitCode;
  readonly reason: string;
  readonly next: string | undefined;
  /** Found facts, below the sentence. */
  readonly lines: readonly string[];

  constructor(exitCode: ExitCode, message: string, { reason, next, lines = [], cause }: FailureParts) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.reason = reason;
    this.next = next;
    this.lines = lines;
  }
}

export const usage = (message: string, next?: string, lines: readonly string[] = []): Failure =>
  new Failure(2, message, { reason: "usage", next, lines });

export const interrupted = (): Failure => new Failure(130, "Interrupted", { reason: "interrupted" });

/** Any error, as the user is to read it. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof DaemonUnavailable) {
    return new Failure(error.exitCode === 2 ? 2 : 3, error.message, {
      reason: error.code,
      next: error.next,
      lines: error.lines,
      cause: error,
    });
  }
  if (error instanceof PoolUnreachable) {
    const next = "Is it still running? toolpool status";
    return new Failure(3, "The connection to the daemon was lost", { reason: "connection_lost", next, lines: [error.message] });
  }
  if (error instanceof PoolError) return new Failure(1, error.message, { reason: error.reason, next: NEXT[error.reason] });
  const message = error instanceof Error ? error.message : String(error);
  const next = "This is a fault of toolpool; TOOLPOOL_DEBUG=1 shows where it comes from.";
  return new Failure(1, `Unexpected: ${message}`, { reason: "fault", next, cause: error });
}

const NEXT: Readonly<Partial<Record<PoolError["reason"], string>>> = {
  unknown_alias: "See the servers of the configuration: toolpool servers",
  unknown_version: "See the versions there are: toolpool versions",
  shutting_down: "Start it again: toolpool up",
  too_many_sessions: "Close sessions that are not needed, or raise limits.sessions in the configuration.",
  internal_error: "See what happened: toolpool logs",
};

const isFailureCode = (code: string): code is ConnectFailureCode => Object.hasOwn(CONNECT_FAILURE_MESSAGES, code);

/** A `connect_failed` of the daemon, with what was found. Other errors pass as they are. */
export function connectFailed(alias: string, error: unknown): unknown {
  if (!(error instanceof PoolError) || error.reason !== "connect_failed") return error;
  const code = typeof error.data.failure === "string" ? error.data.failure : "unknown";
  const { lines, next } = explainConnectFailure(alias, code, error.data.details);
  const what = isFailureCode(code) ? CONNECT_FAILURE_MESSAGES[code] : error.message;
  return new Failure(1, `${alias} could not be connected (${code}): ${what}`, { reason: code, next, lines });
}
