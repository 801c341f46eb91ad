// `npm run journey [-- alias …] [--write]`: real servers from npm make the way of a newcomer's. Needs the registry the first time;
// what runs afterwards needs no network. The page goes to stdout, with --write into docs/journey.md. Exit code 1 when anything
// was not as expected.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SERVERS, type JourneyServer } from "./catalog.ts";
import { journey } from "./journey.ts";
import { Place } from "./place.ts";
import { installReleases, releaseFolder } from "./releases.ts";
import { reportText, withOutput } from "./report.ts";
import { reviewAtTerminal } from "./terminal-review.ts";

const ROOT = join(import.meta.dirname, "../..");
const RELEASES = join(ROOT, ".cache/journey-servers");
const PAGE = join(ROOT, "docs/journey.md");

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: "boolean", default: false } } });
const servers = SERVERS.filter(({ alias }) => positionals.length === 0 || positionals.includes(alias));

/** An earlier release that publishes other tools has a policy of its own. */
function policyOf({ alias }: JourneyServer, release: string): string {
  const policies = join(ROOT, "test/journey/policies");
  const own = join(policies, `${alias}-${release}.json`);
  return existsSync(own) ? own : join(policies, `${alias}.json`);
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);
await installReleases(RELEASES, servers, say);
const place = new Place();
try {
  const report = await journey({
    place,
    servers,
    folderOf: (server, release) => releaseFolder(RELEASES, server, release),
    policyOf,
    firstReviews: { sequential_thinking: reviewAtTerminal },
    say,
  });
  const text = reportText(report, place);
  if (values.write) writeFileSync(PAGE, withOutput(readFileSync(PAGE, "utf8"), text));
  else process.stdout.write(`${text}\n`);
  for (const problem of report.problems) say(`NOT AS EXPECTED  ${problem}`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
} finally {
  place.remove();
}
