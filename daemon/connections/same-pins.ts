// Whether two sets of pins hold the same tools to the same definitions.
import type { ServerPins } from "../contract/index.ts";

export function samePins(a: ServerPins | undefined, b: ServerPins | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.tools.size === b.tools.size && [...a.tools].every(([name, { digest }]) => b.tools.get(name)?.digest === digest);
}
