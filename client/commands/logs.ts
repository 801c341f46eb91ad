// `toolpool logs [-f]`: the daemon's log file, readable (or as it is, with --json). Works without a daemon, which is when it is
// needed most. Following survives rotation: a file that was replaced or became shorter is read from its beginning.
import type { Stats } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isJsonObject } from "../../daemon/contract/index.ts";
import type { Screen } from "../output/screen.ts";
import { localTime } from "../output/times.ts";
import { visible } from "../output/visible.ts";
import { Failure } from "./failure.ts";
import { placeOf, type Run } from "./surroundings.ts";

const LOOK_MS = 200;
const DEFAULT_LINES = 100;
/** Of the tail that is searched for the last lines (bytes). */
const TAIL_BYTES = 1024 * 1024;

export interface LogsOptions {
  readonly follow?: boolean;
  readonly lines?: number;
}

export async function logs(run: Run, { follow = false, lines = DEFAULT_LINES }: LogsOptions): Promise<void> {
  const file = logFile(run);
  const tail = await readTail(file, follow);
  if (tail === undefined) {
    throw new Failure(1, `There is no log yet: ${file}`, { reason: "no_log", next: "Start the daemon: toolpool up" });
  }
  for (const row of rows(tail.text).slice(-lines)) print(run.screen, row);
  if (!follow) return;
  await followLog(file, tail.next, run.screen, run.signal);
  run.signal.throwIfAborted();
}

export const logFile = (run: Run): string => join(placeOf(run).stateFolder, "daemon.log");

/** Where it ends now; undefined when there is none yet. */
export async function logEnd(file: string): Promise<Position | undefined> {
  const facts = await stat(file).catch(() => undefined);
  return facts === undefined ? undefined : { inode: facts.ino, offset: facts.size };
}

/** Shows what is written from there on, until the signal aborts; what was written before that is still shown. */
export async function followLog(file: string, from: Position | undefined, screen: Screen, signal: AbortSignal): Promise<void> {
  let at = from;
  for (let last = false; ;) {
    const more = await readOn(file, at);
    for (const row of rows(more?.text ?? "")) print(screen, row);
    at = more?.next ?? at;
    if (last) return;
    // An abort ends the pause; then it looks once more.
    await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    last = signal.aborted;
  }
}

const rows = (text: string): string[] => text.split("\n").filter((row) => row !== "");

interface Position {
  readonly inode: number;
  readonly offset: number;
}

interface Piece {
  readonly text: string;
  readonly next: Position;
}

/** Undefined when there is no such file now: that is also so between the two steps of a rotation. */
async function readTail(file: string, wholeLines: boolean): Promise<Piece | undefined> {
  return withFile(file, async (handle, { ino, size }) => {
    const begin = Math.max(0, size - TAIL_BYTES);
    const piece = await readPiece(handle, ino, begin, size, wholeLines);
    // What begins in the middle begins in the middle of a line.
    return begin === 0 ? piece : { ...piece, text: piece.text.slice(piece.text.indexOf("\n") + 1) };
  });
}

async function readOn(file: string, from: Position | undefined): Promise<Piece | undefined> {
  const known = await stat(file).catch(() => undefined);
  if (known !== undefined && from?.inode === known.ino && from.offset === known.size) return { text: "", next: from };
  return withFile(file, (handle, { ino, size }) => {
    const begin = from?.inode === ino && size >= from.offset ? from.offset : 0;
    return readPiece(handle, ino, begin, size, true);
  });
}

async function withFile<T>(file: string, read: (handle: FileHandle, facts: Stats) => Promise<T>): Promise<T | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    return await read(handle, await handle.stat());
  } finally {
    await handle.close();
  }
}

/** With `wholeLines` a line that is still being written is left for the next time, so no character is cut in two. */
async function readPiece(handle: FileHandle, inode: number, begin: number, end: number, wholeLines: boolean): Promise<Piece> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - begin), 0, end - begin, begin);
  const taken = wholeLines ? buffer.subarray(0, bytesRead).lastIndexOf(10) + 1 : bytesRead;
  return { text: buffer.toString("utf8", 0, taken), next: { inode, offset: begin + taken } };
}

/** pino's levels. */
const LEVELS: Readonly<Record<number, string>> = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };
const KNOWN = new Set(["level", "time", "msg", "pid", "hostname"]);

function print(screen: Screen, row: string): void {
  if (screen.json) {
    screen.line(row);
    return;
  }
  const entry = parsed(row);
  if (entry === undefined) {
    screen.line(visible(row));
    return;
  }
  const level = typeof entry.level === "number" ? (LEVELS[entry.level] ?? String(entry.level)) : text(entry.level);
  const time = typeof entry.time === "number" ? new Date(entry.time).toISOString() : text(entry.time);
  const fields = Object.entries(entry).filter(([name]) => !KNOWN.has(name));
  const told = fields.map(([name, value]) => `${name}=${text(value)}`).join(" ");
  const { colours } = screen;
  const paint = level === "error" || level === "fatal" ? colours.red : level === "warn" ? colours.yellow : colours.dim;
  screen.line(
    [localTime(time), paint(level.padEnd(5)), visible(text(entry.msg)), colours.dim(visible(told))].join(" ").trimEnd(),
  );
}

function parsed(row: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(row);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
