import type { Requirement } from "../requirements.ts";

export const core = [] as const satisfies readonly Requirement[];
