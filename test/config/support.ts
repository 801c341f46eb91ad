// What the tests of the configuration share: parsing a value or a text as a file in a folder that need not exist.
import { expect } from "vitest";
import type { ConfigIssue, ConfiguredServer, PoolConfig, ServerSpec } from "../../daemon/contract/index.ts";
import { parseConfig } from "../../config/parse.ts";

export const FILE = "/etc/pool/config.json";

type Env = Readonly<Record<string, string>>;

export function accepted(text: string, env: Env = {}): PoolConfig {
  const loaded = parseConfig(text, FILE, env);
  if (loaded.kind === "refused") throw new Error(`refused: ${JSON.stringify(loaded.issues)}`);
  return loaded.config;
}

export function refused(text: string): readonly ConfigIssue[] {
  const loaded = parseConfig(text, FILE, {});
  if (loaded.kind === "ok") throw new Error("accepted");
  return loaded.issues;
}

export function servers(entries: Readonly<Record<string, unknown>>, env: Env = {}): ReadonlyMap<string, ConfiguredServer> {
  return accepted(JSON.stringify({ mcpServers: entries }), env).servers;
}

const SOUND = { command: "node", tools: {} };

/** One sound server with these members, `undefined` taking one away. */
export function server(members: Readonly<Record<string, unknown>>, env: Env = {}): ConfiguredServer {
  const configured = servers({ alpha: { ...SOUND, ...members } }, env).get("alpha");
  if (configured === undefined) throw new Error("no server");
  return configured;
}

export function spec(members: Readonly<Record<string, unknown>>, env: Env = {}): ServerSpec {
  const configured = server(members, env);
  if (configured.kind === "invalid") throw new Error(`invalid: ${JSON.stringify(configured.issues)}`);
  return configured.spec;
}

/** The issues, each as `pointer: message`. */
export function faults(members: Readonly<Record<string, unknown>>, env: Env = {}): readonly string[] {
  const configured = server(members, env);
  return configured.kind === "valid" ? [] : configured.issues.map(({ pointer, message }) => `${pointer}: ${message}`);
}

/** Stands for any text that holds or matches this one, inside `toMatchObject`: a bare pattern there would match everything. */
export function saying(text: string | RegExp): unknown {
  return typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text);
}
