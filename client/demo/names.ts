// What the demo's two servers are called, which tools they publish, and what their calls may do.

export const ALIASES = ["demo_alpha", "demo_beta"] as const;
export type DemoAlias = (typeof ALIASES)[number];

export const labelOf = (alias: DemoAlias): string => alias.slice("demo_".length);
export const toolOf = (alias: DemoAlias, tool: string): string => `mcp__${alias}__${tool}`;

/** The time limit that the demo runs into on purpose (ms). */
const DELAY_LIMIT_MS = 700;

export const POLICY = Object.freeze({
  lookup: "read",
  fail: "read",
  delay: { effect: "read", timeoutMs: DELAY_LIMIT_MS },
  terminate: "external",
});

/** In code-unit order. */
export const toolsOf = (alias: DemoAlias): readonly string[] =>
  Object.keys(POLICY)
    .map((tool) => toolOf(alias, tool))
    .sort();

export const SUBAGENT = "scout";
export const TEAMMATE = "mate";
/** Begins every text the servers write into their errors. */
export const PRIVATE_MARK = "PRIVATE-";
