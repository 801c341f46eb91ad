// Closes what a program owns, one after the other. A step that fails or takes too long never keeps the next from its turn: what
// is at stake later (the journal's last rows, the lock) matters more than an orderly end of what came before.

export interface CloseStep {
  readonly name: string;
  /** Longest time before the next step begins all the same (ms). */
  readonly deadlineMs: number;
  /** May answer with a promise. */
  readonly close: () => unknown;
}

export interface CloseFault {
  readonly step: string;
  /** What it threw, or a CloseLate. */
  readonly error: unknown;
}

export class CloseLate extends Error {
  override readonly name = "CloseLate";
  readonly code = "close_late";
  constructor(step: string, deadlineMs: number) {
    super(`${step} was not closed within ${deadlineMs} ms`);
  }
}

/** Never rejects; resolves with what went wrong, when the last step has ended or is late. */
export async function closeInOrder(steps: readonly CloseStep[]): Promise<readonly CloseFault[]> {
  const faults: CloseFault[] = [];
  for (const step of steps) {
    try {
      await bounded(step);
    } catch (error) {
      faults.push({ step: step.name, error });
    }
  }
  return faults;
}

async function bounded({ name, deadlineMs, close }: CloseStep): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CloseLate(name, deadlineMs)), deadlineMs);
  });
  try {
    const closed = Promise.resolve(close());
    // If it fails after it was late, that is not told twice and is no unhandled rejection.
    closed.catch(() => undefined);
    await Promise.race([closed, late]);
  } finally {
    clearTimeout(timer);
  }
}
