import type { Requirement } from "../requirements.ts";

export const admission = [] as const satisfies readonly Requirement[];
