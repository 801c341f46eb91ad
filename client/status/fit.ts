// The page as lines, whole or in as many lines as there are. What is missing is taken away in an order that keeps what a person
// came for: places and history go first, then details, then servers that are well; trouble goes last. What was left out is counted.
import { many } from "../output/amounts.ts";
import { breakLines, cut } from "../output/width.ts";
import type { Page } from "./page.ts";
import type { Block, Look, Section } from "./parts.ts";
import { UNUSED } from "./states.ts";

/** How much of each part is shown. */
interface Plan {
  /** Lines about the daemon. */
  readonly daemon: number;
  readonly versions: number;
  readonly sessions: number;
  /** Whose servers may be left out until the rest has room: nobody's, those that are not in use, anybody's. */
  readonly without: "none" | "unused" | "any";
  readonly form: "lines" | "short" | "line";
  /** Without heads and empty lines. */
  readonly tight: boolean;
}

const WHOLE: Plan = { daemon: Infinity, versions: Infinity, sessions: Infinity, without: "none", form: "lines", tight: false };

const PLANS: readonly Plan[] = [
  WHOLE,
  { ...WHOLE, daemon: 1, sessions: 10 },
  { ...WHOLE, daemon: 1, sessions: 5, versions: 3 },
  { ...WHOLE, daemon: 1, sessions: 3, versions: 1 },
  { ...WHOLE, daemon: 1, sessions: 1, versions: 0 },
  { ...WHOLE, daemon: 1, sessions: 1, versions: 0, without: "unused" },
  { ...WHOLE, daemon: 1, sessions: 0, versions: 0, without: "unused", form: "short" },
  { ...WHOLE, daemon: 1, sessions: 0, versions: 0, without: "any", form: "line" },
  { daemon: 0, sessions: 0, versions: 0, without: "any", form: "line", tight: true },
];

export function wholePage(page: Page, look: Look): string[] {
  return linesBy(WHOLE, page.servers.blocks.length, page, look, "toolpool status --json has all");
}

/** At most `rows` lines. */
export function fitPage(page: Page, rows: number, look: Look): string[] {
  let lines: string[] = [];
  for (const plan of PLANS) {
    const all = page.servers.blocks.length;
    const fewest = { none: all, unused: used(page.servers), any: 0 }[plan.without];
    for (let servers = all; servers >= fewest; servers--) {
      lines = linesBy(plan, servers, page, look, "a taller window shows more");
      if (lines.length <= rows) return lines;
    }
  }
  return lines.slice(0, Math.max(0, rows));
}

const used = ({ blocks }: Section): number => blocks.filter(({ rank }) => rank < UNUSED).length;

function linesBy(plan: Plan, servers: number, page: Page, { width, colours }: Look, hint: string): string[] {
  const parts = [
    pick(page.servers, servers, plan),
    pick(page.sessions, plan.sessions, plan),
    pick(page.versions, plan.versions, plan),
  ];
  const left = parts.flatMap(({ left: text }) => text ?? []).join(", ");
  const said = left === "" ? [] : plan.tight ? [cut(`… and ${left}`, width)] : breakLines(`… and ${left}; ${hint}`, width);
  const gap = plan.tight ? [] : [""];
  return [
    ...page.summary,
    ...page.daemon.slice(0, plan.daemon),
    ...parts.flatMap(({ lines }) => (lines.length === 0 ? [] : [...gap, ...lines])),
    ...(said.length === 0 ? [] : [...gap, ...said.map(colours.dim)]),
  ];
}

/** The blocks that matter most, in the order of the section, and in words what is not among them. */
function pick(
  { what, head, blocks, beyond = 0 }: Section,
  most: number,
  { form, tight }: Plan,
): { lines: string[]; left?: string } {
  const places = blocks.map((_, at) => at).sort((a, b) => rankAt(blocks, a) - rankAt(blocks, b) || a - b);
  const kept = new Set(places.slice(0, most));
  const shown = blocks.filter((_, at) => kept.has(at));
  const missing = blocks.filter((_, at) => !kept.has(at));
  // That there is no server at all is said in any case.
  const nothing = most === 0 && (blocks.length > 0 || what !== "server");
  const lines = nothing ? [] : [...(tight && shown.length > 0 ? [] : head), ...shown.flatMap((block) => block[form])];
  const left = missing.length + beyond;
  return left === 0 ? { lines } : { lines, left: `${many(left, `more ${what}`)}${kinds(missing)}` };
}

const rankAt = (blocks: readonly Block[], at: number): number => blocks[at]?.rank ?? 0;

/** ` (3 failed, 20 idle)`: trouble is not hidden by a number. */
function kinds(blocks: readonly Block[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of blocks) if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts.size === 0 ? "" : ` (${[...counts].map(([kind, count]) => `${String(count)} ${kind}`).join(", ")})`;
}
