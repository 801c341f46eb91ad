// Reads a configuration file and says what may run. Whatever keeps it from being read is an issue like any other, in a sentence
// that says what to do; nothing here throws.
import { resolve } from "node:path";
import { checkConfig, type ConfigCheck } from "./check.ts";
import { parseConfig, type LoadedConfig } from "./parse.ts";
import { readSource } from "./source.ts";

export type { LoadedConfig } from "./parse.ts";

/** Reads, validates and expands. A relative `file` is resolved against the current folder. */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const path = resolve(file);
  const source = await readSource(path);
  return source.kind === "refused" ? { kind: "refused", issues: source.issues } : parseConfig(source.text, path, env);
}

/** The same file as `toolpool check` reports on it. */
export async function checkFile(file: string, env: NodeJS.ProcessEnv): Promise<ConfigCheck> {
  const path = resolve(file);
  const source = await readSource(path);
  return source.kind === "refused" ? { kind: "refused", issues: source.issues, file: path } : checkConfig(source.text, path, env);
}
