// `toolpool check [file]`: every fault of a configuration with its place, and what would fail at the first connect although the
// file is sound. Starts nothing. Exit code 2 when the daemon would refuse the file or one of its servers.
import { relative, resolve } from "node:path";
import type { CheckedServer } from "../../config/check.ts";
import { isSound } from "../../config/check.ts";
import { checkFile } from "../../config/load.ts";
import { configFile } from "../../config/paths.ts";
import type { Screen } from "../output/screen.ts";
import { issueLine } from "../output/issue-line.ts";
import { visible } from "../output/visible.ts";
import type { Run } from "./surroundings.ts";

export async function check({ env, cwd, screen }: Run, given: string | undefined): Promise<number> {
  const file = given === undefined ? configFile(env) : resolve(cwd, given);
  const checked = await checkFile(file, env);
  const exitCode = isSound(checked) ? 0 : 2;
  if (screen.json) {
    screen.value({ ok: exitCode === 0, ...checked });
    return exitCode;
  }
  const shown = shortest(file, cwd);
  if (checked.kind === "refused") {
    screen.line(screen.colours.red(`${visible(shown)} is refused as a whole:`));
    for (const issue of checked.issues) screen.line(`  ${issueLine(shown, issue)}`);
    return exitCode;
  }
  screen.line(
    exitCode === 0 ? screen.colours.green(`${visible(shown)} is sound`) : screen.colours.red(`${visible(shown)} has faults`),
  );
  if (checked.servers.length === 0) screen.line("It names no servers: add them under `mcpServers`.");
  for (const server of checked.servers) sayServer(screen, shown, server);
  return exitCode;
}

function sayServer(screen: Screen, file: string, server: CheckedServer): void {
  const { alias, status, type, tools, issues, warnings } = server;
  const paint = status === "valid" ? screen.colours.green : status === "invalid" ? screen.colours.red : screen.colours.dim;
  const counted = Object.entries(tools ?? {}).filter(([, count]) => count > 0);
  const policy = counted.map(([effect, count]) => `${String(count)} ${effect}`).join(", ");
  screen.line(`  ${visible(alias)}  ${paint(status)}  ${type}${policy === "" ? "" : `  ${policy}`}`);
  for (const issue of issues) screen.line(`    ${issueLine(file, issue)}`);
  for (const warning of warnings) screen.line(`    ${screen.colours.yellow("warning:")} ${issueLine(file, warning)}`);
}

function shortest(file: string, cwd: string): string {
  const near = relative(cwd, file);
  return near === "" || near.startsWith("..") ? file : near;
}
