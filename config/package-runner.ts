// Which package runner starts a server, if one does: such a start may have to download first (minutes, not seconds), and runners
// of one kind share a cache that two of them must not fill at the same time.
import { basename } from "node:path";
import type { StdioLaunch } from "../daemon/contract/index.ts";

/** By program; `""` stands for the program alone, else the argument it needs first. The value names whose cache it is. */
const RUNNERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  npx: { "": "npm" },
  npm: { exec: "npm", x: "npm" },
  pnpx: { "": "pnpm" },
  pnpm: { dlx: "pnpm", exec: "pnpm" },
  yarn: { dlx: "yarn" },
  bunx: { "": "bun" },
  bun: { x: "bun" },
  uvx: { "": "uv" },
  uv: { run: "uv", tool: "uv" },
  pipx: { run: "pipx" },
  docker: { run: "docker" },
  podman: { run: "podman" },
};

export function packageRunner({ command, args }: Pick<StdioLaunch, "command" | "args">): string | undefined {
  // A path of another system's shape is fine: the last part tells.
  const program = basename(command.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/\.(?:cmd|exe|ps1|bat)$/, "");
  const forms = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined;
  const verb = args.find((arg) => !arg.startsWith("-")) ?? "";
  return forms?.[""] ?? (forms !== undefined && Object.hasOwn(forms, verb) ? forms[verb] : undefined);
}
