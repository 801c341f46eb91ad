// What real servers publish goes through admission with a full policy. The measured corpus lies beside the project where it was
// developed; elsewhere the small set of our own in test/fixtures/schemas/ stands in for it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { admit } from "../daemon/admission/admit.ts";
import { exposureName } from "../daemon/admission/names.ts";
import type { Admission } from "../daemon/admission/types.ts";
import { canonicalJson, type ToolPolicy } from "../daemon/contract/index.ts";
import { proves } from "./support/promise.ts";

/** As long as aliases are in practice; a longer one leaves less room for names. */
const ALIAS = "twelve_chars";

interface Listing {
  readonly name: string;
  readonly tools: readonly { readonly name: string; readonly inputSchema?: unknown; readonly outputSchema?: unknown }[];
}

const root = join(import.meta.dirname, "..");
const folder = join(root, "../shared/corpus");
const explained = readFileSync(join(root, "docs/SCHEMAS.md"), "utf8");

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

function corpus(): readonly Listing[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".json") && file !== "index.json");
  return files.map((file) => read(join(folder, file)) as Listing);
}

const ownSet = read(join(import.meta.dirname, "fixtures/schemas/servers.json")) as {
  readonly servers: readonly (Listing & { readonly expect: string })[];
};

/** Every tool reviewed; names that do not fit get a local one, as a user would give. */
function fullPolicy({ tools }: Listing): ReadonlyMap<string, ToolPolicy> {
  const rule = (name: string, index: number): ToolPolicy =>
    exposureName(ALIAS, name).kind === "name" ? { effect: "read" } : { effect: "read", as: `tool_${index}` };
  return new Map(tools.map(({ name }, index) => [name, rule(name, index)]));
}

const admitAll = (server: Listing): Promise<Admission> =>
  admit({ alias: ALIAS, connectionId: `${ALIAS}#1`, published: server.tools, policy: fullPolicy(server) });

proves(
  "ADM-20",
  "at least 97 of 100 real servers are admitted whole, and each of the others is explained",
  async () => {
    const servers = corpus();
    const refused: string[] = [];
    const faults: string[] = [];
    for (const server of servers) {
      const admission = await admitAll(server);
      if (admission.kind === "refused") {
        refused.push(server.name);
        if (!explained.includes(`\`${server.name}\``)) faults.push(`${server.name} is refused and not explained`);
        continue;
      }
      const exposed = new Map(admission.tools.map(({ view }) => [view.source.kind === "mcp" ? view.source.tool : "", view]));
      for (const tool of server.tools) {
        const view = exposed.get(tool.name);
        const unchanged = canonicalJson(view?.inputSchema) === canonicalJson(tool.inputSchema);
        const shown = view?.outputSchema === undefined || canonicalJson(view.outputSchema) === canonicalJson(tool.outputSchema);
        if (!unchanged || !shown) faults.push(`${server.name} ${tool.name} is not shown as published`);
      }
    }
    expect(faults).toEqual([]);
    expect(servers.length - refused.length).toBeGreaterThanOrEqual(servers.length * 0.97);
  },
  120_000,
);

proves("ADM-20", "the styles of the usual generators are admitted; known faults are refused and explained", async () => {
  const verdicts: Record<string, string> = {};
  for (const server of ownSet.servers) {
    const admission = await admitAll(server);
    verdicts[server.name] = admission.kind === "admitted" ? "admitted" : admission.failure.code;
    if (admission.kind === "refused") for (const { message } of admission.refusals) expect(explained).toContain(`\`${message}\``);
  }
  expect(verdicts).toEqual(Object.fromEntries(ownSet.servers.map((server) => [server.name, server.expect])));
});
