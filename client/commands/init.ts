// `toolpool init`: writes a configuration to begin with, the two demo servers with everything explained, where there is none. What
// is there is never touched.
import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { withEditLock } from "../../config/edit-lock.ts";
import { configFile } from "../../config/paths.ts";
import { demoConfiguration } from "../../config/starter.ts";
import { writeText } from "../../config/write.ts";
import { isPassingProgram } from "../autostart/launch.ts";
import { homeOf } from "../import/find-servers.ts";
import { short } from "../import/report.ts";
import { visible } from "../output/visible.ts";
import { Failure } from "./failure.ts";
import type { Run } from "./surroundings.ts";

export interface InitOptions {
  readonly config?: string;
}

export async function init({ env, cwd, daemonProgram, nodeProgram, screen }: Run, options: InitOptions): Promise<void> {
  const file = options.config === undefined ? configFile(env) : resolve(cwd, options.config);
  const demoServer = join(dirname(daemonProgram), "servers", "demo.js");
  await writeNew(file, demoConfiguration({ node: nodeProgram, demoServer }));
  if (screen.json) {
    screen.value({ file, servers: ["demo_alpha", "demo_beta"] });
    return;
  }
  screen.line(screen.colours.green(`Wrote ${visible(short(file, homeOf(env)))} with two demo servers`));
  if (isPassingProgram(demoServer))
    screen.line("They run from npm's cache of npx: install toolpool to keep them (npm install -g toolpool).");
  screen.line("Next:");
  screen.line("  toolpool up                    start the daemon");
  screen.line("  toolpool connect demo_alpha    connect a server, then: toolpool tools");
  screen.line("  toolpool import                bring the servers that other programs have configured");
}

/** Of two that begin at once one writes; nobody ever reads half of it. */
async function writeNew(file: string, text: string): Promise<void> {
  // Before the lock: what stands in the way may be the folder's own path.
  if (await isThere(file)) throw present(file);
  try {
    await withEditLock(file, async () => {
      if (await isThere(file)) throw present(file);
      await writeText(file, text);
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = error instanceof Error ? ("code" in error ? String(error.code) : error.message) : "unknown";
    const next = "Give yourself the right to write there, or name another file with --config.";
    throw new Failure(2, `${file} cannot be written (${why})`, { reason: "not_written", next, cause: error });
  }
}

/** Whatever is there, a link that leads nowhere too. */
function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

function present(file: string): Failure {
  const next =
    "Add servers to it: toolpool import. Look at their tools: toolpool review. See whether it is sound: toolpool check";
  return new Failure(2, `There is a configuration already, and it was left as it is: ${file}`, { reason: "exists", next });
}
