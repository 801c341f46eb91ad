// How a failure is told: a sentence, what was found, what to do next; for programs one JSON line on stderr. No stack trace without
// TOOLPOOL_DEBUG=1.
import type { Screen } from "../output/screen.ts";
import { visible } from "../output/visible.ts";
import type { Failure } from "./failure.ts";

export function tell(screen: Screen, failure: Failure, debug: boolean): void {
  const { reason, message, next, lines, exitCode } = failure;
  if (screen.json) {
    screen.note(
      JSON.stringify({ error: { exitCode, reason, message, ...(next === undefined ? {} : { next }), details: lines } }),
    );
  } else {
    screen.note(screen.noteColours.red(`toolpool: ${visible(message)}`));
    for (const line of lines) screen.note(`  ${visible(line)}`);
    if (next !== undefined) screen.note(next);
  }
  if (debug) screen.note(String(failure.stack) + causes(failure));
}

function causes(error: Error): string {
  let told = "";
  for (let at = error.cause, hops = 0; at instanceof Error && hops < 8; at = at.cause, hops++)
    told += `\n[cause] ${String(at.stack)}`;
  return told;
}
