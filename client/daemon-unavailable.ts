// Why there is no daemon to talk to, each time with what the person can do next. One class, told apart by `code`.

export type UnavailableCode =
  | "not_running"
  | "not_answering"
  | "start_failed"
  | "start_timeout"
  | "contract_mismatch"
  /** The state folder or the socket belongs to another user: whoever listens there could pretend to be the pool. */
  | "foreign_owner";

export class DaemonUnavailable extends Error {
  override readonly name = "DaemonUnavailable";
  readonly code: UnavailableCode;
  /** What to do next, as a sentence. */
  readonly next: string;
  /** Of the program: 2 when the daemon refused its configuration, else 3. */
  readonly exitCode: number;

  /** Further facts, line by line. */
  readonly lines: readonly string[];

  constructor(code: UnavailableCode, message: string, next: string, exitCode = 3, lines: readonly string[] = []) {
    super(message);
    this.lines = lines;
    this.code = code;
    this.next = next;
    this.exitCode = exitCode;
  }
}
