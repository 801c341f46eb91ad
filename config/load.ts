// Reads a configuration file, the lock file beside it, and says what may run. Whatever keeps either from being read is an issue
// like any other, in a sentence that says what to do; nothing here throws. A lock file that is not there pins nothing.
import { resolve } from "node:path";
import { checkConfig, type ConfigCheck } from "./check.ts";
import { textDigest } from "./digest.ts";
import { LOCK_MAX_BYTES, lockFileOf, parseLock, type ParsedLock } from "./lock.ts";
import { parseConfig, type LoadedConfig } from "./parse.ts";
import { readSource, type Source } from "./source.ts";

export type { LoadedConfig } from "./parse.ts";

/** With the digest of exactly what was read. */
export type ReadConfig = LoadedConfig & { readonly digest: string };

interface Sources {
  readonly config: Source;
  readonly lock: Source;
}

/** Reads, validates and expands. A relative `file` is resolved against the current folder. */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<ReadConfig> {
  const path = resolve(file);
  const sources = await readBoth(path);
  const digest = digestOf(sources);
  if (sources.config.kind === "refused") return { kind: "refused", issues: sources.config.issues, digest };
  const pins = pinsIn(sources.lock, path);
  return { ...(pins.kind === "refused" ? pins : parseConfig(sources.config.text, path, env, pins.lock)), digest };
}

/** What `loadConfig` would read now, without understanding it: SHA-256 (hex) over both files, or over why they cannot be read. */
export const readDigest = async (file: string): Promise<string> => digestOf(await readBoth(resolve(file)));

/** The same file as `toolpool check` reports on it. */
export async function checkFile(file: string, env: NodeJS.ProcessEnv): Promise<ConfigCheck> {
  const path = resolve(file);
  const { config, lock } = await readBoth(path);
  if (config.kind === "refused") return { kind: "refused", issues: config.issues, file: path };
  const pins = pinsIn(lock, path);
  return pins.kind === "refused" ? { ...pins, file: path } : checkConfig(config.text, path, env, pins.lock);
}

/** The lock file of a configuration; a missing one holds nothing. */
export const readLock = async (configFile: string): Promise<ParsedLock> => pinsIn(await readLockSource(configFile), configFile);

async function readBoth(configFile: string): Promise<Sources> {
  const [config, lock] = await Promise.all([readSource(configFile), readLockSource(configFile)]);
  return { config, lock };
}

const readLockSource = (configFile: string): Promise<Source> => readSource(lockFileOf(configFile), { maxBytes: LOCK_MAX_BYTES });

function pinsIn(source: Source, configFile: string): ParsedLock {
  const file = lockFileOf(configFile);
  if (source.kind === "text") return parseLock(source.text, file);
  if (source.absent) return { kind: "ok", lock: new Map() };
  return { kind: "refused", issues: source.issues.map((issue) => ({ ...issue, file })) };
}

function digestOf({ config, lock }: Sources): string {
  const told = (source: Source): readonly unknown[] =>
    source.kind === "text" ? ["text", textDigest(source.text)] : ["refused", source.issues];
  return textDigest(JSON.stringify([told(config), told(lock)]));
}
