// Reads a configuration file, the lock file beside it, and says what may run. Whatever keeps either from being read is an issue
// like any other, in a sentence that says what to do; nothing here throws. A lock file that is not there pins nothing.
import { resolve } from "node:path";
import { checkConfig, type ConfigCheck } from "./check.ts";
import { LOCK_MAX_BYTES, lockFileOf, parseLock, type ParsedLock } from "./lock.ts";
import { parseConfig, type LoadedConfig } from "./parse.ts";
import { readSource } from "./source.ts";

export type { LoadedConfig } from "./parse.ts";

/** Reads, validates and expands. A relative `file` is resolved against the current folder. */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const path = resolve(file);
  const [source, pins] = await Promise.all([readSource(path), readLock(path)]);
  if (source.kind === "refused") return { kind: "refused", issues: source.issues };
  return pins.kind === "refused" ? pins : parseConfig(source.text, path, env, pins.lock);
}

/** The same file as `toolpool check` reports on it. */
export async function checkFile(file: string, env: NodeJS.ProcessEnv): Promise<ConfigCheck> {
  const path = resolve(file);
  const [source, pins] = await Promise.all([readSource(path), readLock(path)]);
  if (source.kind === "refused") return { kind: "refused", issues: source.issues, file: path };
  return pins.kind === "refused" ? { ...pins, file: path } : checkConfig(source.text, path, env, pins.lock);
}

/** The lock file of a configuration; a missing one holds nothing. */
export async function readLock(configFile: string): Promise<ParsedLock> {
  const file = lockFileOf(configFile);
  const source = await readSource(file, { maxBytes: LOCK_MAX_BYTES });
  if (source.kind === "text") return parseLock(source.text, file);
  if (source.absent) return { kind: "ok", lock: new Map() };
  return { kind: "refused", issues: source.issues.map((issue) => ({ ...issue, file })) };
}
