// The whole journey, on one person's machine: the hosts' files are imported, the daemon is started, each server makes its trip, and
// at the end one `down` must leave nothing.
import { readFileSync } from "node:fs";
import { entriesIn, objectIn, objectOf } from "./answers.ts";
import type { JourneyServer } from "./catalog.ts";
import { writeHostFiles } from "./hosts.ts";
import type { Place, Said } from "./place.ts";
import { travel, type Trip, type TripPlan } from "./trip.ts";
import { install } from "./update.ts";

export interface JourneyPlan extends Pick<TripPlan, "folderOf" | "policyOf"> {
  readonly place: Place;
  readonly servers: readonly JourneyServer[];
  /** Who is reviewed in another way at first. */
  readonly firstReviews?: Readonly<Record<string, TripPlan["firstReview"]>>;
  readonly say: (line: string) => void;
}

export interface JourneyReport {
  readonly imported: Said;
  readonly trips: readonly Trip[];
  /** All at once, at the end. */
  readonly pool: { readonly servers: number; readonly tools: number; readonly version: number };
  readonly down: Said;
  /** Everything that was not as expected. */
  readonly problems: readonly string[];
}

export async function journey({
  place,
  servers,
  folderOf,
  policyOf,
  firstReviews = {},
  say,
}: JourneyPlan): Promise<JourneyReport> {
  for (const server of servers) install(server, folderOf(server, server.earlier ?? server.release), place);
  const problems: string[] = [];
  const imported = await importAll(place, servers, problems);
  const up = await place.toolpool("up", "--port", "0", "--json");
  const { pid } = objectIn(up.stdout);
  if (typeof pid !== "number") throw new Error(`the daemon did not start: ${up.stdout}${up.stderr}`);
  const trips: Trip[] = [];
  try {
    for (const server of servers) {
      const firstReview = firstReviews[server.alias];
      const plan = { place, daemonPid: pid, folderOf, policyOf, ...(firstReview === undefined ? {} : { firstReview }) };
      const trip = await travel(server, plan);
      say(`${server.alias}: ${trip.problems.length === 0 ? "as expected" : trip.problems.join("; ")}`);
      trips.push(trip);
      problems.push(...trip.problems.map((problem) => `${server.alias}: ${problem}`));
    }
    const pool = poolOf(await place.toolpool("status", "--json"));
    return { imported, trips, pool, down: await endAll(place, problems), problems };
  } finally {
    // After a fault of the journey's own; otherwise it is down already.
    await place.toolpool("down");
  }
}

async function importAll(place: Place, servers: readonly JourneyServer[], problems: string[]): Promise<Said> {
  const files = writeHostFiles(servers, place);
  const imported = await place.toolpool("import", "--all");
  const expect = (holds: boolean, otherwise: string): void => {
    if (!holds) problems.push(`import: ${otherwise}`);
  };
  expect(imported.code === 0, `exit ${String(imported.code)}: ${place.told(imported.stderr)}`);
  const entries = entriesIn(place.config);
  for (const { alias, name, env = {} } of servers) {
    const entry = objectOf(entries[alias]);
    expect(typeof entry.command === "string", `"${name}" is not there as ${alias}`);
    expect(entry.tools === undefined, `${alias} came with a policy`);
    // What the host kept in its file is the daemon's environment from here on.
    for (const [, variable = ""] of JSON.stringify(entry).matchAll(/\$\{(\w+)\}/g)) {
      place.env[variable] ??= env[variable]?.startsWith("{") === false ? env[variable] : `made-up-${variable}`;
    }
  }
  const told = `${imported.stdout}${imported.stderr}${place.config}`;
  for (const secret of servers.flatMap(secretsOf)) expect(!told.includes(secret), `a secret was written or shown: ${secret}`);
  for (const [file, text] of files) expect(readFileSync(file, "utf8") === text, `${place.told(file)} was changed`);
  for (const comment of place.lostComments()) expect(false, `the comment "${comment}" is lost`);
  return imported;
}

const secretsOf = ({ env = {}, args = [] }: JourneyServer): readonly string[] =>
  [...Object.values(env), ...args].flatMap((text) => /[\w-]*a1B2c3D4e5F6[\w-]*$/.exec(text)?.[0] ?? []);

function poolOf({ stdout }: Said): JourneyReport["pool"] {
  const { registry } = objectIn(stdout);
  const { version, toolCount, servers } = objectOf(registry);
  const number = (value: unknown): number => (typeof value === "number" ? value : -1);
  return { servers: Array.isArray(servers) ? servers.length : -1, tools: number(toolCount), version: number(version) };
}

async function endAll(place: Place, problems: string[]): Promise<Said> {
  const down = await place.toolpool("down");
  if (down.code !== 0) problems.push(`down: exit ${String(down.code)}, ${place.told(down.stderr)}`);
  const left = place.processes();
  if (left.size > 0) problems.push(`down: ${String(left.size)} processes are left`);
  return down;
}
