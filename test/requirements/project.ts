import type { Requirement } from "../requirements.ts";

export const project = [
  { id: "PRJ-1", sentence: "Every promise of the product is proved by at least one test.", source: "issue 1, Tests" },
] as const satisfies readonly Requirement[];
