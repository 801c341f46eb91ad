// The service file that `toolpool service install` wrote, if there is one: what it would start, and whether that is still there.
// Asks no systemd and no launchd.
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { parse } from "plist";
import { differences, readInstalled } from "../autostart/installed-file.ts";
import { supervisorOf } from "../autostart/platform.ts";
import type { Supervisor } from "../autostart/supervisor.ts";
import { launchOf } from "../commands/autostart-look.ts";
import type { Run } from "../commands/surroundings.ts";
import { isJsonObject } from "../../daemon/contract/index.ts";
import type { AutostartFacts } from "./facts.ts";

export async function readAutostart(run: Run): Promise<AutostartFacts | undefined> {
  const { env, platform, uid } = run;
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir();
  const configHome = env.XDG_CONFIG_HOME !== undefined && isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : undefined;
  const supervisor = supervisorOf({ platform, home, configHome, uid });
  if (supervisor === undefined) return undefined;
  const installed = await readInstalled(supervisor.file);
  if (installed.kind !== "ours") return { file: supervisor.file, installed: installed.kind, missing: [], differs: 0 };
  const named = programsIn(installed.text, supervisor);
  const gone = await Promise.all(named.map(async (path) => ((await exists(path)) ? [] : [path])));
  const now = supervisor.text(launchOf(run, installed.asked));
  return { file: supervisor.file, installed: "ours", missing: gone.flat(), differs: differences(installed.text, now).length };
}

/** The first two words of what it starts: Node.js and our program. */
function programsIn(text: string, { name }: Supervisor): readonly string[] {
  const words = name === "launchd" ? argumentsOf(text) : unitWords(text);
  return words.slice(0, 2).filter((word) => isAbsolute(word));
}

/** As client/autostart/systemd-unit.ts writes it. */
function unitWords(text: string): readonly string[] {
  const line = /^ExecStart=(.*)$/m.exec(text)?.[1] ?? "";
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain = ""]) =>
    (quoted ?? plain).replace(/\\(.)/g, "$1").replaceAll("%%", "%").replaceAll("$$", "$"),
  );
}

function argumentsOf(text: string): readonly string[] {
  const content: unknown = parse(text);
  const list = isJsonObject(content) ? content.ProgramArguments : undefined;
  return Array.isArray(list) ? list.filter((word) => typeof word === "string") : [];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
