// One thing that was looked at on this workstation and how it is: a sentence, the command that mends it, and, where that is safe,
// what `--fix` may do. No finding holds a secret or an expanded value; text that servers or files wrote is made visible when shown.

export const GROUPS = [
  "Program",
  "Daemon",
  "State",
  "Configuration",
  "Servers",
  "Processes",
  "Other hosts",
  "Autostart",
] as const;
export type Group = (typeof GROUPS)[number];

/** Stable, for programs. One id is one kind of finding, whatever its level. */
export const FINDING_GROUPS = {
  node_version: "Program",
  native_module: "Program",
  look_failed: "Program",
  daemon_absent: "Daemon",
  daemon_silent: "Daemon",
  daemon_version: "Daemon",
  daemon_contract: "Daemon",
  daemon_replaced: "Daemon",
  several_daemons: "Daemon",
  state_setting: "State",
  state_folder: "State",
  state_owner: "State",
  state_mode: "State",
  socket_path: "State",
  token: "State",
  journal: "State",
  disk_space: "State",
  stale_discovery: "State",
  stale_socket: "State",
  stale_lock: "State",
  leftover_draft: "State",
  config_file: "Configuration",
  config_mode: "Configuration",
  config_server: "Configuration",
  unset_variable: "Configuration",
  config_warning: "Configuration",
  config_other: "Configuration",
  config_not_loaded: "Configuration",
  daemon_environment: "Configuration",
  lock_file: "Configuration",
  lock_leftover: "Configuration",
  command_not_found: "Servers",
  cwd_missing: "Servers",
  daemon_path: "Servers",
  unpinned_package: "Servers",
  server_failed: "Servers",
  unreviewed: "Servers",
  drifted: "Servers",
  not_pinned: "Servers",
  orphan_process: "Processes",
  running_copy: "Processes",
  host_spawns: "Other hosts",
  service_program: "Autostart",
  service_differs: "Autostart",
} as const satisfies Readonly<Record<string, Group>>;

export type FindingId = keyof typeof FINDING_GROUPS;

/** `ok`: looked at, and as it should be. */
export type Level = "error" | "warning" | "ok";

/** What was seen of a file or folder when it was judged: the act is for this one and no other. */
export interface Seen {
  readonly path: string;
  readonly inode: number;
  readonly modifiedMs: number;
}

export type Fix =
  | { readonly kind: "chmod"; readonly path: string; readonly mode: number }
  /** A file of a daemon that is gone; `socket` is tried once more before it goes. */
  | { readonly kind: "remove_file"; readonly seen: Seen; readonly what: "discovery" | "socket" | "draft" }
  /** The folder by which a writer of the configuration says that it writes. */
  | { readonly kind: "remove_lock"; readonly seen: Seen };

export interface Finding {
  readonly id: FindingId;
  readonly level: Level;
  /** The server, file or process it is about. */
  readonly about: string;
  readonly sentence: string;
  /** Facts below the sentence, line by line. */
  readonly details?: readonly string[];
  /** For a shell. */
  readonly command?: string;
  readonly fix?: Fix;
}

export const ok = (id: FindingId, about: string, sentence: string): Finding => ({ id, level: "ok", about, sentence });
