// Which steps an install or an uninstall takes, in which order. Pure: from what was found to a refusal or a list of steps. The
// order is the promise: nothing is enabled before its file was checked and written, nothing is removed before it was stopped.
import type { InstalledFile } from "./installed-file.ts";

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
}

export type Step =
  | { readonly kind: "check"; readonly text: string }
  | { readonly kind: "write"; readonly text: string }
  | ({ readonly kind: "run"; readonly mayFail?: true } & Program)
  /** Until the platform has let go of what it was told to stop. */
  | { readonly kind: "gone" }
  | { readonly kind: "remove" }
  /** Links that the platform made to our file, where it cannot be asked to take them away. */
  | { readonly kind: "unlink" };

export type SupervisorState =
  | {
      readonly kind: "there";
      /** False when the platform has not found our file, wherever it looks. */
      readonly known: boolean;
      readonly enabled: boolean;
      readonly active: boolean;
      /** It gave up: too many failures, or a configuration that is refused. */
      readonly failed: boolean;
      readonly pid?: number;
      /** In the platform's own words. */
      readonly detail: string;
    }
  | { readonly kind: "none"; readonly why: string };

/** What the platform is told; the rest of the plan is the same everywhere. */
export interface Commands {
  readonly start: (state: SupervisorState) => readonly Step[];
  readonly enable: readonly Step[];
  readonly stop: (state: SupervisorState) => readonly Step[];
  /** After the file is gone. */
  readonly forget: readonly Step[];
}

export interface Refusal {
  readonly kind: "refused";
  readonly reason: "foreign_file" | "unusable_file" | "already_running";
  readonly message: string;
  readonly next: string;
}

export type Plan = Refusal | { readonly kind: "steps"; readonly steps: readonly Step[] };

export interface InstallFacts {
  readonly file: string;
  readonly installed: InstalledFile;
  readonly wanted: string;
  readonly force: boolean;
  readonly state: SupervisorState;
  /** Of a daemon that answers, whoever started it. */
  readonly daemonPid: number | undefined;
  readonly commands: Commands;
}

export function planInstall(facts: InstallFacts): Plan {
  const { file, installed, wanted, force, state, daemonPid, commands } = facts;
  if (installed.kind === "unusable") return unusable(file, installed.why);
  if (installed.kind === "foreign" && !force) {
    return foreign(file, "To write over it: toolpool service install --force");
  }
  if (daemonPid !== undefined && state.kind === "there" && !state.active) {
    return {
      kind: "refused",
      reason: "already_running",
      message: `A daemon that was started by hand already runs (pid ${String(daemonPid)})`,
      next: "Stop it first: toolpool down && toolpool service install",
    };
  }
  const same = installed.kind === "ours" && installed.text === wanted;
  const change: Step[] = same
    ? []
    : [
        { kind: "check", text: wanted },
        { kind: "write", text: wanted },
      ];
  if (state.kind === "none") return { kind: "steps", steps: change };
  // What runs by this very file is not interrupted.
  if (same && state.active) return { kind: "steps", steps: state.enabled ? [] : commands.enable };
  return { kind: "steps", steps: [...change, ...commands.start(state)] };
}

export interface UninstallFacts {
  readonly file: string;
  readonly installed: InstalledFile;
  readonly state: SupervisorState;
  readonly commands: Commands;
}

export function planUninstall({ file, installed, state, commands }: UninstallFacts): Plan {
  switch (installed.kind) {
    case "absent":
      return { kind: "steps", steps: [] };
    case "foreign":
      return foreign(file, "Remove it yourself if it is not needed.");
    case "unusable":
      return unusable(file, installed.why);
    case "ours":
      if (state.kind === "none") return { kind: "steps", steps: [{ kind: "unlink" }, { kind: "remove" }] };
      return { kind: "steps", steps: [...commands.stop(state), { kind: "remove" }, ...commands.forget] };
  }
}

const foreign = (file: string, next: string): Refusal => ({
  kind: "refused",
  reason: "foreign_file",
  message: `${file} was not written by \`toolpool service install\` and is left as it is`,
  next,
});

const unusable = (file: string, why: string): Refusal => ({
  kind: "refused",
  reason: "unusable_file",
  message: `${file} ${why} and is left as it is`,
  next: "A masked unit is such a file: systemctl --user unmask toolpool.service",
});
