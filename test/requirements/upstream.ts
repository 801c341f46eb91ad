import type { Requirement } from "../requirements.ts";

export const upstream = [] as const satisfies readonly Requirement[];
