// Reads a configuration file: a regular file of bounded size, UTF-8 text. Whatever keeps it from being read is an issue like any
// other, in a sentence that says what to do; nothing here throws.
import { isUtf8 } from "node:buffer";
import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ConfigIssue } from "../daemon/contract/index.ts";
import { checkConfig, type ConfigCheck } from "./check.ts";
import { parseConfig, type LoadedConfig } from "./parse.ts";

export type { LoadedConfig } from "./parse.ts";

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads, validates and expands. A relative `file` is resolved against the current folder. */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const path = resolve(file);
  const source = await readSource(path);
  return source.kind === "refused" ? source : parseConfig(source.text, path, env);
}

/** The same file as `toolpool check` reports on it. */
export async function checkFile(file: string, env: NodeJS.ProcessEnv): Promise<ConfigCheck> {
  const path = resolve(file);
  const source = await readSource(path);
  return source.kind === "refused" ? { ...source, file: path } : checkConfig(source.text, path, env);
}

type Source =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "refused"; readonly issues: readonly ConfigIssue[] };

async function readSource(path: string): Promise<Source> {
  try {
    // Before opening: to open a pipe is to wait for its writer.
    const before = await stat(path);
    if (before.isDirectory()) return refuse("this is a folder: name the configuration file in it");
    if (!before.isFile()) return refuse("this is not a regular file");
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) return refuse(`the file has ${size} bytes: a configuration has at most ${MAX_BYTES}`);
      return decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    return refuse(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return 'there is no such file: create it with {"mcpServers": {}}, or name another with --config or TOOLPOOL_CONFIG';
    case "EACCES":
    case "EPERM":
      return "the file may not be read: give its owner, the user of the daemon, the right to read it";
    case "ELOOP":
      return "the symbolic links of this path go in a circle";
    default:
      return `the file cannot be read (${code})`;
  }
}

function decode(bytes: Buffer): Source {
  if (isUtf16(bytes)) return refuse("the file is UTF-16: save it as UTF-8", { line: 1, column: 1 });
  // A byte order mark is taken away by the decoder.
  const text = new TextDecoder("utf-8").decode(bytes);
  if (isUtf8(bytes)) return { kind: "text", text };
  const lines = text.slice(0, text.indexOf("\uFFFD")).split(/\r\n|\r|\n/);
  const place = { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
  return refuse("the file is not UTF-8 from here on: save it as UTF-8", place);
}

/** By its mark, or by the zero that one half of a first ASCII character is. */
function isUtf16(bytes: Buffer): boolean {
  if (bytes.length < 2) return false;
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
}

function refuse(message: string, place: { readonly line?: number; readonly column?: number } = {}): Source {
  return { kind: "refused", issues: [{ pointer: "", message, ...place }] };
}
