// The system's watches on a set of places: opened, kept and closed as the set changes. An event is a hint and nothing more; what it
// says is believed only as far as to leave out names that do not matter. Keeps no process alive.
import { watch, type FSWatcher } from "node:fs";
import { basename } from "node:path";
import type { Place } from "./path-places.ts";

/** As `node:fs` has it. Throws an error with a `code`. */
export type Watch = (
  path: string,
  options: { readonly persistent: false },
  listener: (event: string, name: string | null) => void,
) => FSWatcher;

export type Followed =
  /** Every place is watched since before this call. */
  | { readonly kind: "same" }
  /** Something new is watched: what happened before that was seen by nobody. */
  | { readonly kind: "changed" }
  /** An essential place cannot be watched: a code of the system. */
  | { readonly kind: "failed"; readonly code: string };

interface Open {
  readonly watcher: FSWatcher;
  names: Place["names"];
}

export class PlaceWatches {
  readonly #watch: Watch;
  readonly #onHint: () => void;
  readonly #onBroken: (code: string) => void;
  readonly #open = new Map<string, Open>();

  /** `onBroken`: a watch ended by an error. */
  constructor(onHint: () => void, onBroken: (code: string) => void, watcher: Watch = watch) {
    this.#watch = watcher;
    this.#onHint = onHint;
    this.#onBroken = onBroken;
  }

  follow(places: readonly Place[]): Followed {
    const wanted = new Map(places.map((place) => [`${place.path}\0${place.identity}`, place]));
    for (const key of [...this.#open.keys()]) if (!wanted.has(key)) this.#drop(key);
    let changed = false;
    for (const [key, place] of wanted) {
      const known = this.#open.get(key);
      if (known !== undefined) {
        known.names = place.names;
        continue;
      }
      try {
        this.#start(key, place);
        changed = true;
      } catch (error) {
        const code = codeOf(error);
        // It was there a moment ago: the next walk sees what has become of it.
        if (code === "ENOENT" || code === "ENOTDIR") changed = true;
        else if (place.essential) return { kind: "failed", code };
      }
    }
    return { kind: changed ? "changed" : "same" };
  }

  close(): void {
    for (const key of [...this.#open.keys()]) this.#drop(key);
  }

  #start(key: string, { path, names }: Place): void {
    const watcher = this.#watch(path, { persistent: false }, (event, name) => this.#onEvent(key, path, event, name));
    this.#open.set(key, { watcher, names });
    watcher.on("error", (error) => {
      if (this.#open.get(key)?.watcher !== watcher) return;
      this.#drop(key);
      this.#onBroken(codeOf(error));
    });
  }

  #onEvent(key: string, path: string, event: string, name: string | null): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    // By its own name a folder tells of itself: it was removed, moved, or its mode was changed. A removed one says nothing more, so
    // the watch is made anew; a file's is after everything but a change of what it holds.
    const itself = open.names === undefined ? event === "rename" : name === basename(path);
    if (itself) this.#drop(key);
    if (itself || open.names === undefined || name === null || open.names.has(name)) this.#onHint();
  }

  #drop(key: string): void {
    const open = this.#open.get(key);
    this.#open.delete(key);
    open?.watcher.close();
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "unknown");
