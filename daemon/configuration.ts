// The configuration in force: reads the files again, when asked or when they have changed, has the daemon take them, one reading
// after the other, and says what came of it. What cannot be taken leaves the last good one in force. Starts that follow from a
// reading are not waited for by the next one: the correction of a server that hangs must not wait until it has hung long enough.
import {
  deepFreeze,
  type ConfigIssue,
  type ConfiguredServer,
  type ConfigStatus,
  type PoolConfig,
  type ReloadError,
  type ReloadResult,
  type ServerSpec,
} from "./contract/index.ts";
import { lockFileOf } from "../config/lock.ts";
import type { DaemonLog, LoadedConfig, WatchedFiles } from "./daemon-options.ts";
import { FileWatch, WATCH_TIMING } from "./lifecycle/file-watch.ts";

export interface Applied {
  readonly changed: readonly string[];
  /** Resolves when what was started again has settled. */
  readonly settled: Promise<void>;
}

export interface ConfigurationOptions {
  readonly config: PoolConfig;
  /** Of what `config` was read from. */
  readonly digest: string;
  readonly load: () => Promise<LoadedConfig>;
  readonly apply: (config: PoolConfig) => Promise<Applied>;
  /** Absent: nobody watches. */
  readonly files: WatchedFiles | undefined;
  readonly log: DaemonLog;
}

/** Issues of one file that go into the log. */
const MAX_LOGGED = 10;
const NOTHING = { changed: [], errors: [], settled: Promise.resolve() } as const;

export class Configuration {
  readonly #options: ConfigurationOptions;
  readonly #watch: FileWatch | undefined;
  #current: PoolConfig;
  #loadedAt = new Date();
  #digest: string;
  /** What was read last, taken or not. */
  #last: { readonly digest: string; readonly refused: boolean; readonly errors: readonly ReloadError[] };
  #reading: Promise<unknown> = Promise.resolve();
  #started = false;
  /** Aliases that the lock file has held at some time of this life. */
  readonly #pinned = new Set<string>();
  #trouble: string | undefined;
  #checks = 0;
  #loads = 1;
  #closed = false;

  constructor(options: ConfigurationOptions) {
    const { config, digest, files } = options;
    this.#options = options;
    this.#current = config;
    this.#digest = digest;
    this.#last = { digest, refused: false, errors: faultsOf(config) };
    this.#withoutLostPins(config);
    if (files === undefined) return;
    this.#watch = new FileWatch(files.paths, {
      look: () => this.#look(files),
      onTrouble: (code) => this.#onTrouble(code),
    });
  }

  get current(): PoolConfig {
    return this.#current;
  }

  /** Resolves when the files are watched, or cannot be. */
  async watch(): Promise<void> {
    await this.#watch?.start();
    this.#started = true;
  }

  /** Resolves when everything that was touched has settled. */
  async reload(): Promise<ReloadResult> {
    const { changed, errors, settled } = await this.#next(() => this.#load());
    await settled;
    return { changed, errors };
  }

  status(): ConfigStatus {
    const problem =
      this.#watch === undefined ? "switched off: after a change, toolpool reload" : this.#trouble && unwatched(this.#trouble);
    return {
      file: this.#current.file,
      watched: this.#started && problem === undefined,
      ...(problem === undefined ? {} : { watchProblem: problem }),
      loadedAt: this.#loadedAt.toISOString(),
      digest: this.#digest,
      servers: this.#current.servers.size,
      errors: this.#last.errors,
      stale: this.#last.refused,
      checks: this.#checks,
      loads: this.#loads,
    };
  }

  /** Nothing is read or taken any more. A reading that is being taken comes to its end: see `settled`. */
  close(): void {
    this.#closed = true;
    this.#watch?.close();
  }

  get settled(): Promise<unknown> {
    return Promise.all([this.#watch?.settled, this.#reading]);
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#reading.then(work);
    this.#reading = done.catch(() => undefined);
    return done;
  }

  async #look({ digest }: WatchedFiles): Promise<void> {
    const { log } = this.#options;
    const failed = (error: unknown): void =>
      log.error({ err: error instanceof Error ? error.stack : String(error) }, "the configuration could not be taken");
    try {
      // Compared in its turn: what a reload before it has read already is not read again.
      const { settled } = await this.#next(async () => ((await digest()) === this.#last.digest ? NOTHING : this.#load()));
      void settled.catch(failed);
    } catch (error) {
      failed(error);
    }
    this.#checks++;
  }

  async #load(): Promise<Applied & { readonly errors: readonly ReloadError[] }> {
    const loaded = this.#over() ? undefined : await this.#options.load();
    // While it was read the daemon may have begun to close: what runs is left to that.
    if (loaded === undefined || this.#over()) return NOTHING;
    const { log } = this.#options;
    this.#loads++;
    if (loaded.kind === "refused") {
      this.#last = { digest: loaded.digest, refused: true, errors: loaded.issues };
      const told = loaded.issues.slice(0, MAX_LOGGED).map((issue) => toldOf(this.#current.file, issue));
      log.warn({ issues: loaded.issues.length, told }, "the configuration was not taken: the old one stays");
      return { changed: [], errors: loaded.issues, settled: Promise.resolve() };
    }
    const config = this.#withoutLostPins(loaded.config);
    const errors = faultsOf(config);
    if (this.#last.refused) log.info({}, "the configuration is taken again");
    this.#last = { digest: loaded.digest, refused: false, errors };
    this.#current = config;
    this.#digest = loaded.digest;
    this.#loadedAt = new Date();
    const { changed, settled } = await this.#options.apply(config);
    if (changed.length > 0) log.info({ changed }, "configuration reloaded");
    for (const alias of changed) {
      const faults = errors.filter((error) => error.alias === alias);
      const places = faults.slice(0, MAX_LOGGED).map((issue) => placeOf(this.#current.file, issue));
      if (faults.length > 0) log.warn({ alias, places }, "the entry of this server is not valid: toolpool check says why");
    }
    return { changed, errors, settled };
  }

  /**
   * A server that was pinned since the start and is no longer in the lock file fails closed: what vanished may be the very thing
   * that would refuse it. A review pins it again.
   */
  #withoutLostPins(config: PoolConfig): PoolConfig {
    const servers = new Map<string, ConfiguredServer>();
    for (const [alias, server] of config.servers) {
      const pinned = server.kind !== "invalid" && server.spec.pins !== undefined;
      if (pinned) this.#pinned.add(alias);
      const lost = server.kind === "valid" && !pinned && this.#pinned.has(alias);
      servers.set(alias, lost ? unpinned(server.spec, lockFileOf(config.file)) : server);
    }
    for (const alias of [...this.#pinned]) if (!config.servers.has(alias)) this.#pinned.delete(alias);
    return Object.freeze({ ...config, servers });
  }

  /** Asked anew each time: the compiler takes a member for a constant once it was tested. */
  #over(): boolean {
    return this.#closed;
  }

  #onTrouble(code: string | undefined): void {
    this.#trouble = code;
    const { log } = this.#options;
    if (code === undefined) log.info({}, "the configuration's files are watched again");
    else log.warn({ code }, `the configuration's files are not watched: ${unwatched(code)}`);
  }
}

function unpinned(spec: ServerSpec, lockFile: string): ConfiguredServer {
  const { alias, type } = spec;
  const message = `it was pinned and is no longer in the lock file: restore that, or review the server again: toolpool review ${alias}`;
  return deepFreeze({
    kind: "unreviewed",
    alias,
    type,
    spec,
    issues: [{ file: lockFile, pointer: `/servers/${alias}`, message }],
  });
}

const faultsOf = (config: PoolConfig): readonly ReloadError[] =>
  [...config.servers.values()].flatMap((server) =>
    server.kind === "valid" ? [] : server.issues.map((issue) => ({ alias: server.alias, ...issue })),
  );

const placeOf = (file: string, { file: named = file, pointer, line, column }: ConfigIssue): string =>
  [line === undefined ? named : `${named}:${String(line)}:${String(column ?? 1)}`, ...(pointer === "" ? [] : [pointer])].join(
    ": ",
  );

// Of a file as a whole the messages quote no value; those of a server's entry may, and stay out of the log.
const toldOf = (file: string, issue: ConfigIssue): string => `${placeOf(file, issue)}: ${issue.message}`;

function unwatched(code: string): string {
  const instead = `they are looked at every ${String(WATCH_TIMING.slowMs / 1_000)} seconds instead`;
  switch (code) {
    case "ENOSPC":
      return `the system's limit of watches is reached (raise fs.inotify.max_user_watches); ${instead}`;
    case "EMFILE":
      return `the system's limit of watching programs or open files is reached (raise fs.inotify.max_user_instances); ${instead}`;
    case "EACCES":
    case "EPERM":
      return `a folder on the way to them may not be read by the daemon's user; ${instead}`;
    default:
      return `the system refuses (${code}); ${instead}`;
  }
}
