import type { Run } from "../commands/surroundings.ts";
import type { HostServer } from "./facts.ts";
export async function readHosts(_run: Run): Promise<readonly HostServer[]> {
  return Promise.resolve([]);
}
