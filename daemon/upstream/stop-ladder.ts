// How a process group is brought to its end: politely first, a rung at a time, at once when it hurries, and never believed before
// it is verified. The next step is decided by a pure function; climbing takes the body as an argument.

export type Rung = "stdin" | "interrupt" | "terminate" | "kill";

const RUNGS: readonly Rung[] = ["stdin", "interrupt", "terminate", "kill"];

export interface LadderFacts {
  /** The rung stood on; undefined on the ground. */
  readonly rung: Rung | undefined;
  /** Since that rung was reached (ms). */
  readonly sinceMs: number;
  readonly graceMs: number;
  /** The whole group is verified gone. */
  readonly gone: boolean;
  /** The leader has exited: what is left does not read our pipe, and a background job of a shell ignores SIGINT. */
  readonly leaderGone: boolean;
  /** Nobody waits for manners any more. */
  readonly hurry: boolean;
}

export type LadderStep =
  | { readonly kind: "done" }
  | { readonly kind: "climb"; readonly rung: Rung }
  /** Look again at the latest after this time. */
  | { readonly kind: "wait"; readonly ms: number };

/** SIGKILL is repeated: a process may join the group while it is being killed. Shorter than this makes no sense (ms). */
const KILL_AGAIN_MS = 100;

export function nextStep(facts: LadderFacts): LadderStep {
  const { rung, sinceMs, graceMs, gone, leaderGone, hurry } = facts;
  if (gone) return { kind: "done" };
  if (hurry && rung !== "kill") return { kind: "climb", rung: "kill" };
  const least = leaderGone ? "terminate" : "stdin";
  if (rung === undefined) return { kind: "climb", rung: least };
  if (rung === "kill") {
    const left = Math.max(graceMs, KILL_AGAIN_MS) - sinceMs;
    return left <= 0 ? { kind: "climb", rung } : { kind: "wait", ms: left };
  }
  const next = RUNGS[Math.max(RUNGS.indexOf(rung) + 1, RUNGS.indexOf(least))] ?? "kill";
  // The leader left on this rung, but not all of its group: they get the next one at once only when it was skipped for the leader.
  if (leaderGone && RUNGS.indexOf(rung) < RUNGS.indexOf(least)) return { kind: "climb", rung: next };
  const left = graceMs - sinceMs;
  return left <= 0 ? { kind: "climb", rung: next } : { kind: "wait", ms: left };
}

/** What stands on the ladder. */
export interface LadderBody {
  act(rung: Rung): void;
  /** Verified: no process of the group is left. */
  isGone(): Promise<boolean>;
  leaderGone(): boolean;
  hurry(): boolean;
  /** Resolves after `ms`, or earlier when the leader exits or the hurry begins. */
  pause(ms: number): Promise<void>;
}

/** Between two looks at a group whose leader has exited (ms): they begin close together. */
const LOOKS_MS = [2, 5, 10, 20, 50];

/** Resolves when the group is verified gone. It does not resolve before, however long that takes. */
export async function climb(body: LadderBody, graceMs: number, now: () => number = () => performance.now()): Promise<void> {
  let rung: Rung | undefined;
  let since = now();
  let looks = 0;
  for (;;) {
    const leaderGone = body.leaderGone();
    // While the leader lives there is nothing to verify.
    const gone = leaderGone && (await body.isGone());
    const step = nextStep({ rung, sinceMs: now() - since, graceMs, gone, leaderGone, hurry: body.hurry() });
    switch (step.kind) {
      case "done":
        return;
      case "climb":
        rung = step.rung;
        since = now();
        looks = 0;
        body.act(step.rung);
        break;
      case "wait":
        await body.pause(leaderGone ? Math.min(step.ms, LOOKS_MS[Math.min(looks++, LOOKS_MS.length - 1)] ?? 50) : step.ms);
    }
  }
}
