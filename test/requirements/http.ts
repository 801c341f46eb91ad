import type { Requirement } from "../requirements.ts";

export const http = [] as const satisfies readonly Requirement[];
