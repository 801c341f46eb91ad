// The published surface of the pool: everything a client may rely on. The only barrel of the project.
export * from "./config-status.ts";
export * from "./configuration.ts";
export * from "./errors.ts";
export * from "./inspection.ts";
export * from "./json.ts";
export * from "./methods.ts";
export * from "./outcomes.ts";
export * from "./servers.ts";
export * from "./sessions.ts";
export * from "./start.ts";
export * from "./tools.ts";
export * from "./versions.ts";
