import type { Requirement } from "../requirements.ts";

export const commands = [] as const satisfies readonly Requirement[];
