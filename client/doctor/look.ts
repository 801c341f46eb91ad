// One look at a part of the workstation: bounded in time, and never the end of all others. What could not be seen is said with a
// reason that holds no content of any file.
import { withDeadline } from "../deadline.ts";

export type Look<T> = { readonly kind: "seen"; readonly value: T } | { readonly kind: "unseen"; readonly why: string };

/** Aborts reject; everything else is an answer. The work is left alone when it does not end in time: it only reads. */
export async function look<T>(ms: number, caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<Look<T>> {
  caller.throwIfAborted();
  return withDeadline(ms, caller, async ({ signal, expired }) => {
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    });
    try {
      return { kind: "seen", value: await Promise.race([work(signal), over]) };
    } catch (error) {
      if (caller.aborted) throw error;
      if (expired()) return { kind: "unseen", why: `no answer within ${String(ms / 1_000)} s` };
      return { kind: "unseen", why: reasonOf(error) };
    }
  });
}

export function seen<T>(one: Look<T>): T | undefined {
  return one.kind === "seen" ? one.value : undefined;
}

/** The system's code, or our own sentence; a foreign message could quote what it was reading. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "unknown";
}
