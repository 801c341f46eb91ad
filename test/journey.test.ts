// `npm run journey` for the three real servers that are here anyway, by the same driver: it must not rot between two runs of the
// whole. The change that is met is one of ours, as there is one release only.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { SERVERS, type JourneyServer } from "./journey/catalog.ts";
import { journey } from "./journey/journey.ts";
import { Place } from "./journey/place.ts";
import { reportText, withOutput } from "./journey/report.ts";
import { proves } from "./support/promise.ts";

const ROOT = join(import.meta.dirname, "..");
const CHANGES: Readonly<Record<string, string>> = { everything: "get-sum", filesystem: "write_file", memory: "read_graph" };

const place = new Place();
afterAll(() => place.remove());

const servers = SERVERS.filter(({ alias }) => Object.hasOwn(CHANGES, alias)).map(({ earlier: _, ...server }): JourneyServer => ({
  ...server,
  changes: CHANGES[server.alias] ?? "",
}));

proves(
  "JRN-1",
  "three of them, from three hosts' files, each refused for one longer description",
  async () => {
    const report = await journey({
      place,
      servers,
      folderOf: () => ROOT,
      policyOf: ({ alias }) => join(ROOT, "test/journey/policies", `${alias}.json`),
      say: () => undefined,
    });
    expect(report.problems).toEqual([]);
    expect(report.trips.map(({ server, exposed }) => [server.alias, exposed])).toEqual([
      ["everything", 9],
      ["memory", 7],
      ["filesystem", 13],
    ]);
    for (const { server, seen, drift = [], again } of report.trips) {
      expect(drift.slice(1, -1)).toEqual([`  ${server.changes ?? ""}  /description  differs from what was reviewed`]);
      expect(again?.changed).toBe(1);
      // What it asks of the model is shown to the person.
      expect(again?.flags.length).toBeGreaterThan(seen.flags.length);
    }
    // The page that is kept has a place for it, and says where nobody's paths are.
    const page = withOutput(readFileSync(join(ROOT, "docs/journey.md"), "utf8"), reportText(report, place));
    expect(page).toContain("| everything | Claude Code (user) | 9 of 13 |");
    expect(page).not.toContain(place.home);
  },
  240_000,
);
