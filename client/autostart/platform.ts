// Which starter of programs this platform has. Everywhere else there is none, and that is said with the way out.
import { join } from "node:path";
import { launchdSupervisor } from "./launchd.ts";
import type { Supervisor } from "./supervisor.ts";
import { systemdSupervisor } from "./systemd.ts";

export interface Platform {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly configHome: string | undefined;
  readonly uid: number | undefined;
}

/** Undefined where there is none that we know. */
export function supervisorOf({ platform, home, configHome, uid }: Platform): Supervisor | undefined {
  if (platform === "linux") return systemdSupervisor(configHome ?? join(home, ".config"));
  if (platform === "darwin") return launchdSupervisor(home, uid ?? 0);
  return undefined;
}
