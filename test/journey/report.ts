// The journey as a page for people: what is kept in docs/journey.md between its two marks.
import type { Trip } from "./trip.ts";
import { HOST_FILES } from "./hosts.ts";
import type { JourneyReport } from "./journey.ts";
import type { Reviewed } from "./review-step.ts";
import type { Place } from "./place.ts";

const BEGIN = "<!-- kept output: begin -->";
const END = "<!-- kept output: end -->";
/** Lines of a refusal that are shown; it names every place. */
const SHOWN = 6;

/** `page` with the new output between its marks. */
export function withOutput(page: string, output: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error("the page has no place for the output");
  return `${page.slice(0, begin + BEGIN.length)}\n\n${output}\n${page.slice(end)}`;
}

export function reportText({ imported, trips, pool, down, problems }: JourneyReport, place: Place): string {
  const good = trips.filter((trip) => trip.problems.length === 0);
  const whole = good.filter(({ drift }) => drift !== undefined);
  const awkward = whole.filter(({ server }) => server.awkward !== undefined);
  const refused = good.filter(({ drift }) => drift === undefined).map(({ server }) => server.alias);
  const date = new Date().toISOString().slice(0, 10);
  return [
    `${date}, Node.js ${process.version}, ${process.platform}: of ${String(trips.length)} servers ${String(whole.length)} went the whole way, ${String(awkward.length)} of them awkward.`,
    ...(refused.length === 0 ? [] : [`None of the tools of ${refused.join(", ")} can be exposed, as expected.`]),
    `At the end the pool held ${String(pool.servers)} servers with ${String(pool.tools)} tools at version ${String(pool.version)}; \`down\` took ${seconds(down.ms)} and left no process.`,
    ...problems.map((problem) => `- **not as expected:** ${problem}`),
    "",
    ...table(trips),
    "",
    "### Import",
    "",
    ...block("toolpool import --all", place.told(`${imported.stdout}${imported.stderr}`)),
    "",
    ...trips.flatMap((trip) => section(trip)),
    "### Down",
    "",
    ...block("toolpool down", place.told(`${down.stdout}${down.stderr}`).replace(/pid \d+/, "pid …")),
  ].join("\n");
}

function table(trips: readonly Trip[]): readonly string[] {
  const rows = trips.map(({ server, seen, first, again, exposed, connectMs, call, drift, noise }) => [
    server.alias,
    HOST_FILES[server.host].says,
    `${String(exposed)} of ${String((again ?? seen).tools)}`,
    (again ?? seen).tokens.toLocaleString("en"),
    seconds(first.ms),
    seconds(connectMs),
    call === undefined ? "–" : call.code,
    drift === undefined ? "–" : server.earlier === undefined ? "one description" : "a release",
    drift === undefined ? "–" : reasonOf(drift),
    noise === 0 ? "" : String(noise),
  ]);
  const heads = ["Server", "Imported from", "Tools", "Tokens", "Review", "Connect", "Call", "Change", "Refused as", "Noise"];
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

function section({ server, seen, undecided, first, again, call, drift, problems }: Trip): readonly string[] {
  const releases = server.earlier === undefined ? server.release : `${server.earlier} → ${server.release}`;
  return [
    `### ${server.alias}`,
    "",
    `\`${server.package}\` ${releases}${server.awkward === undefined ? "" : `; ${server.awkward}`}.`,
    ...(first.by === "person" ? ["Reviewed at a terminal, key by key."] : []),
    ...(call === undefined || server.call === undefined
      ? []
      : [`Called \`mcp__${server.alias}__${server.call.tool}\`: ${call.code} in ${seconds(call.ms)}.`]),
    ...(again === undefined ? [] : [secondLook(seen, again)]),
    ...problems.map((problem) => `**Not as expected:** ${problem}.`),
    ...(seen.flags.length === 0 ? [] : ["", ...seen.flags.slice(0, SHOWN).map((flag) => `- flagged: ${flag}`)]),
    ...(seen.flags.length <= SHOWN ? [] : [`- and ${String(seen.flags.length - SHOWN)} more`]),
    "",
    ...(undecided === undefined
      ? []
      : [...block(`toolpool review ${server.alias} --yes --policy everything-reads.json`, shortened(undecided)), ""]),
    ...(drift === undefined ? [] : [...block(`toolpool restart ${server.alias}`, shortened(drift)), ""]),
  ];
}

function secondLook(seen: Reviewed, again: Reviewed): string {
  const more = again.flags.filter((flag) => !seen.flags.includes(flag));
  const flagged = more.length === 0 ? "" : ` Flagged now: ${more.slice(0, SHOWN).join("; ")}${more.length > SHOWN ? "; …" : ""}.`;
  return `Reviewed again: ${String(again.changed)} of ${String(again.tools)} tools were new or changed.${flagged}`;
}

const block = (command: string, said: string): readonly string[] => ["```console", `$ ${command}`, said.trimEnd(), "```"];

/** The last line of a refusal says what to do. */
function shortened(lines: readonly string[]): string {
  if (lines.length <= SHOWN) return lines.join("\n");
  return [...lines.slice(0, SHOWN - 2), `  … ${String(lines.length - SHOWN + 1)} more`, lines.at(-1)].join("\n");
}

const reasonOf = (drift: readonly string[]): string => /\((\w+)\)/.exec(drift[0] ?? "")?.[1] ?? "?";

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
