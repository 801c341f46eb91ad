// Binds a test to a promise of the product: `proves("REG-1", "what exactly is shown", async () => …)`. An unknown id does not
// compile and does not run; a promise that no test names fails test/requirements.test.ts.
import { test } from "vitest";
import { requirements, type RequirementId } from "../requirements.ts";

const known = new Set<string>(requirements.map((requirement) => requirement.id));

export function proves(id: RequirementId, shown: string, body: () => void | Promise<void>, timeoutMs?: number): void {
  if (!known.has(id)) throw new Error(`no promise ${id} in test/requirements.ts`);
  test(`${id} · ${shown}`, timeoutMs === undefined ? {} : { timeout: timeoutMs }, body);
}
