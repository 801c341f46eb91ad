// What another program's configuration says of a server, in words of ours. Its values may be secrets: they go into our
// configuration and nowhere else. Remarks and problems are written here and quote no value.
import type { ConfigIssue } from "../../daemon/contract/index.ts";

export const HOSTS = Object.freeze({
  "claude-code": "Claude Code",
  "claude-desktop": "Claude Desktop",
  cursor: "Cursor",
  vscode: "VS Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  windsurf: "Windsurf",
  zed: "Zed",
  opencode: "OpenCode",
});
export type HostId = keyof typeof HOSTS;

/** `file`: named by hand, whoever's it is. */
export type Origin = HostId | "file";
/** `local`: of one person in one project. */
export type Scope = "user" | "local" | "project";

export const isHostId = (text: string): text is HostId => Object.hasOwn(HOSTS, text);

export interface FoundLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd?: string;
}

export type FoundServer = {
  readonly host: Origin;
  readonly scope: Scope;
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  /** As it is called there. */
  readonly name: string;
  /** It is turned off there. */
  readonly disabled: boolean;
  /** What is different here, or cannot come along. */
  readonly remarks: readonly string[];
} & (
  | {
      readonly kind: "stdio";
      readonly launch: FoundLaunch;
      /** Variables it refers to without a default, in order, each once. */
      readonly variables: readonly string[];
    }
  | { readonly kind: "remote"; readonly type: string; readonly url: string }
  | { readonly kind: "unusable"; readonly problem: string }
);

/** A file or an entry that could not be read; other files and entries are not touched by it. */
export interface FileProblem {
  readonly file: string;
  readonly issues: readonly ConfigIssue[];
}

/** `Cursor (user)`; a file named by hand has no scope. */
export function placeName({ host, scope }: Pick<FoundServer, "host" | "scope">): string {
  return host === "file" ? "a file" : `${HOSTS[host]} (${scope})`;
}
