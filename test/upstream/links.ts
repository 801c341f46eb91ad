// Links to fixture programs for the tests here: made with short grace times, everything they report is kept, and what a test leaves
// open is destroyed after it.
import { setMaxListeners } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";
import { SERVER_DEFAULTS, type JsonObject, type ServerSpec, type StdioLaunch } from "../../daemon/contract/index.ts";
import { UpstreamError, type LinkInfo, type OwnedProcess, type UpstreamLink } from "../../daemon/upstream/port.ts";
import { stdioLink } from "../../daemon/upstream/stdio.ts";

/** Never aborts; shared by any number of calls. */
export const never = new AbortController().signal;
setMaxListeners(0, never);

export const fixture = (name: string): string => join(import.meta.dirname, "../../.cache/fixtures", `${name}.js`);

export interface Seen {
  readonly processes: OwnedProcess[];
  noise: number;
  changes: number;
}

export interface Opened {
  readonly link: UpstreamLink;
  readonly seen: Seen;
}

const open = new Set<UpstreamLink>();

afterEach(async () => {
  await Promise.all([...open].map((link) => link.destroy("end of the test")));
  open.clear();
});

export function launch(name: string, ...args: readonly string[]): StdioLaunch {
  return { command: process.execPath, args: [fixture(name), ...args], env: {}, cwd: import.meta.dirname };
}

export function spec(given: StdioLaunch, more: Partial<ServerSpec> = {}): ServerSpec {
  return {
    alias: "a",
    type: "stdio",
    launch: given,
    written: { type: "stdio", command: given.command, args: given.args, env: Object.keys(given.env), cwd: given.cwd },
    launchDigest: "",
    tools: new Map(),
    sharing: "shared",
    reconnect: "manual",
    keepAlive: false,
    disabled: false,
    ...SERVER_DEFAULTS,
    graceMs: 100,
    digest: "",
    ...more,
  };
}

export function openLink(given: StdioLaunch, more: Partial<ServerSpec> = {}): Opened {
  const seen: Seen = { processes: [], noise: 0, changes: 0 };
  const link = stdioLink(spec(given, more), "a#1", {
    onNoise: (count) => (seen.noise += count),
    onProcess: (process) => seen.processes.push(process),
    onToolsChanged: () => seen.changes++,
  });
  open.add(link);
  return { link, seen };
}

export async function connected(
  given: StdioLaunch,
  more: Partial<ServerSpec> = {},
): Promise<Opened & { readonly info: LinkInfo }> {
  const opened = openLink(given, more);
  return { ...opened, info: await opened.link.connect(never) };
}

/** A tool that does the steps given in its arguments (scripted-server.ts). */
export const DO = { name: "do", does: "arguments" } as const;

export function scripted(script: object): StdioLaunch {
  return launch("scripted-server", JSON.stringify({ tools: [DO], ...script }));
}

export async function call(link: UpstreamLink, tool: string, args: JsonObject = {}): Promise<unknown> {
  return (await link.callRaw(tool, args, { signal: never })).value;
}

/** The structured content of a call, as an object. */
export async function structured(
  link: UpstreamLink,
  tool: string,
  args: JsonObject = {},
): Promise<Readonly<Record<string, unknown>>> {
  const result = (await call(link, tool, args)) as { readonly structuredContent: Readonly<Record<string, unknown>> };
  return result.structuredContent;
}

/** The error a promise rejects with, which must be a link's. */
export async function refusal(work: Promise<unknown>): Promise<UpstreamError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

/** A process that lives, zombies not counted. */
export function alive(pid: unknown): boolean {
  if (process.platform !== "linux") {
    try {
      process.kill(Number(pid), 0);
      return true;
    } catch {
      return false;
    }
  }
  const path = `/proc/${String(pid)}/stat`;
  if (!existsSync(path)) return false;
  const text = readFileSync(path, "utf8");
  return !["Z", "X"].includes(text.slice(text.lastIndexOf(")") + 2, text.lastIndexOf(")") + 3));
}

/** Waits for what another process does; the test's own time limit ends it. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
