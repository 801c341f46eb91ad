// Why a daemon cannot start: a sentence for a person, and the exit code that goes with it.

export class StartError extends Error {
  override readonly name = "StartError";
  /** 2 = usage or configuration, 1 = everything else. */
  readonly exitCode: 1 | 2;
  /** For a program, e.g. `locked`. */
  readonly code: string;
  constructor(code: string, message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}
