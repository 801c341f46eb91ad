// The folder the file tools may touch. A path is followed through every link to where it really leads before anything is done
// with it, and what leads outside is refused. A file is opened without following a last link, so that one swapped in meanwhile
// is not followed either. A folder swapped in that very moment is not noticed: that is the system's business, not a sandbox's.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolProblem } from "./built-in.ts";

export interface Place {
  /** Real and absolute. */
  readonly path: string;
  readonly exists: boolean;
}

const MAX_READ_BYTES = 10 * 1024 * 1024;
const MAX_WRITE_BYTES = 4 * 1024 * 1024;
/** A NUL in the first part of a file makes it binary. */
const BINARY_PROBE_BYTES = 8_192;

export class Workspace {
  /** Real and absolute. */
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async open(folder: string): Promise<Workspace> {
    return new Workspace(await realpath(folder));
  }

  /** For showing: relative to the root, with `/`. */
  shown(path: string): string {
    return relative(this.root, path).split(sep).join("/") || ".";
  }

  /** Where a path leads, links resolved. Throws `outside_workspace`. */
  async locate(path: string): Promise<Place> {
    if (path.includes("\0")) throw new ToolProblem("invalid_path", "A path holds no NUL character");
    const missing: string[] = [];
    let at = resolve(this.root, path);
    let real: string | undefined;
    while ((real = await this.#real(at)) === undefined) {
      if (dirname(at) === at) throw outside(path);
      missing.unshift(basename(at));
      at = dirname(at);
    }
    const full = join(real, ...missing);
    if (!this.#contains(full)) throw outside(path);
    return { path: full, exists: missing.length === 0 };
  }

  async existing(path: string): Promise<string> {
    const place = await this.locate(path);
    if (!place.exists) throw new ToolProblem("not_found", `There is no ${this.shown(place.path)}`);
    return place.path;
  }

  /** The text of a regular file. Throws `not_a_file`, `too_large`, `binary_file`. */
  async readText(path: string): Promise<string> {
    const bytes = await this.readBytes(await this.existing(path), MAX_READ_BYTES);
    const content = bytes === undefined ? undefined : decodeText(bytes);
    if (content !== undefined) return content;
    if (bytes !== undefined) throw new ToolProblem("binary_file", "The file is no text");
    throw new ToolProblem("too_large", `The file is larger than ${String(MAX_READ_BYTES)} bytes`);
  }

  /** `path` is one that was located. Undefined when it is larger than `limit`. */
  async readBytes(path: string, limit: number): Promise<Buffer | undefined> {
    // Non-blocking: a FIFO without a writer would never open.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) throw new ToolProblem("not_a_file", `${this.shown(path)} is no regular file`);
      return facts.size > limit ? undefined : await file.readFile();
    } finally {
      await file.close();
    }
  }

  /** Whole or not at all: written beside it, then moved into place. Makes missing folders. */
  async writeText(path: string, content: string): Promise<Place> {
    const bytes = Buffer.from(content, "utf8");
    if (bytes.length > MAX_WRITE_BYTES) {
      throw new ToolProblem("too_large", `A file may be written with at most ${String(MAX_WRITE_BYTES)} bytes`);
    }
    const place = await this.locate(path);
    if (this.shown(place.path).split("/").includes(".git")) {
      throw new ToolProblem("outside_workspace", "What is inside .git is git's own: use git");
    }
    const facts = place.exists ? await stat(place.path) : undefined;
    if (facts !== undefined && !facts.isFile()) {
      throw new ToolProblem("not_a_file", `${this.shown(place.path)} is no regular file`);
    }
    await mkdir(dirname(place.path), { recursive: true });
    const draft = join(dirname(place.path), `.${randomUUID()}.draft`);
    try {
      const file = await open(draft, "wx", facts === undefined ? 0o666 : facts.mode & 0o777);
      try {
        if (facts !== undefined) await file.chmod(facts.mode & 0o777);
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, place.path);
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    }
    return place;
  }

  #contains(path: string): boolean {
    const way = relative(this.root, path);
    return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  }

  /** Undefined when there is nothing; a link that leads nowhere could come to lead anywhere. */
  async #real(path: string): Promise<string | undefined> {
    try {
      return await realpath(path);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ELOOP") throw outside(path);
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
      const facts = await lstat(path).catch(() => undefined);
      if (facts?.isSymbolicLink() === true) throw outside(this.shown(path));
      return undefined;
    }
  }
}

/** Undefined when it is no UTF-8 text. */
export function decodeText(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const outside = (path: string): ToolProblem =>
  new ToolProblem("outside_workspace", `${path} leads outside of the working directory`);
