// Where a path leads, step by step as the system walks it, and the places where a change can make it lead elsewhere or hold something
// else: the folder of every link on the way, the folder of the file, the file itself, and, where something is missing, the nearest
// folder that is there. The plain folders on the way count too: one of them may be renamed or replaced.
import type { BigIntStats } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { isAbsolute, join, parse, sep } from "node:path";

export interface Place {
  readonly path: string;
  /** Of what lies there now: another one at the same path is another place. */
  readonly identity: string;
  /** The entries of the folder that matter; `undefined`: it is the file itself. */
  readonly names: ReadonlySet<string> | undefined;
  /** Without it a change would be missed; the others are for folders that are moved, further up. */
  readonly essential: boolean;
}

/** As the system: beyond it the links go in a circle. */
const MAX_LINKS = 40;

/** Of all `files` (absolute paths) together, the essential ones first. Never rejects. */
export async function placesOf(files: readonly string[]): Promise<readonly Place[]> {
  const places = new Map<string, Place>();
  for (const file of files) {
    for (const place of await walk(file)) {
      const key = `${place.path}\0${place.identity}`;
      const known = places.get(key);
      places.set(key, known === undefined ? place : together(known, place));
    }
  }
  return [...places.values()].sort((a, b) => Number(b.essential) - Number(a.essential));
}

async function walk(file: string): Promise<readonly Place[]> {
  const { root } = parse(file);
  const rest = namesIn(file.slice(root.length));
  const places: Place[] = [];
  let folder = root;
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "..") {
      folder = join(folder, "..");
      continue;
    }
    const path = join(folder, name);
    const found = await look(path);
    const plain = found?.isDirectory() === true && rest.length > 0;
    const holder = await look(folder);
    if (holder === undefined) return places;
    places.push({ path: folder, identity: identityOf(holder), names: new Set([name]), essential: !plain });
    if (plain) {
      folder = path;
      continue;
    }
    if (found?.isSymbolicLink() !== true) {
      // A file that is mounted, or has another name elsewhere, changes without a word to this folder.
      if (found?.isFile() === true) places.push({ path, identity: identityOf(found), names: undefined, essential: true });
      return places;
    }
    const target = await readlink(path).catch(() => undefined);
    if (target === undefined || ++links > MAX_LINKS) return places;
    if (isAbsolute(target)) folder = parse(target).root;
    rest.unshift(...namesIn(isAbsolute(target) ? target.slice(folder.length) : target));
  }
  return places;
}

/** `undefined`: not there, or not for us to see. */
const look = (path: string): Promise<BigIntStats | undefined> => lstat(path, { bigint: true }).catch(() => undefined);

// A number is given again once it is free: the time of birth tells one from the other.
const identityOf = ({ dev, ino, birthtimeNs }: BigIntStats): string =>
  [dev, ino, birthtimeNs].map((part) => part.toString()).join(":");

const namesIn = (path: string): string[] => path.split(sep).filter((name) => name !== "" && name !== ".");

function together(one: Place, other: Place): Place {
  const names = one.names && other.names && new Set([...one.names, ...other.names]);
  return { ...one, names, essential: one.essential || other.essential };
}
