// The journey of one server: refused unreviewed, reviewed, connected, called, restarted, refused when it has changed, reviewed
// again, connected again. At each step the whole is looked at: versions, processes, the other entries, the person's comments.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { entriesWithout, listOf, objectIn, objectOf } from "./answers.ts";
import type { JourneyServer } from "./catalog.ts";
import { filled } from "./hosts.ts";
import type { Place, Said } from "./place.ts";
import { look, reviewAsScript, type Reviewed, type ReviewStep } from "./review-step.ts";
import { install, installChanged } from "./update.ts";

export interface TripPlan {
  readonly place: Place;
  readonly daemonPid: number;
  /** Where a release's node_modules are. */
  readonly folderOf: (server: JourneyServer, release: string) => string;
  /** The effects of all its tools. */
  readonly policyOf: (server: JourneyServer, release: string) => string;
  /** Another way to do the first review. */
  readonly firstReview?: ReviewStep;
}

export interface Trip {
  readonly server: JourneyServer;
  /** Looked at, nothing decided. */
  readonly seen: Reviewed;
  /** What was said to a policy that exposes what cannot be exposed. */
  readonly undecided?: readonly string[];
  readonly first: Reviewed;
  readonly again?: Reviewed;
  readonly exposed: number;
  readonly connectMs: number;
  readonly call?: { readonly code: string; readonly ms: number };
  /** What the refusal said, line by line. */
  readonly drift?: readonly string[];
  readonly noise: number;
  /** What was not as expected. */
  readonly problems: readonly string[];
}

export async function travel(server: JourneyServer, plan: TripPlan): Promise<Trip> {
  const steps = new Steps(server, plan);
  const started = server.earlier ?? server.release;
  await steps.refusedUnreviewed();
  const seen = await steps.look();
  const undecided = seen.refusals.length === 0 ? undefined : await steps.refusedPolicy(started);
  const first = await steps.review(started, plan.firstReview);
  const connected = await steps.connect("connect");
  const call = server.call === undefined ? undefined : await steps.call(server.call);
  await steps.connect("restart");
  const trip = {
    ...{ server, seen, first, connectMs: connected.ms },
    ...(undecided === undefined ? {} : { undecided }),
    ...(call === undefined ? {} : { call }),
  };
  if (server.earlier === undefined && server.changes === undefined) {
    return { ...trip, exposed: connected.tools, noise: await steps.noise(), problems: steps.problems };
  }
  const drift = await steps.refusedChanged();
  const again = await steps.review(server.release);
  const { tools } = await steps.connect("connect");
  return { ...trip, again, exposed: tools, drift, noise: await steps.noise(), problems: steps.problems };
}

class Steps {
  readonly #server: JourneyServer;
  readonly #plan: TripPlan;
  readonly problems: string[] = [];

  constructor(server: JourneyServer, plan: TripPlan) {
    this.#server = server;
    this.#plan = plan;
  }

  async refusedUnreviewed(): Promise<void> {
    const { alias } = this.#server;
    const before = await this.#whole();
    const { code, stderr } = await this.#plan.place.toolpool("connect", alias);
    this.#expect(code === 1 && stderr.includes("review"), `unreviewed, it was not refused: exit ${String(code)}, ${stderr}`);
    await this.#untouched(before, "a refused connect");
  }

  /** By looking no version is made, nothing is written and no process is left. */
  async look(): Promise<Reviewed> {
    const { place } = this.#plan;
    const before = await this.#whole();
    const files = place.config + place.lock;
    const seen = await look(place, this.#server.alias);
    this.#expect(!seen.saved && seen.tools > 0, `looking at it came to ${seen.said}`);
    this.#expect(place.config + place.lock === files, "looking wrote a file");
    await this.#untouched(before, "looking");
    return seen;
  }

  /** Everything is to be `read`, also what was refused: nothing is saved, and the way out is named. */
  async refusedPolicy(release: string): Promise<readonly string[]> {
    const { place, policyOf } = this.#plan;
    const before = await this.#whole();
    const policy = objectIn(readFileSync(policyOf(this.#server, release), "utf8"));
    const file = join(place.home, "everything-reads.json");
    writeFileSync(file, JSON.stringify(Object.fromEntries(Object.keys(policy).map((tool) => [tool, "read"]))));
    const said = await place.toolpool("review", this.#server.alias, "--yes", "--policy", file);
    this.#expect(said.code !== 0, "a policy that exposes what cannot be exposed was taken");
    this.#expect(/\bhidden\b|"as"/.test(said.stderr), `it was not said how to go on: ${said.stderr}`);
    await this.#untouched(before, "a refused policy");
    return place.told(said.stderr).trim().split("\n");
  }

  /**
   * Nothing is published by it and no process is left; of the configuration only this entry changes. There is one version at most:
   * a server that may be connected from now on is offered to the agents. (One that the pool holds is started again instead.)
   */
  async review(release: string, how: ReviewStep = reviewAsScript): Promise<Reviewed> {
    const { place, daemonPid } = this.#plan;
    const before = await this.#whole();
    const others = entriesWithout(place.config, this.#server.alias);
    const reviewed = await how(place, this.#server.alias, this.#plan.policyOf(this.#server, release));
    this.#expect(reviewed.saved, `the review was not saved: ${reviewed.said}`);
    this.#expect(entriesWithout(place.config, this.#server.alias) === others, "the review changed another server's entry");
    this.#expect(place.lock.includes(`"${this.#server.alias}"`), "there are no pins of it");
    for (const comment of place.lostComments()) this.#expect(false, `the review lost the comment "${comment}"`);
    const after = await this.#whole();
    this.#expect(after.version - before.version <= 1, `the review made ${String(after.version - before.version)} versions`);
    if (after.published.has(this.#server.alias)) return reviewed;
    const gone = await place.until((now) => isBelow(now, before.processes), [daemonPid]);
    this.#expect(gone, "the review left a process");
    return reviewed;
  }

  async connect(how: "connect" | "restart"): Promise<{ readonly tools: number; readonly ms: number }> {
    const { place } = this.#plan;
    const said = await place.toolpool(how, this.#server.alias, "--json");
    const answer = objectIn(said.stdout);
    this.#expect(said.code === 0 && answer.state === "connected", `${how} failed: ${said.stdout}${said.stderr}`);
    const tools = Array.isArray(answer.tools) ? answer.tools.length : 0;
    return { tools, ms: said.ms };
  }

  async call({ tool, arguments: args, code }: NonNullable<JourneyServer["call"]>): Promise<NonNullable<Trip["call"]>> {
    const { place } = this.#plan;
    const words = [`mcp__${this.#server.alias}__${tool}`, filled(JSON.stringify(args), place)];
    const said = await place.toolpool("call", ...words, "--json", "--yes", "--timeout", "30000");
    const answer = objectIn(said.stdout);
    const error = objectOf(answer.error).code;
    const came = answer.status === "ok" ? "ok" : typeof error === "string" ? error : said.stderr;
    this.#expect(came === code, `the call of ${tool} came to ${came}, not ${code}`);
    return { code: came, ms: said.ms };
  }

  /** The update is installed while it runs; the restart meets it. One version takes its tools away, and its process is gone. */
  async refusedChanged(): Promise<readonly string[]> {
    const { place, folderOf, daemonPid } = this.#plan;
    const server = this.#server;
    const before = await this.#whole();
    const folder = folderOf(server, server.release);
    if (server.earlier === undefined) installChanged(server, folder, place);
    else install(server, folder, place);
    const said = await place.toolpool("restart", server.alias);
    const reason = /\((definition_drift|policy_mismatch)\)/.exec(said.stderr)?.[1];
    this.#expect(said.code === 1 && reason !== undefined, `the change was not refused: ${said.stdout}${said.stderr}`);
    this.#expect(said.stderr.includes(`toolpool review ${server.alias}`), `the refusal names no way out: ${said.stderr}`);
    const gone = await place.until((now) => isBelow(now, before.processes) && now.size < before.processes.size, [daemonPid]);
    this.#expect(gone, "of what ran before, or of the refused start, a process is left");
    const after = await this.#whole();
    this.#expect(after.version === before.version + 1, `the refusal made ${String(after.version - before.version)} versions`);
    this.#expect(!after.published.has(server.alias), "its tools are still published");
    return place.told(said.stderr).trim().split("\n");
  }

  async noise(): Promise<number> {
    const { stdout } = await this.#plan.place.toolpool("servers", this.#server.alias, "--json");
    const { stdoutNoise } = objectIn(stdout);
    return typeof stdoutNoise === "number" ? stdoutNoise : 0;
  }

  async #whole(): Promise<Whole> {
    const { place, daemonPid } = this.#plan;
    return wholeOf(await place.toolpool("status", "--json"), place.processes([daemonPid]));
  }

  async #untouched(before: Whole, what: string): Promise<void> {
    const after = await this.#whole();
    this.#expect(after.version === before.version, `${what} made a version`);
    this.#expect(isBelow(after.processes, before.processes), `${what} left a process`);
  }

  #expect(holds: boolean, otherwise: string): void {
    if (!holds) this.problems.push(this.#plan.place.told(otherwise.trim()));
  }
}

interface Whole {
  readonly version: number;
  readonly published: ReadonlySet<unknown>;
  readonly processes: ReadonlySet<number>;
}

const isBelow = (some: ReadonlySet<number>, all: ReadonlySet<number>): boolean => [...some].every((pid) => all.has(pid));

function wholeOf({ stdout }: Said, processes: ReadonlySet<number>): Whole {
  const { registry, servers } = objectIn(stdout);
  const { version } = objectOf(registry);
  const published = listOf(servers)
    .filter(({ toolCount }) => toolCount !== 0)
    .map(({ alias }) => alias);
  return { version: typeof version === "number" ? version : -1, published: new Set(published), processes };
}
