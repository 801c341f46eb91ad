// The text of a file that a person wrote: a regular file of bounded size, UTF-8, with or without a byte order mark. Whatever keeps
// it from being read is told in a sentence that says what to do; nothing here throws, and nothing of the content is quoted.
import { isUtf8 } from "node:buffer";
import { open, stat } from "node:fs/promises";
import type { ConfigIssue } from "../daemon/contract/index.ts";

export interface ReadOptions {
  /** Default 4 MiB. */
  readonly maxBytes?: number;
  /** What to say of a file that is not there. */
  readonly missing?: string;
}

export type Source =
  | {
      readonly kind: "text";
      readonly text: string;
      /** It starts with a byte order mark, which is not in `text`. */ readonly mark: boolean;
    }
  | {
      readonly kind: "refused";
      /** It is not there at all: for whoever can do without it. */
      readonly absent: boolean;
      readonly issues: readonly ConfigIssue[];
    };

export type RefusedSource = Extract<Source, { kind: "refused" }>;

const MAX_BYTES = 4 * 1024 * 1024;
const NO_CONFIGURATION =
  'there is no such file: create it with "toolpool init", or name another with --config or TOOLPOOL_CONFIG';

export async function readSource(path: string, options: ReadOptions = {}): Promise<Source> {
  const { maxBytes = MAX_BYTES } = options;
  try {
    // Before opening: to open a pipe is to wait for its writer.
    const before = await stat(path);
    if (before.isDirectory()) return refuse("this is a folder: name the file in it");
    if (!before.isFile()) return refuse("this is not a regular file");
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      if (size > maxBytes) return refuse(`the file has ${size} bytes: at most ${maxBytes} are read`);
      return decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    return reasonOf(error, options.missing ?? NO_CONFIGURATION);
  }
}

function reasonOf(error: unknown, missing: string): Source {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { ...refuse(missing), absent: true };
    case "EACCES":
    case "EPERM":
      return refuse("the file may not be read: give its owner, the user of the daemon, the right to read it");
    case "ELOOP":
      return refuse("the symbolic links of this path go in a circle");
    default:
      return refuse(`the file cannot be read (${code})`);
  }
}

function decode(bytes: Buffer): Source {
  if (isUtf16(bytes)) return refuse("the file is UTF-16: save it as UTF-8", { line: 1, column: 1 });
  const mark = bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xefbbbf;
  // A byte order mark is taken away by the decoder.
  const text = new TextDecoder("utf-8").decode(bytes);
  if (isUtf8(bytes)) return { kind: "text", text, mark };
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

function refuse(message: string, place: { readonly line?: number; readonly column?: number } = {}): RefusedSource {
  return { kind: "refused", absent: false, issues: [{ pointer: "", message, ...place }] };
}
