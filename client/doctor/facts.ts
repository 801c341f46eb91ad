// Everything the checks judge by, as it was found: readers fill it in, checks only read it. It holds expanded values of the
// configuration (`spec.launch`), which are compared and never shown.
import type { Entry } from "../../config/entry.ts";
import type { ConfigCheck } from "../../config/check.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ParsedLock } from "../../config/lock.ts";
import type { Discovery, HelloResult, ServerSpec, ServerStatus } from "../../daemon/contract/index.ts";
import type { Seen } from "./finding.ts";
import type { Look } from "./look.ts";

export interface ProgramFacts {
  readonly version: string;
  /** Of the Node.js that runs us, without `v`. */
  readonly node: string;
  /** A range of semver. */
  readonly wanted: string;
  /** Where the package is installed. */
  readonly folder: string;
  /** Why the database's native part does not load: the error's code. Undefined: it loads. */
  readonly native: string | undefined;
}

export interface FileFacts extends Seen {
  readonly kind: "file" | "folder" | "socket" | "link" | "other";
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly bytes: number;
}

export interface StateFacts {
  readonly folder: string;
  /** Undefined: it is not there. A link is followed. */
  readonly found: FileFacts | undefined;
  readonly writable: boolean;
  /** What is in it. */
  readonly files: readonly FileFacts[];
  readonly socketPath: string;
  readonly socket: FileFacts | undefined;
  /** Nobody accepts connections there. */
  readonly socketDead: boolean;
  /** Bytes that are left for us on its disk; undefined where the system does not tell. */
  readonly free: number | undefined;
  /** The first bytes of the journal. */
  readonly journalHead: Uint8Array | undefined;
  readonly token: "absent" | "sound" | "damaged" | "unread";
  readonly discovery: Discovery | undefined;
  /** Who holds the journal, which is the instance lock. `unknown` where the system does not tell. */
  readonly lock: { readonly kind: "free" | "unknown" } | { readonly kind: "held"; readonly pid: number };
  /** The uid that all of it should have; undefined where there is no such number. */
  readonly uid: number | undefined;
  /** TOOLPOOL_STATE and TOOLPOOL_CONFIG as they are set. */
  readonly settings: Readonly<Record<string, string | undefined>>;
}

export type DaemonFacts =
  | { readonly kind: "absent" }
  | { readonly kind: "silent"; readonly message: string }
  | { readonly kind: "foreign"; readonly message: string }
  | { readonly kind: "mismatch"; readonly message: string; readonly discovery: Discovery | undefined }
  | {
      readonly kind: "running";
      readonly hello: HelloResult;
      /** Undefined while it is starting or closing. */
      readonly discovery: Discovery | undefined;
      readonly servers: readonly ServerStatus[];
      /** PATH of its environment; undefined where the system does not tell. */
      readonly path: string | undefined;
      /** Its program, or its Node.js, is not on the disk any more. */
      readonly replaced: boolean;
    };

export interface ConfigurationFacts {
  readonly file: string;
  readonly check: ConfigCheck;
  readonly loaded: LoadedConfig;
  /** By alias; empty when the file cannot be read. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Line of each alias, and of each member of its entry as `alias/member`. */
  readonly lines: ReadonlyMap<string, number>;
  readonly lockFile: string;
  readonly lock: ParsedLock;
  /** Variables without a value here, by alias. */
  readonly unset: ReadonlyMap<string, readonly string[]>;
  /** JSON Pointers of the texts that refer to one of them: what the check says of these is the same fault. */
  readonly unsetPlaces: ReadonlySet<string>;
  /** The configuration file, the lock file, their folder. */
  readonly files: readonly FileFacts[];
  readonly editLock: FileFacts | undefined;
  /** Left beside the two files by a writer that died. */
  readonly drafts: readonly FileFacts[];
}

export type Resolved =
  | { readonly kind: "found"; readonly file: string }
  | { readonly kind: "not_found" | "not_executable"; readonly searched: readonly string[] | undefined }
  | { readonly kind: "cwd_missing" | "cwd_not_a_folder" };

export interface CommandFacts {
  readonly spec: ServerSpec;
  readonly resolved: Resolved;
  /** The same on the daemon's PATH, where that is known and differs. */
  readonly forDaemon: Resolved | undefined;
}

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Resident memory. */
  readonly bytes: number;
  /** The command line in one piece; may hold secrets. */
  readonly line: string;
  /** Where it works, as far as the system tells. */
  readonly cwd?: string;
  /** The npm package whose program it runs, by its file. */
  readonly package?: string;
  /** It runs a daemon program of ours. */
  readonly daemon?: { readonly stateFolder: string | undefined; readonly stateThere: boolean };
}

/** A server that another program's settings start. */
export interface HostServer {
  /** Who, and in which of its scopes. */
  readonly host: string;
  readonly file: string;
  readonly line: number | undefined;
  /** Its name over there. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Takes it out, where that program has a command for it. */
  readonly removal: string | undefined;
}

export interface AutostartFacts {
  readonly file: string;
  readonly installed: "absent" | "ours" | "foreign" | "unusable";
  /** Programs that the file names and that are not there. */
  readonly missing: readonly string[];
  /** Lines that would be written otherwise now. */
  readonly differs: number;
}

export interface Facts {
  readonly program: Look<ProgramFacts>;
  readonly state: Look<StateFacts>;
  readonly daemon: Look<DaemonFacts>;
  readonly configuration: Look<ConfigurationFacts>;
  readonly commands: Look<readonly CommandFacts[]>;
  readonly processes: Look<readonly ProcessFacts[]>;
  readonly hosts: Look<readonly HostServer[]>;
  readonly autostart: Look<AutostartFacts | undefined>;
  /** Ours: no process of somebody else. */
  readonly pid: number;
}
