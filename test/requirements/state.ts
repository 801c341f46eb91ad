import type { Requirement } from "../requirements.ts";

export const state = [] as const satisfies readonly Requirement[];
