import type { Requirement } from "../requirements.ts";

export const client = [] as const satisfies readonly Requirement[];
