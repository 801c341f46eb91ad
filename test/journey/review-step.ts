// `toolpool review`, as a script calls it: once to look, which must change nothing, and once with the decisions in a file.
import { listOf, objectIn, objectOf } from "./answers.ts";
import type { Place } from "./place.ts";

export interface Reviewed {
  readonly by: "script" | "person";
  readonly saved: boolean;
  /** What the program said, when it was not saved. */
  readonly said: string;
  readonly release: string;
  readonly tools: number;
  /** Of all its tools, as a model would get them. */
  readonly tokens: number;
  /** Differ from what was reviewed before. */
  readonly changed: number;
  /** `tool: why it cannot be exposed`. */
  readonly refusals: readonly string[];
  /** `tool: what a person should see`. */
  readonly flags: readonly string[];
  readonly ms: number;
}

export type ReviewStep = (place: Place, alias: string, policyFile: string) => Promise<Reviewed>;

export const look = (place: Place, alias: string): Promise<Reviewed> => reviewed(place, alias, []);

export const reviewAsScript: ReviewStep = (place, alias, policyFile) => reviewed(place, alias, ["--policy", policyFile]);

async function reviewed(place: Place, alias: string, more: readonly string[]): Promise<Reviewed> {
  const said = await place.toolpool("review", alias, "--yes", ...more, "--json");
  const [report = {}] = listOf(objectIn(said.stdout).reviews);
  const tools = listOf(report.tools);
  const saved = said.code === 0 && report.end === "saved";
  return {
    by: "script",
    saved,
    said: saved ? "" : `${said.stdout}${said.stderr}`,
    release: textOf(objectOf(report.server).version),
    tools: tools.length,
    tokens: tools.reduce((sum, { tokens }) => sum + (typeof tokens === "number" ? tokens : 0), 0),
    changed: tools.filter(({ change }) => change !== undefined).length,
    refusals: remarks(tools, "refusals"),
    flags: remarks(tools, "flags"),
    ms: said.ms,
  };
}

const remarks = (tools: ReturnType<typeof listOf>, kind: "refusals" | "flags"): readonly string[] =>
  tools.flatMap((tool) => listOf(tool[kind]).map(({ message }) => `${textOf(tool.name)}: ${textOf(message)}`));

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
