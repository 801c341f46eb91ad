// Notices that one of a few files may have changed, however that happens: written in place, renamed over, reached through links that
// are turned, removed and made again with its folder. Events of the system are only hints; after a quiet time it walks the paths
// again, watches what they lead to now, and has the files looked at. Where the system will not watch, it looks at them slowly.
// Owns every watch and timer; keeps no process alive. Does not read the files.
import { placesOf } from "./path-places.ts";
import { PlaceWatches, type Watch } from "./place-watches.ts";
import { QuietTime, type QuietLimits } from "./quiet-time.ts";

export interface WatchTiming extends QuietLimits {
  /** Between two looks where the files cannot be watched (ms). */
  readonly slowMs: number;
}

export const WATCH_TIMING: WatchTiming = Object.freeze({ quietMs: 100, longestMs: 1_000, slowMs: 5_000 });

export interface FileWatchPorts {
  /** Must not reject. Never called while an earlier look has not come to its end. */
  readonly look: () => Promise<void>;
  /** The files cannot be watched (a code of the system), or can again (`undefined`). Called when that changes. */
  readonly onTrouble: (code: string | undefined) => void;
  readonly watch?: Watch;
}

/** How often a path that changes while it is walked is walked again at once. */
const WALKS = 5;

export class FileWatch {
  readonly #files: readonly string[];
  readonly #ports: FileWatchPorts;
  readonly #timing: WatchTiming;
  readonly #quiet: QuietTime;
  readonly #watches: PlaceWatches;
  #looking: Promise<void> | undefined;
  #again = false;
  #trouble: string | undefined;
  #slow: NodeJS.Timeout | undefined;
  #closed = false;

  /** `files`: absolute paths; they need not be there. */
  constructor(files: readonly string[], ports: FileWatchPorts, timing: WatchTiming = WATCH_TIMING) {
    this.#files = files;
    this.#ports = ports;
    this.#timing = timing;
    this.#quiet = new QuietTime(() => void this.#run(), timing);
    this.#watches = new PlaceWatches(
      () => this.#quiet.hint(),
      (code) => this.#setTrouble(code),
      ports.watch,
    );
  }

  /** Resolves when everything is watched and was looked at once since. */
  start(): Promise<void> {
    return this.#run();
  }

  /** No look begins any more. One that is under way is waited for with `settled`. */
  close(): void {
    this.#closed = true;
    this.#quiet.close();
    this.#watches.close();
    clearInterval(this.#slow);
  }

  get settled(): Promise<void> {
    return this.#looking ?? Promise.resolve();
  }

  /** What comes during a look, however much, is followed by one more. */
  #run(): Promise<void> {
    if (this.#closed) return this.settled;
    this.#again = true;
    return (this.#looking ??= this.#looks().finally(() => (this.#looking = undefined)));
  }

  async #looks(): Promise<void> {
    while (this.#again && !this.#over()) {
      this.#again = false;
      await this.#follow();
      // Watched first, looked at afterwards: a change in between is seen by one of the two.
      if (!this.#over()) await this.#ports.look();
    }
  }

  async #follow(): Promise<void> {
    for (let walk = 0; walk < WALKS; walk++) {
      const places = await placesOf(this.#files);
      if (this.#over()) return;
      const followed = this.#watches.follow(places);
      if (followed.kind === "changed") continue;
      this.#setTrouble(followed.kind === "failed" ? followed.code : undefined);
      return;
    }
    this.#quiet.hint();
  }

  /** Asked anew each time: the compiler takes a member for a constant once it was tested. */
  #over(): boolean {
    return this.#closed;
  }

  #setTrouble(code: string | undefined): void {
    if (this.#closed || code === this.#trouble) return;
    this.#trouble = code;
    clearInterval(this.#slow);
    this.#slow = code === undefined ? undefined : setInterval(() => void this.#run(), this.#timing.slowMs).unref();
    this.#ports.onTrouble(code);
  }
}
