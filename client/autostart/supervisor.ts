// What the platform's own starter of programs is to us: where its file is, what it is told, how it is asked, who checks its file.
// One file per platform implements it.
import type { Launch } from "./launch.ts";
import type { Commands, SupervisorState } from "./plan.ts";
import type { Ran, RunProgram } from "./programs.ts";

export type Verdict =
  | { readonly kind: "valid"; readonly notes: readonly string[] }
  | { readonly kind: "invalid"; readonly lines: readonly string[] }
  | { readonly kind: "unchecked"; readonly why: string };

export interface Supervisor {
  readonly name: "systemd" | "launchd";
  /** What it reads. */
  readonly file: string;
  /** The link that enabling makes; absent where there is none. */
  readonly link?: string;
  readonly commands: Commands;
  /** To be typed when it cannot be asked now. */
  readonly byHand: readonly string[];
  /** How to see what it says. */
  readonly logs: string;
  /** To be typed after the file of variables was changed. */
  readonly restart: string;
  readonly survivesLogout: string;
  readonly text: (launch: Launch) => string;
  readonly state: (run: RunProgram) => Promise<SupervisorState>;
  /** Names of the variables that it gives to every program, as far as it says. */
  readonly variables: (run: RunProgram) => Promise<readonly string[]>;
  readonly checker: string;
  /** `file` is a copy under its own name, `runtimeFolder` a folder of the caller's. */
  readonly check: (run: RunProgram, file: string, runtimeFolder: string) => Promise<Ran>;
  readonly verdict: (ran: Ran) => Verdict;
}
