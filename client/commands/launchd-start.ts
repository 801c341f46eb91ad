// `toolpool up --launchd <file>`, as the launchd agent runs it: the foreground with the variables of the environment file. A refused
// configuration ends with 0, because launchd starts again whatever ends otherwise, and that would be for ever.
import { readEnvironmentFile } from "../autostart/environment-file.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Run } from "./surroundings.ts";
import { upInForeground, type UpOptions } from "./up.ts";

export async function upForLaunchd(
  run: Run,
  options: UpOptions & { readonly launchd: string },
  interrupts: Interrupts,
): Promise<number> {
  let more: Readonly<Record<string, string>>;
  try {
    more = await readEnvironmentFile(options.launchd);
  } catch (error) {
    run.screen.note(`toolpool: ${error instanceof Error ? error.message : String(error)}`);
    run.screen.note("Give yourself the right to read it, then: toolpool service install");
    return 0;
  }
  const code = await upInForeground({ ...run, env: { ...run.env, ...more } }, options, interrupts);
  return code === 2 ? 0 : code;
}
